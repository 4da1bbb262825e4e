//! What one person's own interactions do to their scores, nearly: only the person's row and those of the items they have are
//! computed anew, layer by layer, and all other rows stay as the unedited graph has them.
//!
//! ```text
//! person    p = root sum over own items i of root_i h_i
//! own item  p_i = root_i (o_i + root h),   o_i = sum over everybody else v of root_v h_v
//! ```
//!
//! `o_i` is all there is of the graph: summed once for an item, it serves every edit. What is left out are rows at least two
//! steps away from the person; what changes there comes back to their list weakened by every degree on the way.

use std::collections::HashMap;

use grease_graph::{Edge, Edit, Profile, UserId};
use grease_kernels::dense::dot;
use grease_kernels::normalise::inverse_root;
use grease_kernels::vectorise;

use crate::halves::{Side, row, row_mut};
use crate::ngcf::layer::Inputs;
use crate::ngcf::{Ngcf, readout};

/// One person after one edit of their own interactions, the latest.
pub(super) struct Estimate<'a> {
    model: &'a Ngcf,
    user: UserId,
    others: Others,
    /// How many slots of `others` are the person's items on the unedited graph.
    own: usize,
    /// Slots of the items the person has after the edit, and of those they have no more.
    kept: Vec<usize>,
    lost: Vec<usize>,
    /// `1 / sqrt(degree)` after the edit, of the person and of the items kept.
    root: f32,
    roots: Vec<f32>,
    /// What each layer gives, layer 0 first: the person's row, then the kept items' rows. Of the last layer the person's only: few of
    /// the others are ever scored.
    hidden: Vec<Vec<f32>>,
    /// The person's output embedding.
    output: Vec<f32>,
    /// Output embeddings of own items as they are without the person: the same whatever else an edit does.
    deserted: Option<Vec<f32>>,
    messages: Vec<f32>,
    inputs: Inputs,
}

impl<'a> Estimate<'a> {
    /// Nothing is asked yet. A user nobody knows is one without a history.
    pub(super) fn new(model: &'a Ngcf, user: UserId) -> Self {
        let graph = model.adjacency.graph();
        let own = if user < graph.newcomer() { graph.items_of(user) } else { &[] };
        let mut others = Others { sums: vec![Vec::new(); model.layers], ..Others::default() };
        for &item in own {
            others.slot(model, user, item);
        }
        Self {
            model,
            user,
            others,
            own: own.len(),
            kept: Vec::new(),
            lost: Vec::new(),
            root: 0.0,
            roots: Vec::new(),
            hidden: vec![Vec::new(); model.layers + 1],
            output: vec![0.0; model.architecture().output_width()],
            deserted: None,
            messages: Vec::new(),
            inputs: Inputs::default(),
        }
    }

    /// The person's output embedding after a (checked) edit that changes nobody else's interactions.
    pub(super) fn set(&mut self, profile: Profile, edit: &Edit) {
        self.sort_out(edit);
        self.lay_out(profile);
        let (model, dim) = (self.model, self.model.dim());
        for l in 0..model.layers {
            self.send_to_person(l);
            // Nobody hears of the items' last layer.
            let items = if l + 1 == model.layers { 0 } else { self.kept.len() };
            self.send_to_items(l, items);
            let rows = 1 + items;
            let (before, after) = self.hidden.split_at_mut(l + 1);
            let (h, out) = (&before[l][..rows * dim], &mut after[0][..rows * dim]);
            model.forward_here(l, h, &self.messages[..rows * dim], &mut self.inputs, out);
        }
        for (l, rows) in self.hidden.iter().enumerate() {
            readout::place(l, std::iter::once(&rows[..dim]), l * dim, self.output.len(), &mut self.output);
        }
    }

    /// The person's output embedding after the edit.
    pub(super) fn output(&self) -> &[f32] {
        &self.output
    }

    /// Writes the scores of those items the edit says something about and that have a place in `out`.
    pub(super) fn correct(&mut self, place: impl Fn(u32) -> Option<usize>, out: &mut [f32]) {
        for at in 0..self.kept.len() {
            if let Some(place) = place(self.others.items[self.kept[at]]) {
                out[place] = self.score_of_kept(at);
            }
        }
        let width = self.output.len();
        for at in 0..self.lost.len() {
            let slot = self.lost[at];
            if let Some(place) = place(self.others.items[slot]) {
                let model = self.model;
                let rows = self.deserted.get_or_insert_with(|| self.others.outputs(model, self.own));
                out[place] = dot(row(rows, width, slot as u32), &self.output);
            }
        }
    }

    /// Who is kept, who is lost, and everybody's degree.
    fn sort_out(&mut self, edit: &Edit) {
        self.kept.clear();
        self.lost.clear();
        for slot in 0..self.own {
            let edge = Edge::new(self.user.0, self.others.items[slot]);
            let list =
                if edit.removed().binary_search(&edge).is_ok() { &mut self.lost } else { &mut self.kept };
            list.push(slot);
        }
        for edge in edit.added() {
            self.kept.push(self.others.slot(self.model, self.user, edge.item.0));
        }
        self.root = inverse_root(self.kept.len() as f32);
        self.roots.clear();
        self.roots.extend(self.kept.iter().map(|&slot| inverse_root((self.others.degrees[slot] + 1) as f32)));
    }

