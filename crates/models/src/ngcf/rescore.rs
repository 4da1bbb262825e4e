//! All scores of one user on edited graphs, exactly: only the rows an edit reaches are computed anew, layer by layer.
//!
//! A row of layer `l + 1` changes if the node's neighbours change, if a neighbour's degree changes, or if a neighbour's row
//! (or its own) of layer `l` changes. Where that is most of a side, the whole side is computed and the search for who is reached is over. The
//! last layer is wanted for items and the one user only.

use std::sync::{Mutex, PoisonError};

use grease_graph::{Edit, Profile, UserId};
use grease_kernels::dense::dot;
use rayon::prelude::*;

use crate::adjacency::Scaled;
use crate::edited::{Changed, changed_nodes};
use crate::halves::{Halves, Side, row, row_mut};
use crate::ngcf::{Ngcf, readout};

/// Past this share of a side, finding out who is reached costs more than it saves.
const MOST_OF_A_SIDE: f64 = 0.6;

impl Ngcf {
    /// Scores of all items, once for each (checked) edit.
    pub(super) fn rescore(&self, user: UserId, profile: Profile, edits: &[Edit], out: &mut [f32]) {
        let items = self.adjacency.graph().items();
        if items == 0 {
            return;
        }
        let mut room = self.rooms.take().unwrap_or_else(|| Room::new(self));
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(items)) {
            let layers = room.layers(self, user.0, profile, edit);
            self.item_scores(user.0, &layers, out);
            room.take_back(layers);
        }
        self.rooms.give_back(room);
    }

    /// Dot products of output embeddings: the rows of `layers` where they were computed anew, else those of the unedited graph.
    fn item_scores(&self, user: u32, layers: &[Patch], out: &mut [f32]) {
        let dim = self.dim();
        let of_user: Vec<Vec<f32>> = layers
            .iter()
            .enumerate()
            .map(|(l, patch)| {
                let mut part = vec![0f32; dim];
                readout::place(l, std::iter::once(patch.row(self, l, Side::Users, user)), 0, dim, &mut part);
                part
            })
            .collect();
        out.par_chunks_mut(256).enumerate().for_each(|(block, out)| {
            for (k, score) in out.iter_mut().enumerate() {
                let item = (block * 256 + k) as u32;
                *score = (0..layers.len())
                    .map(|l| {
                        let x = layers[l].row(self, l, Side::Items, item);
                        dot(x, &of_user[l]) / if l == 0 { 1.0 } else { readout::length(x) }
                    })
                    .sum();
            }
        });
    }
}

/// The rows of one layer that an edit changes.
#[derive(Default)]
struct Patch {
    users: SidePatch,
    items: SidePatch,
}

#[derive(Default)]
struct SidePatch {
    /// Rows, ascending.
    rows: Vec<u32>,
    /// Their values.
    values: Vec<f32>,
}

impl Patch {
    fn side(&self, side: Side) -> &SidePatch {
        match side {
            Side::Users => &self.users,
            Side::Items => &self.items,
        }
    }

    fn side_mut(&mut self, side: Side) -> &mut SidePatch {
        match side {
            Side::Users => &mut self.users,
            Side::Items => &mut self.items,
        }
    }

    /// The row as it is after the edit.
    fn row<'a>(&'a self, model: &'a Ngcf, l: usize, side: Side, at: u32) -> &'a [f32] {
        let dim = model.dim();
        let SidePatch { rows, values } = self.side(side);
        // All rows computed: no search.
        let slot = if rows.get(at as usize) == Some(&at) { Ok(at as usize) } else { rows.binary_search(&at) };
        match slot {
            Ok(slot) => row(values, dim, slot as u32),
            Err(_) => row(model.layer_output(l, side), dim, at),
        }
    }
}

/// What one edit after another is computed in: each layer's input, scaled for propagation, as the unedited graph has it between edits.
#[derive(Debug)]
struct Room {
    /// `S h` of layers 0..L. The users' half has a row for a newcomer.
    scaled: Vec<Halves>,
    reached: Reached,
    /// Rows of edits that are done with: fresh memory for each edit would cost a quarter of the answer.
    spare: Vec<Vec<f32>>,
}

