//! All scores of one user on edited graphs, exactly, by scalars.
//!
//! The normalised adjacency `A` of an edited graph is symmetric and linear, so a user's scores need no propagation
//! of embeddings:
//!
//! 1. propagate the indicator of the user for L layers and sum: coefficients `c`, so that `h_u = c E / (L+1)`;
//! 2. one dense product: `f = E h_u`;
//! 3. items' scores are the items' half of `(f + A f + ... + A^L f) / (L+1)`, by Horner's rule in L one-way passes.
//!
//! Many edits go side by side: a *field* has one row a node and one column (lane) an edit. The passes run over the graph
//! as it is, for all lanes at once; the few entries an edit changes are then computed anew from its own neighbour
//! lists, so nothing is approximated and nothing cancels.

use grease_graph::{Edit, Embeddings, Graph, Profile, UserId};
use grease_kernels::dense::{matmul_transposed, matvec, matvecs, transposed_matmul};
use rayon::prelude::*;

use crate::adjacency::{Scaled, scale_rows};
use crate::edited::{Changed, changed_rows};
use crate::halves::{Halves, Side, row, row_mut};
use crate::lightgcn::LightGcn;

/// Edits propagated side by side: wide enough to share the reading of the graph, narrow enough for the caches.
const MOST_LANES: usize = 32;

/// Lanes are filled up to a multiple of this: a vector register.
const LANE_STEP: usize = 8;

/// Items scored by one thread at a time.
const ROWS_A_PART: usize = 1024;

impl LightGcn {
    /// Scores of all items, once for each (checked) edit, by the whole graph.
    pub(super) fn rescore_whole(&self, user: UserId, profile: Profile, edits: &[Edit], out: &mut [f32]) {
        // From inside the pool: a thread outside it would go to sleep and be woken for each pass.
        rayon::scope(|_| self.rescore(user, profile, edits, out));
    }

    fn rescore(&self, user: UserId, profile: Profile, edits: &[Edit], out: &mut [f32]) {
        let graph = self.adjacency.graph();
        if graph.items() == 0 {
            return;
        }
        let is_known = profile == Profile::Kept && user != graph.newcomer();
        let (mut edited, mut rows) = (Vec::new(), Vec::new());
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(graph.items())) {
            // As things are, whoever else is asked about beside it: so the same question always has the same answer.
            if is_known && edit.is_empty() {
                self.work.product();
                self.score_as_it_is(user, out);
            } else {
                edited.push(edit);
                rows.push(out);
            }
        }
        self.work.whole(edited.len() as u64);
        for (edits, rows) in edited.chunks(MOST_LANES).zip(rows.chunks_mut(MOST_LANES)) {
            Lanes::new(self, user, profile, edits).scores(rows);
        }
    }

    /// Without an edit the outputs are known: one product, a tenth of the work.
    fn score_as_it_is(&self, user: UserId, out: &mut [f32]) {
        let Embeddings { users, items, width } = self.output();
        let own = row(users, width, user.0);
        let parts = items.par_chunks(ROWS_A_PART * width).zip(out.par_chunks_mut(ROWS_A_PART));
        parts.for_each(|(items, out)| matvec(items, own, out));
    }

    /// The same of several people on this thread: a row of the table is read once for some of them, and every score is the same to the bit.
    pub(super) fn score_each_as_it_is(&self, several: &[UserId], out: &mut [f32]) {
        let Embeddings { users, items, width } = self.output();
        let own: Vec<f32> = several.iter().flat_map(|user| row(users, width, user.0)).copied().collect();
        matvecs(items, &own, width, out);
        several.iter().for_each(|_| self.work.product());
    }
}

/// Up to [`MOST_LANES`] edits of one user.
struct Lanes<'a> {
    model: &'a LightGcn,
    user: u32,
    /// Whether the user's own row counts as zero.
    neutral: bool,
    /// Number of edits.
    edits: usize,
    /// Columns of a field.
    width: usize,
    /// Rows of a field's users' half: one more than users, for a newcomer.
    users: usize,
    /// What is different, by lane.
    changed_users: Vec<(usize, Changed)>,
    changed_items: Vec<(usize, Changed)>,
}

