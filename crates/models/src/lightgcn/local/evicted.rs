//! The graph without any of one person's interactions: where few are kept, adding those loses fewer digits than taking all the others
//! away, and is less work.
//!
//! Everything here is the edit that takes all of them away, worked out once. The person is then alone, and whatever they keep is added.

use super::edit::{root, root_change};
use crate::halves::row;
use crate::lightgcn::LightGcn;
use crate::lightgcn::local::tables::Tables;
use crate::lightgcn::local::walks::Walks;

/// Rows without the person.
pub(super) struct Evicted {
    /// Rows of layers 1 to L - 1 of the touchable items, by place.
    layers: Vec<Vec<f32>>,
    /// `[own, dim]`: what an item beside an own one gains for each unit of `kappa`, times L + 1.
    pub(super) gains: Vec<f32>,
    /// `[own, dim]`: sources of own items in layer 1.
    first: Vec<f32>,
    /// The person's source in layer 2.
    second: Vec<f32>,
}

/// The person whose interactions are taken away.
pub(super) struct Leaving<'a> {
    pub(super) model: &'a LightGcn,
    pub(super) tables: &'a Tables,
    pub(super) walks: &'a Walks<'a>,
    pub(super) own: &'a [u32],
    /// The input row.
    pub(super) row: &'a [f32],
    /// `sqrt(d) X^k` of layers 1 to L.
    pub(super) layers: &'a [f64],
}