/// Rooms nobody is in: making one costs as much as a good part of an edit. There are never more than were in use at once.
#[derive(Debug, Default)]
pub(super) struct Rooms(Mutex<Vec<Room>>);

impl Rooms {
    fn take(&self) -> Option<Room> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn give_back(&self, room: Room) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    }
}

/// A model's copy makes rooms of its own.
impl Clone for Rooms {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Marks on nodes; a mark is the number of the question it answers, so nothing is wiped between questions.
#[derive(Debug)]
struct Reached {
    users: Vec<u32>,
    items: Vec<u32>,
    question: u32,
}

impl Reached {
    fn next_question(&mut self) -> u32 {
        if self.question == u32::MAX {
            self.users.fill(0);
            self.items.fill(0);
            self.question = 0;
        }
        self.question += 1;
        self.question
    }
}

impl Room {
    fn new(model: &Ngcf) -> Self {
        let (graph, dim) = (model.adjacency.graph(), model.dim());
        let scaled = (0..model.layers).map(|l| {
            let mut out = Halves::zeros(graph.users(), graph.items(), dim);
            let (users, items) = (model.layer_output(l, Side::Users), model.layer_output(l, Side::Items));
            model.adjacency.scale(users, items, dim, &mut out);
            out.users.resize((graph.users() + 1) * dim, 0.0);
            out
        });
        let reached =
            Reached { users: vec![0; graph.users() + 1], items: vec![0; graph.items()], question: 0 };
        Self { scaled: scaled.collect(), reached, spare: Vec::new() }
    }

    /// Numbers for all to be written over; what they are is anybody's guess.
    fn numbers(&mut self, many: usize) -> Vec<f32> {
        let mut numbers = self.spare.pop().unwrap_or_default();
        numbers.resize(many, 0.0);
        numbers
    }

    /// The memory of layers nobody asks about any more.
    fn take_back(&mut self, layers: Vec<Patch>) {
        // The first layer's few rows are made by themselves.
        for Patch { users, items } in layers.into_iter().skip(1) {
            self.spare.extend([users.values, items.values]);
        }
    }

    /// Every layer's changed rows, layer 0 first.
    fn layers(&mut self, model: &Ngcf, user: u32, profile: Profile, edit: &Edit) -> Vec<Patch> {
        let (graph, dim) = (model.adjacency.graph(), model.dim());
        let changed = changed_nodes(graph, edit);
        let mut patches = vec![Patch::default()];
        let newcomer = user == graph.newcomer().0 || edit.added().iter().any(|e| e.user == graph.newcomer());
        for own in [newcomer.then_some(graph.newcomer().0), (profile == Profile::Neutral).then_some(user)]
            .into_iter()
            .flatten()
        {
            let patch = &mut patches[0].users;
            if !patch.rows.contains(&own) {
                patch.rows.push(own);
                patch.values.resize(patch.rows.len() * dim, 0.0);
            }
        }
        patches[0].users.rows.sort_unstable();
        for l in 0..model.layers {
            self.patch_scaled(model, l, &patches[l], &changed);
            let last = l + 1 == model.layers;
            let mut next = Patch::default();
            for side in Side::BOTH {
                let rows = if last && side == Side::Users {
                    vec![user]
                } else {
                    self.reach(model, side, &patches[l], &changed)
                };
                let values = self.compute(model, l, side, &rows, &patches[l], &changed[side as usize]);
                *next.side_mut(side) = SidePatch { rows, values };
            }
            self.restore_scaled(model, l, &patches[l], &changed);
            patches.push(next);
        }
        patches
    }

    /// Writes `S h` of the edited graph over that of the unedited one, where they differ.
    fn patch_scaled(&mut self, model: &Ngcf, l: usize, patch: &Patch, changed: &[Vec<Changed>; 2]) {
        let dim = model.dim();
        for side in Side::BOTH {
            let roots = model.adjacency.roots().side(side);
            let changed = &changed[side as usize];
            let root_of = |at: u32| match changed.binary_search_by_key(&at, |c| c.row) {
                Ok(k) => changed[k].root,
                Err(_) => roots.get(at as usize).copied().unwrap_or(0.0),
            };
            let scaled = self.scaled[l].side_mut(side);
            for at in changed.iter().map(|c| c.row).chain(patch.side(side).rows.iter().copied()) {
                let (root, h) = (root_of(at), patch.row(model, l, side, at));
                row_mut(scaled, dim, at).iter_mut().zip(h).for_each(|(s, h)| *s = root * h);
            }
        }
    }