impl<'a> Lanes<'a> {
    fn new(model: &'a LightGcn, user: UserId, profile: Profile, edits: &[&Edit]) -> Self {
        let graph = model.adjacency.graph();
        let changed = |side| {
            let lanes = edits.iter().enumerate();
            lanes
                .flat_map(|(lane, edit)| changed_rows(graph, edit, side).into_iter().map(move |c| (lane, c)))
                .collect()
        };
        Self {
            model,
            user: user.0,
            neutral: profile == Profile::Neutral || user == graph.newcomer(),
            edits: edits.len(),
            width: if edits.len() == 1 { 1 } else { edits.len().next_multiple_of(LANE_STEP) },
            users: graph.users() + 1,
            changed_users: changed(Side::Users),
            changed_items: changed(Side::Items),
        }
    }

    fn graph(&self) -> &'a Graph {
        self.model.adjacency.graph()
    }

    fn changed(&self, side: Side) -> &[(usize, Changed)] {
        match side {
            Side::Users => &self.changed_users,
            Side::Items => &self.changed_items,
        }
    }

    fn rows(&self, side: Side) -> usize {
        match side {
            Side::Users => self.users,
            Side::Items => self.graph().items(),
        }
    }

    fn zeros(&self, side: Side) -> Vec<f32> {
        vec![0.0; self.rows(side) * self.width]
    }

    /// The part of a field the unedited graph knows: all but a newcomer's row.
    fn known(&self, side: Side) -> std::ops::Range<usize> {
        match side {
            Side::Users => 0..(self.users - 1) * self.width,
            Side::Items => 0..self.graph().items() * self.width,
        }
    }

    fn scores(&self, out: &mut [&mut [f32]]) {
        let mut coefficients = self.coefficients();
        if self.neutral {
            row_mut(&mut coefficients.users, self.width, self.user).fill(0.0);
        }
        let profile = self.user_embeddings(&coefficients);
        let scores = self.item_scores(&profile);
        for (lane, out) in out.iter_mut().enumerate() {
            out.iter_mut().zip(scores.chunks_exact(self.width)).for_each(|(o, lanes)| *o = lanes[lane]);
        }
    }

    /// `c`: how much of each input row is in the user's embedding, times L + 1.
    fn coefficients(&self) -> Halves {
        let mut sum = Halves { users: self.zeros(Side::Users), items: self.zeros(Side::Items) };
        row_mut(&mut sum.users, self.width, self.user).fill(1.0);
        let layers = self.model.layers;
        if layers == 0 {
            return sum;
        }
        // Layer 1 is the user's own items.
        let (mut current, touched) = self.own_items();
        let mut side = Side::Items;
        add(&current, &mut sum.items);
        for layer in 2..=layers {
            self.scale(side, &mut current);
            side = side.other();
            // Layer 2 is reached from few items: spread from those instead of asking every user.
            current = if layer == 2 {
                self.spread(&touched, &current)
            } else {
                self.pass(side, Scaled::Once, None, &current)
            };
            add(&current, sum.side_mut(side));
        }
        sum
    }

    /// The first layer of coefficients, and the items where it is not zero.
    fn own_items(&self) -> (Vec<f32>, Vec<u32>) {
        let roots = self.model.adjacency.roots();
        let mut field = self.zeros(Side::Items);
        let mut touched: Vec<u32> = Vec::new();
        let before = self.graph().items_of(UserId(self.user));
        let of_user: Vec<&(usize, Changed)> =
            self.changed_users.iter().filter(|(_, c)| c.row == self.user).collect();
        for lane in 0..self.edits {
            let changed = of_user.iter().find(|(at, _)| *at == lane).map(|(_, c)| c);
            let root = changed
                .map_or_else(|| roots.users.get(self.user as usize).copied().unwrap_or(0.0), |c| c.root);
            let own = changed.map_or(before, |c| &c.neighbours);
            for &item in own {
                field[item as usize * self.width + lane] = root * roots.items[item as usize];
            }
            for (_, c) in self.changed_items.iter().filter(|(at, _)| *at == lane) {
                let value = &mut field[c.row as usize * self.width + lane];
                *value = if own.contains(&c.row) { root * c.root } else { 0.0 };
            }
            touched.extend(own);
        }
        touched.sort_unstable();
        touched.dedup();
        (field, touched)
    }

    /// `S W x` for an `x` on items that is zero but at `touched`.
    fn spread(&self, touched: &[u32], x: &[f32]) -> Vec<f32> {
        let width = self.width;
        let mut sum = self.zeros(Side::Users);
        for &item in touched {
            let from = row(x, width, item);
            for &user in self.graph().by_item().row(item as usize) {
                row_mut(&mut sum, width, user).iter_mut().zip(from).for_each(|(s, x)| *s += x);
            }
        }
        let mut out = self.zeros(Side::Users);
        let known = self.known(Side::Users);
        let roots = &self.model.adjacency.roots().users;
        scale_rows(&sum[known.clone()], roots, width, &mut out[known]);
        self.mend(Side::Users, Scaled::Once, None, x, &mut out);
        out
    }

    /// `add + S^(1 or 2) W x`, giving rows of `to` from rows of the other side.
    fn pass(&self, to: Side, scaled: Scaled, add: Option<&[f32]>, x: &[f32]) -> Vec<f32> {
        let mut out = self.zeros(to);
        let mut product = self.model.adjacency.to(to, scaled);
        if let Some(add) = add {
            product = product.plus(&add[self.known(to)]);
        }
        product.apply(&x[self.known(to.other())], self.width, &mut out[self.known(to)]);
        self.mend(to, scaled, add, x, &mut out);
        out
    }

    /// Computes the entries of a pass whose neighbours an edit changes.
    fn mend(&self, to: Side, scaled: Scaled, add: Option<&[f32]>, x: &[f32], out: &mut [f32]) {
        for (lane, c) in self.changed(to) {
            let sum: f32 = c.neighbours.iter().map(|&n| x[n as usize * self.width + lane]).sum();
            let factor = if scaled == Scaled::Once { c.root } else { c.root * c.root };
            let at = c.row as usize * self.width + lane;
            out[at] = add.map_or(0.0, |add| add[at]) + factor * sum;
        }
    }

    /// Multiplies a field by `S` of the edited graphs.
    fn scale(&self, side: Side, field: &mut [f32]) {
        let (width, roots) = (self.width, self.model.adjacency.roots().side(side));
        let changed = self.changed(side);
        let at = |(lane, c): &(usize, Changed)| c.row as usize * width + lane;
        let mended: Vec<f32> = changed.iter().map(|c| c.1.root * field[at(c)]).collect();
        for (values, &root) in field.chunks_exact_mut(width).zip(roots) {
            values.iter_mut().for_each(|v| *v *= root);
        }
        changed.iter().zip(mended).for_each(|(c, value)| field[at(c)] = value);
    }

    /// The user's embedding in each lane, divided by L + 1 once more for the scores.
    fn user_embeddings(&self, coefficients: &Halves) -> Vec<f32> {
        let dim = self.model.dim();
        let mut sum = vec![0f32; self.width * dim];
        let mut part = sum.clone();
        for side in Side::BOTH {
            let table = self.model.weights.table(side);
            if table.is_empty() {
                continue;
            }
            transposed_matmul(&coefficients.side(side)[self.known(side)], table, self.width, dim, &mut part);
            sum.iter_mut().zip(&part).for_each(|(s, p)| *s += p);
        }
        let share = 1.0 / ((self.model.layers + 1) * (self.model.layers + 1)) as f32;
        sum.iter_mut().for_each(|v| *v *= share);
        sum
    }

    /// From the user's embeddings to all items' scores.
    fn item_scores(&self, profile: &[f32]) -> Vec<f32> {
        let dim = self.model.dim();
        let product = |side: Side| {
            let mut f = self.zeros(side);
            let known = self.known(side);
            matmul_transposed(self.model.weights.table(side), profile, dim, self.width, &mut f[known], false);
            f
        };
        let plain = product(Side::Items);
        let layers = self.model.layers;
        if layers == 0 {
            return plain;
        }
        let mut users = product(Side::Users);
        if self.neutral {
            row_mut(&mut users, self.width, self.user).fill(0.0);
        }
        self.scale(Side::Users, &mut users);
        let items = if layers > 1 {
            let mut items = plain.clone();
            self.scale(Side::Items, &mut items);
            items
        } else {
            Vec::new()
        };
        let base = |layer: usize| if layer.is_multiple_of(2) { &items } else { &users };
        let mut current: Option<Vec<f32>> = None;
        for layer in (1..layers).rev() {
            let side = if layer.is_multiple_of(2) { Side::Items } else { Side::Users };
            let source = current.as_ref().unwrap_or_else(|| base(layers));
            current = Some(self.pass(side, Scaled::Twice, Some(base(layer)), source));
        }
        self.pass(Side::Items, Scaled::Once, Some(&plain), current.as_ref().unwrap_or_else(|| base(layers)))
    }
}

fn add(values: &[f32], sum: &mut [f32]) {
    sum.iter_mut().zip(values).for_each(|(s, v)| *s += v);
}
