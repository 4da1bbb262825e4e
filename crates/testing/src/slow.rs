//! Both models straight from their formulas: one list of nodes, one list of edges, `f64`, nothing shared with the fast
//! code and nothing clever.
//!
//! It knows no type of `grease-models`: the unit tests there would meet a second version of their own types.

use grease_graph::{Edge, Edit, Graph, Profile, UserId};

/// What dropout multiplies a value with: layer, node, column.
pub type Mask<'a> = &'a dyn Fn(usize, usize, usize) -> f64;

/// Which formulas.
#[derive(Debug, Clone, Copy)]
pub enum Network {
    /// LightGCN, with so many layers.
    LightGcn(usize),
    /// NGCF.
    Ngcf,
    /// NGCF whose layers pass on what was normalised.
    NgcfNormalised,
}

/// A model on a graph. Users are nodes `0..users`, items follow.
#[derive(Debug, Clone)]
pub struct Slow {
    network: Network,
    /// Columns of the input table.
    pub dim: usize,
    /// Users, and so the first item's node.
    pub users: usize,
    items: usize,
    /// Each with its weight.
    edges: Vec<(Edge, f64)>,
    /// The input table, one row a node.
    pub table: Vec<f64>,
    /// `w1`, `b1`, `w2`, `b2` of every layer.
    pub layers: Vec<[Vec<f64>; 4]>,
}

/// Output embeddings of all nodes, and which side of its kink every LeakyReLU was on.
pub struct Output {
    /// Columns.
    pub width: usize,
    /// One row a node.
    pub rows: Vec<f64>,
    /// By layer, node and column.
    pub above: Vec<bool>,
}

impl Slow {
    /// Of the users' table, the items', then [`Self::layers`], all row-major.
    pub fn new<'a>(
        network: Network,
        dim: usize,
        graph: &Graph,
        tensors: impl IntoIterator<Item = &'a [f32]>,
    ) -> Self {
        let mut tensors = tensors.into_iter().map(|data| data.iter().map(|&v| f64::from(v)).collect());
        let table: Vec<Vec<f64>> = tensors.by_ref().take(2).collect();
        let layers: Vec<Vec<f64>> = tensors.collect();
        Self {
            network,
            dim,
            users: graph.users(),
            items: graph.items(),
            edges: graph.edges().map(|edge| (edge, 1.0)).collect(),
            table: table.concat(),
            layers: layers.as_chunks().0.to_vec(),
        }
    }

    /// Scores of all items for one user after an edit, by rebuilding everything. A newcomer's row is zero.
    pub fn scores(self, user: UserId, profile: Profile, edit: &Edit) -> Vec<f64> {
        self.weighed_scores(user, profile, edit, &[])
    }

    /// The same where some interactions, there or not after the edit, have weights.
    pub fn weighed_scores(
        mut self,
        user: UserId,
        profile: Profile,
        edit: &Edit,
        weighed: &[(Edge, f64)],
    ) -> Vec<f64> {
        let dim = self.dim;
        // A row for a newcomer, whether or not anybody comes.
        let newcomer = self.users * dim;
        self.table.splice(newcomer..newcomer, std::iter::repeat_n(0.0, dim));
        self.users += 1;
        if profile == Profile::Neutral {
            self.table[user.row() * dim..][..dim].fill(0.0);
        }
        self.edges.retain(|(edge, _)| !edit.removed().contains(edge));
        self.edges.extend(edit.added().iter().map(|&edge| (edge, 1.0)));
        self.edges.retain(|(edge, _)| weighed.iter().all(|(other, _)| other != edge));
        self.edges.extend(weighed);
        let Output { width, rows, .. } = self.output(None);
        let row = |node: usize| &rows[node * width..][..width];
        (self.users..self.nodes()).map(|item| dot(row(user.row()), row(item))).collect()
    }

    fn nodes(&self) -> usize {
        self.users + self.items
    }

    /// Both ends of every edge, and its weight.
    fn ends(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.edges.iter().map(|(edge, weight)| (edge.user.row(), self.users + edge.item.row(), *weight))
    }

    /// `A x`, edge by edge.
    fn propagate(&self, x: &[f64]) -> Vec<f64> {
        let dim = self.dim;
        let mut degree = vec![0f64; self.nodes()];
        for (user, item, weight) in self.ends() {
            degree[user] += weight;
            degree[item] += weight;
        }
        let mut out = vec![0f64; x.len()];
        for (user, item, weight) in self.ends().filter(|end| end.2 != 0.0) {
            let weight = weight / (degree[user] * degree[item]).sqrt();
            for k in 0..dim {
                out[user * dim + k] += weight * x[item * dim + k];
                out[item * dim + k] += weight * x[user * dim + k];
            }
        }
        out
    }

    /// The embeddings that scores are products of; `mask` is for NGCF.
    pub fn output(&self, mask: Option<Mask<'_>>) -> Output {
        match self.network {
            Network::LightGcn(layers) => self.light(layers),
            Network::Ngcf => self.ngcf(false, mask),
            Network::NgcfNormalised => self.ngcf(true, mask),
        }
    }

    /// The mean of layers 0..=L.
    fn light(&self, layers: usize) -> Output {
        let mut layer = self.table.clone();
        let mut rows = layer.clone();
        for _ in 0..layers {
            layer = self.propagate(&layer);
            rows.iter_mut().zip(&layer).for_each(|(r, x)| *r += x);
        }
        rows.iter_mut().for_each(|r| *r /= (layers + 1) as f64);
        Output { width: self.dim, rows, above: Vec::new() }
    }

    /// `h' = LeakyReLU_0.2((A h + h) w1 + b1 + ((A h) * h) w2 + b2)`; embedding `[h0, h1/|h1|, ...]`.
    /// Where layers are normalised, `h1/|h1|` also takes the place of `h1` in the next layer, and so on.
    fn ngcf(&self, normalised: bool, mask: Option<Mask<'_>>) -> Output {
        let dim = self.dim;
        let width = dim * (self.layers.len() + 1);
        let mut rows = vec![0f64; self.nodes() * width];
        let mut above = Vec::new();
        let mut h = self.table.clone();
        for node in 0..self.nodes() {
            rows[node * width..][..dim].copy_from_slice(&h[node * dim..][..dim]);
        }
        for (l, [w1, b1, w2, b2]) in self.layers.iter().enumerate() {
            let p = self.propagate(&h);
            let mut next = vec![0f64; h.len()];
            for node in 0..self.nodes() {
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
            for node in 0..self.nodes() {
                let own = &h[node * dim..][..dim];
                let length = dot(own, own).sqrt().max(1e-12);
                let part = &mut rows[node * width + (l + 1) * dim..][..dim];
                part.iter_mut().zip(own).for_each(|(r, x)| *r = x / length);
                if normalised {
                    h[node * dim..][..dim].iter_mut().for_each(|x| *x /= length);
                }
            }
        }
        Output { width, rows, above }
    }
}

/// The product of two rows.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