    /// Undoes [`Room::patch_scaled`].
    fn restore_scaled(&mut self, model: &Ngcf, l: usize, patch: &Patch, changed: &[Vec<Changed>; 2]) {
        let dim = model.dim();
        for side in Side::BOTH {
            let roots = model.adjacency.roots().side(side);
            let (before, scaled) = (model.layer_output(l, side), self.scaled[l].side_mut(side));
            for at in
                changed[side as usize].iter().map(|c| c.row).chain(patch.side(side).rows.iter().copied())
            {
                let out = row_mut(scaled, dim, at);
                match roots.get(at as usize) {
                    Some(root) => out.iter_mut().zip(row(before, dim, at)).for_each(|(s, h)| *s = root * h),
                    None => out.fill(0.0),
                }
            }
        }
    }

    /// The rows of one side that change in the next layer.
    fn reach(&mut self, model: &Ngcf, side: Side, patch: &Patch, changed: &[Vec<Changed>; 2]) -> Vec<u32> {
        let graph = model.adjacency.graph();
        let (known, pattern) = match side {
            Side::Users => (graph.users(), graph.by_item()),
            Side::Items => (graph.items(), graph.by_user()),
        };
        let question = self.reached.next_question();
        let marks = match side {
            Side::Users => &mut self.reached.users,
            Side::Items => &mut self.reached.items,
        };
        let most = (known as f64 * MOST_OF_A_SIDE) as usize;
        let mut rows: Vec<u32> = Vec::new();
        let mut mark = |at: u32, rows: &mut Vec<u32>| {
            if std::mem::replace(&mut marks[at as usize], question) != question {
                rows.push(at);
            }
        };
        let own = changed[side as usize].iter().map(|c| c.row).chain(patch.side(side).rows.iter().copied());
        own.for_each(|at| mark(at, &mut rows));
        let (far, far_changed) = (side.other(), &changed[side.other() as usize]);
        for at in far_changed.iter().map(|c| c.row).chain(patch.side(far).rows.iter().copied()) {
            if (at as usize) < pattern.rows() {
                pattern.row(at as usize).iter().for_each(|&n| mark(n, &mut rows));
            }
            if rows.len() > most {
                // A newcomer, if there is one, was marked among the changed rows.
                let newcomer = rows.iter().copied().filter(|&at| at as usize >= known).collect::<Vec<_>>();
                return (0..known as u32).chain(newcomer).collect();
            }
        }
        rows.sort_unstable();
        rows
    }

    /// Rows of layer `l + 1`.
    fn compute(
        &mut self,
        model: &Ngcf,
        l: usize,
        side: Side,
        rows: &[u32],
        patch: &Patch,
        changed: &[Changed],
    ) -> Vec<f32> {
        let dim = model.dim();
        let [mut p, mut h, mut out] = [(); 3].map(|()| self.numbers(rows.len() * dim));
        let source = self.scaled[l].side(side.other());
        let product = model.adjacency.to(side, Scaled::Once);
        let graph = model.adjacency.graph();
        let (known, source_rows) = match side {
            Side::Users => (graph.users(), graph.items()),
            Side::Items => (graph.items(), graph.users()),
        };
        let inside = rows.partition_point(|&at| (at as usize) < known);
        let (ours, newcomers) = p.split_at_mut(inside * dim);
        product.apply_rows(&rows[..inside], &source[..source_rows * dim], dim, ours);
        newcomers.fill(0.0);
        for c in changed {
            if let Ok(slot) = rows.binary_search(&c.row) {
                let out = row_mut(&mut p, dim, slot as u32);
                out.fill(0.0);
                for &n in &c.neighbours {
                    out.iter_mut().zip(row(source, dim, n)).for_each(|(o, x)| *o += x);
                }
                out.iter_mut().for_each(|o| *o *= c.root);
            }
        }
        for (h, &at) in h.chunks_exact_mut(dim).zip(rows) {
            h.copy_from_slice(patch.row(model, l, side, at));
        }
        model.forward(l, &h, &p, &mut out);
        self.spare.extend([p, h]);
        out
    }
}