impl Leaving<'_> {
    fn dim(&self) -> usize {
        self.model.dim()
    }

    fn degree(&self, item: u32) -> f32 {
        self.model.adjacency.graph().by_item().degree(item as usize) as f32
    }

    /// The person's input row as its neighbours see it: `s_u e_u`.
    fn told(&self) -> Vec<f32> {
        let root = root(self.own.len() as f32);
        self.row.iter().map(|e| root * e).collect()
    }

    /// Works it out for all own items.
    pub(super) fn evict(&self) -> Evicted {
        let (dim, depth) = (self.dim(), self.model.layers);
        let (told, many) = (self.told(), self.own.len());
        let mut gains = vec![0f32; many * dim];
        let mut first = vec![0f32; many * dim];
        for (at, &item) in self.own.iter().enumerate() {
            let (gain, first) = (&mut gains[at * dim..][..dim], &mut first[at * dim..][..dim]);
            let degree = self.degree(item);
            let input = row(self.model.weights.items(), dim, item);
            let change = root_change(degree, degree - 1.0);
            gain.iter_mut().zip(input).for_each(|(g, e)| *g = change * e);
            if depth >= 3 {
                let x = self.tables.row(1, dim, item);
                for (((first, gain), x), told) in first.iter_mut().zip(gain).zip(x).zip(&told) {
                    let til = (degree.sqrt() * x - told) / degree;
                    *first = if degree > 1.0 { til / (degree - 1.0) } else { -til };
                    *gain += *first - told / degree;
                }
            }
        }
        let mut evicted = Evicted { layers: Vec::new(), gains, first, second: vec![0.0; dim] };
        evicted.layers.resize_with(depth.saturating_sub(1), Vec::new);
        if depth >= 3 && many > 0 {
            for (k, told) in told.iter().enumerate() {
                let sources: f32 = (0..many).map(|at| evicted.first[at * dim + k]).sum();
                let til = self.layers[dim + k] + f64::from(sources - self.walks.beta * told);
                evicted.second[k] = -(til / many as f64) as f32;
            }
        }
        for (at, &item) in self.own.iter().enumerate() {
            self.extend(&mut evicted, item, Some(at));
        }
        evicted
    }

    /// Adds the rows of one more touchable item; `own` is its place among the own ones.
    pub(super) fn extend(&self, evicted: &mut Evicted, item: u32, own: Option<usize>) {
        let (dim, told) = (self.dim(), self.told());
        let degree = self.degree(item);
        let now = degree - if own.is_some() { 1.0 } else { 0.0 };
        for layer in 1..self.model.layers {
            let x = self.tables.row(layer, dim, item);
            let mut sum: Vec<f32> = x.iter().map(|x| degree.sqrt() * x).collect();
            if own.is_some() {
                // What the person told it in the layer before, which is told no more.
                let many = self.own.len() as f64;
                for (k, sum) in sum.iter_mut().enumerate() {
                    *sum -=
                        if layer == 1 { told[k] } else { (self.layers[(layer - 2) * dim + k] / many) as f32 };
                }
            }
            if layer == 2 {
                for (kappa, place) in self.kappa(item).into_iter().zip(0..) {
                    let other = self.own[place];
                    let before = self.degree(other);
                    let factor = kappa * root_change(before, before - 1.0);
                    let input = row(self.model.weights.items(), dim, other);
                    sum.iter_mut().zip(input).for_each(|(s, e)| *s += factor * e);
                }
            }
            let root = root(now);
            evicted.layers[layer - 1].extend(sum.iter().map(|s| root * s));
        }
    }

    /// `kappa` with each own item, the person left out.
    fn kappa(&self, item: u32) -> Vec<f32> {
        let mut kappa = vec![0f32; self.own.len()];
        self.walks.kappa_with_own(item, &mut kappa);
        kappa
    }

    /// An item's output row without the person; `kappa` is its row with the own items.
    pub(super) fn output(&self, evicted: &Evicted, item: u32, kappa: &[f32], out: &mut [f32]) {
        let (dim, depth) = (self.dim(), self.model.layers);
        let share = 1.0 / (depth + 1) as f32;
        match self.own.binary_search(&item) {
            Err(_) => {
                out.copy_from_slice(row(self.model.output().items, dim, item));
                if depth >= 2 {
                    let scale = root(self.degree(item)) * share;
                    for (gain, &kappa) in evicted.gains.chunks_exact(dim).zip(kappa) {
                        if kappa != 0.0 {
                            out.iter_mut().zip(gain).for_each(|(o, g)| *o += scale * kappa * g);
                        }
                    }
                }
            }
            Ok(at) => {
                out.copy_from_slice(row(self.model.weights.items(), dim, item));
                for layer in 1..depth {
                    out.iter_mut().zip(evicted.row(layer, dim, at)).for_each(|(o, x)| *o += x);
                }
                self.add_last(evicted, item, kappa, out);
                out.iter_mut().for_each(|o| *o *= share);
            }
        }
    }

    /// Adds an own item's row of layer L without the person.
    fn add_last(&self, evicted: &Evicted, item: u32, kappa: &[f32], out: &mut [f32]) {
        let (dim, depth, told) = (self.dim(), self.model.layers, self.told());
        let (degree, many) = (self.degree(item), self.own.len() as f64);
        let now = root(degree - 1.0);
        let before = last_row(self.model, self.tables, item);
        let nu = self.walks.nu(item);
        let pair = kappa.iter().zip(evicted.first.chunks_exact(dim));
        let mut around = vec![0f32; dim];
        match depth {
            2 => {
                for ((&kappa, place), _) in kappa.iter().zip(0..).zip(self.own) {
                    let other = self.own[place];
                    let was = self.degree(other);
                    let factor = kappa * root_change(was, was - 1.0);
                    let input = row(self.model.weights.items(), dim, other);
                    around.iter_mut().zip(input).for_each(|(s, e)| *s += factor * e);
                }
            }
            3 => {
                // Through the person each own item is beside each other.
                let through = (1.0 / many) as f32;
                for (kappa, first) in pair {
                    around.iter_mut().zip(first).for_each(|(s, f)| *s += (kappa + through) * f);
                }
                around.iter_mut().zip(&told).for_each(|(s, t)| *s -= nu * t);
                around.iter_mut().zip(&evicted.second).for_each(|(s, x)| *s += x);
            }
            _ => {}
        }
        for (k, out) in out.iter_mut().enumerate() {
            let told = match depth {
                1 => told[k],
                2 => (self.layers[k] / many) as f32,
                // The sources above say it already.
                _ => 0.0,
            };
            *out += now * (degree.sqrt() * before[k] + around[k] - told);
        }
    }
}

impl Evicted {
    /// A touchable item's row of layer 1 to L - 1.
    pub(super) fn row(&self, layer: usize, dim: usize, place: usize) -> &[f32] {
        &self.layers[layer - 1][place * dim..][..dim]
    }
}

/// An item's row of layer L: what the others leave of the output.
pub(super) fn last_row(model: &LightGcn, tables: &Tables, item: u32) -> Vec<f32> {
    let (dim, depth) = (model.dim(), model.layers);
    let mut last: Vec<f32> = row(model.output().items, dim, item).to_vec();
    last.iter_mut().for_each(|x| *x *= (depth + 1) as f32);
    last.iter_mut().zip(row(model.weights.items(), dim, item)).for_each(|(x, e)| *x -= e);
    for layer in 1..depth {
        last.iter_mut().zip(tables.row(layer, dim, item)).for_each(|(x, y)| *x -= y);
    }
    last
}
