//! The live rows of one layer and side: how they are made of those of the layer before, and the way back.

use grease_kernels::{Csr, Spmm, vectorise};

use crate::adjacency::scale_rows;
use crate::halves::{Side, row, row_mut};
use crate::weighed::layered::{Layered, Made};
use crate::weighed::live::Live;
use crate::weighed::touched::Scene;

/// Live rows, and what is known of them after a pass.
#[derive(Default)]
pub(super) struct Level {
    pub(super) rows: Vec<u32>,
    /// Which of them are touched, with their places among the touched.
    touched: Vec<(usize, usize)>,
    /// `1 / sqrt(degree)` of each.
    roots: Vec<f32>,
    pub(super) h: Vec<f32>,
    /// What they send: `root h`.
    sent: Vec<f32>,
    /// Gradients by `h` and by `sent`.
    pub(super) by_h: Vec<f32>,
    by_sent: Vec<f32>,
}

/// How a level is made of the one before.
pub(super) struct Making {
    l: usize,
    /// Which live rows of the other side it hears: `[live rows, live rows of the other side before]`.
    near: Csr,
    weights: Vec<f32>,
    /// The same by sender.
    back: Csr,
    back_weights: Vec<f32>,
    /// Entries that are weighted interactions.
    weighed: Vec<Entry>,
    /// The sum of what all other neighbours send.
    frozen: Vec<f32>,
    /// The sum of what neighbours send, and the same times `root`.
    sum: Vec<f32>,
    p: Vec<f32>,
    /// The same rows of the layer before, where they count, and which of them are live, with their places there.
    own: Vec<f32>,
    own_live: Vec<(usize, usize)>,
    lengths: Vec<f32>,
    by_p: Vec<f32>,
}

/// An entry of a pattern that is a weighted interaction.
struct Entry {
    /// Its number, and that in the transposed pattern.
    at: usize,
    back: usize,
    /// Places of who hears and who sends.
    to: usize,
    from: usize,
    /// The interaction.
    edge: usize,
}

/// Gradients on their way to the weights.
pub(super) struct Gathered {
    /// By `1 / sqrt(degree)` of touched nodes, users and items.
    pub(super) by_root: [Vec<f32>; 2],
    /// By each weight, where it is a factor of what is sent.
    pub(super) by_weight: Vec<f32>,
}

impl Level {
    /// Without rows' values.
    pub(super) fn new(network: &dyn Layered, scene: &Scene<'_>, live: &Live, l: usize, side: Side) -> Self {
        let rows = live.rows(l, side).to_vec();
        let known = network.adjacency().roots().side(side);
        let zeros = vec![0f32; rows.len() * network.dim()];
        let touched = rows.iter().enumerate().filter_map(|(at, &row)| Some((at, scene.find(side, row)?)));
        Self {
            touched: touched.collect(),
            // A newcomer, whom the table does not know, is touched.
            roots: rows.iter().map(|&row| known.get(row as usize).copied().unwrap_or(0.0)).collect(),
            h: zeros.clone(),
            sent: zeros.clone(),
            by_h: zeros.clone(),
            by_sent: zeros,
            rows,
        }
    }

    /// Where a row is.
    pub(super) fn find(&self, row: u32) -> Option<usize> {
        self.rows.binary_search(&row).ok()
    }

    /// Takes over what touched nodes' degrees have become.
    pub(super) fn set_roots(&mut self, of_touched: &[f32]) {
        self.touched.iter().for_each(|&(at, touched)| self.roots[at] = of_touched[touched]);
    }

    /// Works out what is sent.
    pub(super) fn send(&mut self, dim: usize) {
        scale_rows(&self.h, &self.roots, dim, &mut self.sent);
    }

    /// From the gradient by what is sent to that by `h`, which it joins.
    pub(super) fn send_back(&mut self, dim: usize, by_root: &mut [f32]) {
        for &(at, touched) in &self.touched {
            let (by_sent, h) = (row(&self.by_sent, dim, at as u32), row(&self.h, dim, at as u32));
            by_root[touched] += grease_kernels::dense::dot(by_sent, h);
        }
        let rows = self.by_h.chunks_exact_mut(dim).zip(self.by_sent.chunks_exact(dim)).zip(&self.roots);
        vectorise(|| {
            for ((by_h, by_sent), root) in rows {
                by_h.iter_mut().zip(by_sent).for_each(|(by_h, by_sent)| *by_h += root * by_sent);
            }
        });
    }
}