    /// Room for every layer's rows, and layer 0.
    fn lay_out(&mut self, profile: Profile) {
        let (model, dim) = (self.model, self.model.dim());
        let size = (1 + self.kept.len()) * dim;
        self.hidden.iter_mut().for_each(|rows| rows.resize(size, 0.0));
        self.messages.resize(size, 0.0);
        let (person, items) = self.hidden[0].split_at_mut(dim);
        if profile == Profile::Kept && self.user < model.adjacency.graph().newcomer() {
            person.copy_from_slice(row(model.layer_output(0, Side::Users), dim, self.user.0));
        } else {
            person.fill(0.0);
        }
        let table = model.layer_output(0, Side::Items);
        for (out, &slot) in items.chunks_exact_mut(dim).zip(&self.kept) {
            out.copy_from_slice(row(table, dim, self.others.items[slot]));
        }
    }

    /// The person's message of layer `l`.
    fn send_to_person(&mut self, l: usize) {
        let (dim, root) = (self.model.dim(), self.root);
        let message = &mut self.messages[..dim];
        let items = self.hidden[l][dim..].chunks_exact(dim);
        vectorise(|| {
            message.fill(0.0);
            for (h, &factor) in items.zip(&self.roots) {
                message.iter_mut().zip(h).for_each(|(m, h)| *m += factor * h);
            }
            message.iter_mut().for_each(|m| *m *= root);
        });
    }

    /// Messages of layer `l` for the first so many of the kept items.
    fn send_to_items(&mut self, l: usize, items: usize) {
        let (dim, root) = (self.model.dim(), self.root);
        let (person, sums) = (&self.hidden[l][..dim], &self.others.sums[l]);
        let messages = self.messages[dim..].chunks_exact_mut(dim);
        vectorise(|| {
            for ((message, &slot), &factor) in messages.zip(&self.kept[..items]).zip(&self.roots) {
                send(message, factor, row(sums, dim, slot as u32), root, person);
            }
        });
    }

    /// The score of a kept item, for which its last layer is still to be computed.
    fn score_of_kept(&mut self, at: usize) -> f32 {
        let (model, dim, slot) = (self.model, self.model.dim(), self.kept[at]);
        let (before, last) = self.hidden.split_at_mut(model.layers);
        let mine = (1 + at) * dim..(2 + at) * dim;
        if let Some(l) = model.layers.checked_sub(1) {
            let (h, out) = (&before[l], &mut last[0][mine.clone()]);
            let message = &mut self.messages[mine.clone()];
            let sum = row(&self.others.sums[l], dim, slot as u32);
            send(message, self.roots[at], sum, self.root, &h[..dim]);
            model.forward_here(l, &h[mine.clone()], message, &mut self.inputs, out);
        }
        let parts = self.hidden.iter().zip(self.output.chunks_exact(dim)).enumerate();
        parts
            .map(|(l, (rows, person))| {
                let item = &rows[mine.clone()];
                dot(item, person) / if l == 0 { 1.0 } else { readout::length(item) }
            })
            .sum()
    }
}

/// The message of an own item: `root_i (o_i + root h)`.
#[inline(always)]
fn send(message: &mut [f32], item_root: f32, sum: &[f32], root: f32, person: &[f32]) {
    message.iter_mut().zip(sum).zip(person).for_each(|((m, sum), h)| *m = item_root * (sum + root * h));
}

/// What items hear from everybody but the person, on the unedited graph; one slot an item that was asked about.
#[derive(Default)]
struct Others {
    slots: HashMap<u32, usize>,
    items: Vec<u32>,
    /// How many others there are.
    degrees: Vec<usize>,
    /// For each layer, one row a slot: `sum over others v of root_v h_v`.
    sums: Vec<Vec<f32>>,
}

impl Others {
    /// The item's slot, made where there is none.
    fn slot(&mut self, model: &Ngcf, user: UserId, item: u32) -> usize {
        if let Some(&slot) = self.slots.get(&item) {
            return slot;
        }
        let (slot, dim) = (self.items.len(), model.dim());
        let neighbours = model.adjacency.graph().by_item().row(item as usize);
        let roots = &model.adjacency.roots().users;
        let others = || neighbours.iter().copied().filter(|&v| v != user.0);
        for (l, sums) in self.sums.iter_mut().enumerate() {
            sums.resize((slot + 1) * dim, 0.0);
            let (sum, users) = (row_mut(sums, dim, slot as u32), model.layer_output(l, Side::Users));
            vectorise(|| {
                for v in others() {
                    let root = roots[v as usize];
                    sum.iter_mut().zip(row(users, dim, v)).for_each(|(s, h)| *s += root * h);
                }
            });
        }
        self.slots.insert(item, slot);
        self.items.push(item);
        self.degrees.push(others().count());
        slot
    }

    /// Output embeddings of the items in the first slots where the person does not have them.
    fn outputs(&self, model: &Ngcf, count: usize) -> Vec<f32> {
        let (dim, width) = (model.dim(), model.architecture().output_width());
        let mut out = vec![0f32; count * width];
        let table = model.layer_output(0, Side::Items);
        let mut h: Vec<f32> =
            self.items[..count].iter().flat_map(|&item| row(table, dim, item)).copied().collect();
        readout::place(0, h.chunks_exact(dim), 0, width, &mut out);
        let (mut inputs, mut next) = (Inputs::default(), h.clone());
        for (l, sums) in self.sums.iter().enumerate() {
            let mut messages = sums[..count * dim].to_vec();
            for (message, &degree) in messages.chunks_exact_mut(dim).zip(&self.degrees) {
                let root = inverse_root(degree as f32);
                message.iter_mut().for_each(|m| *m *= root);
            }
            model.forward_here(l, &h, &messages, &mut inputs, &mut next);
            readout::place(l + 1, next.chunks_exact(dim), (l + 1) * dim, width, &mut out);
            std::mem::swap(&mut h, &mut next);
        }
        out
    }
}
