//! Forward and backward of LightGCN on one batch, by Horner's rule.
//!
//! ```text
//! forward   (L+1) h  = E + A (E + A (E + A E))       the outermost A only at the batch's rows
//! backward  (L+1) dE = G + A (G + A (G + A G))       the innermost A from the batch's rows only (A is symmetric)
//! ```
//!
//! Both inner chains stay in the scaled space of [`Adjacency`], so the kernel reads no edge weights.

use std::mem::swap;
use std::sync::Arc;

use grease_graph::Graph;

use crate::adjacency::{Adjacency, Scaled};
use crate::halves::{Halves, Side, on_both};
use crate::train::batch::Batch;
use crate::train::network::Network;
use crate::train::objective::{Objective, batch_gradients, penalise};
use crate::weights::Weights;

/// LightGCN being trained.
pub(crate) struct LightGcnNetwork {
    adjacency: Adjacency,
    layers: usize,
    dim: usize,
    /// Three matrices of the tables' shape: what a chain starts from, reads and writes.
    base: Halves,
    current: Halves,
    next: Halves,
    /// Embeddings, times L + 1, and gradients by them, at the batch's rows.
    output: Halves,
    slope: Halves,
}

impl LightGcnNetwork {
    pub(crate) fn new(graph: Arc<Graph>, layers: usize, dim: usize) -> Self {
        let zeros = || Halves::zeros(graph.users(), graph.items(), dim);
        Self {
            layers,
            dim,
            base: zeros(),
            current: zeros(),
            next: zeros(),
            output: Halves::default(),
            slope: Halves::default(),
            adjacency: Adjacency::new(graph),
        }
    }

    /// Output embeddings of the batch's rows, times L + 1, into `self.output`, one row a slot.
    fn forward(&mut self, weights: &Weights, batch: &Batch) {
        let Self { adjacency, layers, dim, base, current, next, output, .. } = self;
        let (layers, dim) = (*layers, *dim);
        adjacency.scale(weights.users(), weights.items(), dim, base);
        let mut source: &Halves = base;
        for _ in 1..layers {
            adjacency.apply(Scaled::Twice, Some(base), source, dim, next);
            swap(current, next);
            source = current;
        }
        on_both(&mut output.users, &mut output.items, |side, out| {
            let (table, rows) = (weights.table(side), batch.rows(side));
            out.resize(rows.len() * dim, 0.0);
            if layers == 0 {
                batch.pick(side, table, dim, out);
            } else {
                let product = adjacency.to(side, Scaled::Once).plus(table);
                product.apply_rows(rows, source.side(side.other()), dim, out);
            }
        });
    }

    /// Puts `S G`, the gradient by the output, scaled and by slots, where the forward chain began: it is no longer needed there.
    fn scale_slope(&mut self, batch: &Batch) {
        let Self { adjacency, dim, base, slope, .. } = self;
        let (roots, dim) = (adjacency.roots(), *dim);
        on_both(&mut base.users, &mut base.items, |side, base| {
            batch.scale(side, slope.side(side), roots.side(side), dim, base);
        });
    }

    /// From `self.slope`, the gradient by the output at the batch's rows, and its scaled copy in `self.base` to the gradient by the
    /// tables.
    fn backward(&mut self, batch: &Batch, grads: &mut Weights) {
        let Self { adjacency, layers, dim, base, current, next, slope, .. } = self;
        let (layers, dim) = (*layers, *dim);
        let scaled_slope = |side: Side| batch.as_rows(side, &base.side(side)[..batch.rows(side).len() * dim]);
        if layers == 0 {
            let [users, items] = grads.tables_mut();
            on_both(users, items, |side, out| {
                out.fill(0.0);
                batch.add_to(side, slope.side(side), dim, out);
            });
        }
        for layer in 0..layers {
            let outermost = layer + 1 == layers;
            let [users, items] =
                if outermost { grads.tables_mut() } else { [&mut next.users[..], &mut next.items[..]] };
            on_both(users, items, |side, out| {
                // What is added is S G inside the chain and G at its end.
                let product = if outermost {
                    adjacency.to(side, Scaled::Once).plus_sparse(batch.as_rows(side, slope.side(side)))
                } else {
                    adjacency.to(side, Scaled::Twice).plus_sparse(scaled_slope(side))
                };
                let from = side.other();
                if layer == 0 {
                    product.apply_sparse(scaled_slope(from), dim, out);
                } else {
                    product.apply(current.side(from), dim, out);
                }
            });
            swap(current, next);
        }
    }
}

impl Network for LightGcnNetwork {
    fn gradients(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        objective: &Objective,
        _step: u64,
        grads: &mut Weights,
    ) -> f64 {
        self.forward(weights, batch);
        let share = 1.0 / (self.layers + 1) as f32;
        let gain = share * share;
        let loss = batch_gradients(objective.loss, batch, &self.output, self.dim, gain, &mut self.slope);
        self.scale_slope(batch);
        // The penalty is on the tables themselves: it joins at the chain's end, not inside.
        penalise(objective.l2, batch, weights, self.dim, self.dim, &mut self.slope);
        self.backward(batch, grads);
        loss
    }
}