impl Making {
    /// Of level `l` of one side, `level`, from the levels before.
    pub(super) fn new(
        network: &dyn Layered,
        scene: &Scene<'_>,
        (l, side): (usize, Side),
        level: &Level,
        before: &[Level; 2],
    ) -> Self {
        let (dim, many) = (network.dim(), level.rows.len());
        let Heard { near, weights, weighed, frozen } = heard(network, scene, (l, side), level, before);
        let (back, order) = near.transpose();
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &entry)| place[entry as usize] = at);
        let weighed = weighed
            .into_iter()
            .map(|(at, to, edge)| Entry { at, back: place[at], to, from: near.indices()[at] as usize, edge })
            .collect();
        let mut own = Vec::new();
        let mut own_live = Vec::new();
        if network.keeps_itself() {
            own.resize(many * dim, 0.0);
            for (at, &row_) in level.rows.iter().enumerate() {
                match before[side as usize].find(row_) {
                    Some(place) => own_live.push((at, place)),
                    None => row_mut(&mut own, dim, at as u32).copy_from_slice(row(
                        network.rows(l - 1, side),
                        dim,
                        row_,
                    )),
                }
            }
        }
        let zeros = || vec![0f32; many * dim];
        Self {
            l,
            back_weights: order.iter().map(|&entry| weights[entry as usize]).collect(),
            near,
            weights,
            back,
            weighed,
            frozen,
            sum: zeros(),
            p: zeros(),
            own,
            own_live,
            lengths: Vec::new(),
            by_p: zeros(),
        }
    }

    /// Takes over the weights of interactions.
    pub(super) fn set_weights(&mut self, weights: &[f32]) {
        for entry in &self.weighed {
            self.weights[entry.at] = weights[entry.edge];
            self.back_weights[entry.back] = weights[entry.edge];
        }
    }

    /// Makes the level's rows.
    pub(super) fn forward(
        &mut self,
        network: &dyn Layered,
        side: Side,
        level: &mut Level,
        before: &[Level; 2],
    ) {
        let dim = network.dim();
        let product = Spmm::new(&self.near).weights(&self.weights).plus(&self.frozen);
        product.apply(&before[side.other() as usize].sent, dim, &mut self.sum);
        scale_rows(&self.sum, &level.roots, dim, &mut self.p);
        for &(at, place) in &self.own_live {
            let h = row(&before[side as usize].h, dim, place as u32);
            row_mut(&mut self.own, dim, at as u32).copy_from_slice(h);
        }
        network.forward(self.l, &self.own, &self.p, &mut level.h, &mut self.lengths);
    }

    /// From the gradient by the level's rows, which is used up, to those by the rows before, which it joins, or sets where they are
    /// what is sent.
    pub(super) fn backward(
        &mut self,
        network: &dyn Layered,
        side: Side,
        level: &mut Level,
        before: &mut [Level; 2],
        gathered: &mut Gathered,
    ) {
        let dim = network.dim();
        let made = Made { h: &self.own, p: &self.p, out: &level.h, lengths: &self.lengths };
        network.backward(self.l, made, &mut level.by_h, &mut self.by_p);
        for &(at, place) in &self.own_live {
            let by_own = row(&level.by_h, dim, at as u32);
            row_mut(&mut before[side as usize].by_h, dim, place as u32)
                .iter_mut()
                .zip(by_own)
                .for_each(|(sum, by)| *sum += by);
        }
        let by_root = &mut gathered.by_root[side as usize];
        for &(at, touched) in &level.touched {
            let (by_p, sum) = (row(&self.by_p, dim, at as u32), row(&self.sum, dim, at as u32));
            by_root[touched] += grease_kernels::dense::dot(by_p, sum);
        }
        // What is left is the gradient by the sum: no longer needed is the product.
        scale_rows(&self.by_p, &level.roots, dim, &mut self.p);
        let from = &mut before[side.other() as usize];
        for entry in &self.weighed {
            let (by_sum, sent) =
                (row(&self.p, dim, entry.to as u32), row(&from.sent, dim, entry.from as u32));
            gathered.by_weight[entry.edge] += grease_kernels::dense::dot(by_sum, sent);
        }
        Spmm::new(&self.back).weights(&self.back_weights).apply(&self.p, dim, &mut from.by_sent);
    }
}

/// Whom a level's rows hear.
struct Heard {
    near: Csr,
    weights: Vec<f32>,
    /// Entry, who hears, and the interaction, where it has a weight.
    weighed: Vec<(usize, usize, usize)>,
    frozen: Vec<f32>,
}

fn heard(
    network: &dyn Layered,
    scene: &Scene<'_>,
    (l, side): (usize, Side),
    level: &Level,
    before: &[Level; 2],
) -> Heard {
    let (far, dim) = (side.other(), network.dim());
    let senders = &before[far as usize];
    let mut places = vec![None; scene.nodes(far)];
    senders.rows.iter().enumerate().for_each(|(at, &row)| places[row as usize] = Some(at as u32));
    let roots = network.adjacency().roots().side(far);
    let (mut near, mut weights, mut weighed) = (Entries::default(), Vec::new(), Vec::new());
    let (mut still, mut still_weights) = (Entries::default(), Vec::new());
    for (to, &row) in level.rows.iter().enumerate() {
        let touched = scene.find(side, row).map(|at| &scene.touched(side)[at]);
        let (first, second) = match touched {
            Some(touched) => (&touched.fixed[..], &touched.weighed[..]),
            None => (scene.untouched(side, row), &[][..]),
        };
        for &n in first {
            match places[n as usize] {
                Some(at) => {
                    near.indices.push(at);
                    weights.push(1.0);
                }
                None => {
                    still.indices.push(n);
                    still_weights.push(roots[n as usize]);
                }
            }
        }
        for &(n, edge) in second {
            // Both ends of a weighted interaction are touched, and who is touched and heard is live.
            if let Some(at) = places[n as usize] {
                weighed.push((near.indices.len(), to, edge));
                near.indices.push(at);
                weights.push(0.0);
            }
        }
        near.end_row();
        still.end_row();
    }
    let mut frozen = vec![0f32; level.rows.len() * dim];
    let table = network.rows(l - 1, far);
    let still = still.pattern(table.len() / dim);
    Spmm::new(&still).weights(&still_weights).apply(table, dim, &mut frozen);
    Heard { near: near.pattern(senders.rows.len()), weights, weighed, frozen }
}

/// A pattern in the making.
struct Entries {
    offsets: Vec<usize>,
    indices: Vec<u32>,
}

impl Default for Entries {
    fn default() -> Self {
        Self { offsets: vec![0], indices: Vec::new() }
    }
}

impl Entries {
    fn end_row(&mut self) {
        self.offsets.push(self.indices.len());
    }

    fn pattern(self, cols: usize) -> Csr {
        Csr::new(cols, self.offsets, self.indices).expect("entries are places there are")
    }
}
