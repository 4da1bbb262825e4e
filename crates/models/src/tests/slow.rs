//! Both models straight from their formulas: one list of nodes, one list of edges, `f64`, nothing shared with the fast
//! code and nothing clever.
//!
//! The tests of `grease-explain` include this file too, to check what was certified: `super` is all it knows of either crate.

use grease_graph::{Edit, Graph, Profile, UserId};

use super::{Architecture, Kind, Variant, Weights};

/// What dropout multiplies a value with: layer, node, column.
pub(super) type Mask<'a> = &'a dyn Fn(usize, usize, usize) -> f64;

/// A model on a graph. Users are nodes `0..users`, items follow.
#[derive(Debug, Clone)]
pub(super) struct Slow {
    pub(super) architecture: Architecture,
    pub(super) users: usize,
    nodes: usize,
    /// Both ends of every edge.
    edges: Vec<(usize, usize)>,
    /// The input table, one row a node.
    pub(super) table: Vec<f64>,
    /// `w1`, `b1`, `w2`, `b2` of every layer.
    pub(super) layers: Vec<[Vec<f64>; 4]>,
}

/// Output embeddings of all nodes, and which side of its kink every LeakyReLU was on.
pub(super) struct Output {
    pub(super) width: usize,
    pub(super) rows: Vec<f64>,
    pub(super) above: Vec<bool>,
}

impl Slow {
    pub(super) fn new(architecture: Architecture, graph: &Graph, weights: &Weights) -> Self {
        let wide = |data: &[f32]| data.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
        let users = graph.users();
        let layers = weights.0[2..]
            .chunks_exact(4)
            .map(|t| [wide(&t[0].data), wide(&t[1].data), wide(&t[2].data), wide(&t[3].data)])
            .collect();
        Self {
            architecture,
            users,
            nodes: users + graph.items(),
            edges: graph.edges().map(|e| (e.user.row(), users + e.item.row())).collect(),
            table: [wide(weights.users()), wide(weights.items())].concat(),
            layers,
        }
    }

    /// Scores of all items for one user after an edit, by rebuilding everything. A newcomer's row is zero.
    pub(super) fn scores(
        architecture: Architecture,
        graph: &Graph,
        weights: &Weights,
        user: UserId,
        profile: Profile,
        edit: &Edit,
    ) -> Vec<f64> {
        let (dim, users) = (architecture.dim, graph.users());
        let mut slow = Self::new(architecture, graph, weights);
        // A row for a newcomer, whether or not anybody comes.
        slow.users = users + 1;
        slow.nodes += 1;
        let newcomer = users * dim;
        slow.table.splice(newcomer..newcomer, std::iter::repeat_n(0.0, dim));
        if profile == Profile::Neutral {
            slow.table[user.row() * dim..][..dim].fill(0.0);
        }
        let kept = graph.edges().filter(|e| !edit.removed().contains(e));
        slow.edges = kept
            .chain(edit.added().iter().copied())
            .map(|e| (e.user.row(), users + 1 + e.item.row()))
            .collect();
        let Output { width, rows, .. } = slow.output(None);
        let row = |node: usize| &rows[node * width..][..width];
        (slow.users..slow.nodes).map(|item| dot(row(user.row()), row(item))).collect()
    }

    /// `A x`, edge by edge.
    fn propagate(&self, x: &[f64]) -> Vec<f64> {
        let dim = self.architecture.dim;
        let mut degree = vec![0f64; self.nodes];
        for &(user, item) in &self.edges {
            degree[user] += 1.0;
            degree[item] += 1.0;
        }
        let mut out = vec![0f64; x.len()];
        for &(user, item) in &self.edges {
            let weight = 1.0 / (degree[user] * degree[item]).sqrt();
            for k in 0..dim {
                out[user * dim + k] += weight * x[item * dim + k];
                out[item * dim + k] += weight * x[user * dim + k];
            }
        }
        out
    }

    pub(super) fn output(&self, mask: Option<Mask<'_>>) -> Output {
        match self.architecture.kind {
            Kind::LightGcn => self.light(),
            Kind::Ngcf => self.ngcf(mask),
            Kind::Frozen => unreachable!("nothing is computed for frozen embeddings"),
        }
    }

    /// The mean of layers 0..=L.
    fn light(&self) -> Output {
        let mut layer = self.table.clone();
        let mut rows = layer.clone();
        for _ in 0..self.architecture.layers {
            layer = self.propagate(&layer);
            rows.iter_mut().zip(&layer).for_each(|(r, x)| *r += x);
        }
        rows.iter_mut().for_each(|r| *r /= (self.architecture.layers + 1) as f64);
        Output { width: self.architecture.dim, rows, above: Vec::new() }
    }

    /// `h' = LeakyReLU_0.2((A h + h) w1 + b1 + ((A h) * h) w2 + b2)`; embedding `[h0, h1/|h1|, ...]`.
    /// Where layers are normalised, `h1/|h1|` also takes the place of `h1` in the next layer, and so on.
    fn ngcf(&self, mask: Option<Mask<'_>>) -> Output {
        let dim = self.architecture.dim;
        let width = dim * (self.layers.len() + 1);
        let mut rows = vec![0f64; self.nodes * width];
        let mut above = Vec::new();
        let mut h = self.table.clone();
        for node in 0..self.nodes {
            rows[node * width..][..dim].copy_from_slice(&h[node * dim..][..dim]);
        }
        for (l, [w1, b1, w2, b2]) in self.layers.iter().enumerate() {
            let p = self.propagate(&h);
            let mut next = vec![0f64; h.len()];
            for node in 0..self.nodes {
                for to in 0..dim {
                    let mut z = b1[to] + b2[to];
                    for from in 0..dim {
                        let (own, around) = (h[node * dim + from], p[node * dim + from]);
                        z += (around + own) * w1[from * dim + to] + around * own * w2[from * dim + to];
                    }
                    above.push(z > 0.0);
                    let kept = mask.map_or(1.0, |mask| mask(l, node, to));
                    next[node * dim + to] = kept * if z > 0.0 { z } else { 0.2 * z };
                }
            }
            h = next;
            for node in 0..self.nodes {
                let own = &h[node * dim..][..dim];
                let length = dot(own, own).sqrt().max(1e-12);
                let part = &mut rows[node * width + (l + 1) * dim..][..dim];
                part.iter_mut().zip(own).for_each(|(r, x)| *r = x / length);
                if self.architecture.variant == Variant::NormalisedLayers {
                    h[node * dim..][..dim].iter_mut().for_each(|x| *x /= length);
                }
            }
        }
        Output { width, rows, above }
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
