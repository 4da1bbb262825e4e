//! Forward and backward of NGCF on one batch. Layers below the last need all rows; the last one is computed at the
//! batch's rows only, forward and backward.

use std::mem::swap;
use std::sync::Arc;

use grease_graph::{Graph, seed};

use crate::adjacency::{Adjacency, Scaled, scale_rows};
use crate::halves::{Halves, Side, row, row_mut};
use crate::ngcf::layer::{self, Dropout, Layer, LayerGrads, Slab};
use crate::ngcf::readout;
use crate::train::batch::Batch;
use crate::train::network::Network;
use crate::train::objective::{Objective, batch_gradients, penalise};
use crate::weights::Weights;

/// NGCF being trained.
pub(crate) struct NgcfNetwork {
    adjacency: Adjacency,
    layers: usize,
    dim: usize,
    dropout: f32,
    seed: u64,
    /// Outputs of the layers below the last: `hidden[l]` is the input of layer `l + 1`.
    hidden: Vec<Halves>,
    /// `A h` of the layers below the last.
    aggregated: Vec<Halves>,
    /// The last layer at the batch's rows.
    last: LastLayer,
    /// Embeddings and gradients by them, at the batch's rows.
    output: Halves,
    slope: Halves,
    /// Matrices of the tables' shape: an input scaled for propagation, the gradient by a layer's output, and the one
    /// by its input.
    scaled: Halves,
    by_output: Halves,
    by_input: Halves,
}

/// Input, aggregate and output of the last layer and gradients by the first two, one row a slot.
#[derive(Default)]
struct LastLayer {
    h: Halves,
    p: Halves,
    out: Halves,
    by_out: Halves,
    by_p: Halves,
}

impl NgcfNetwork {
    pub(crate) fn new(graph: Arc<Graph>, layers: usize, dim: usize, dropout: f32, seed: u64) -> Self {
        let zeros = || Halves::zeros(graph.users(), graph.items(), dim);
        let inner = layers.saturating_sub(1);
        Self {
            layers,
            dim,
            dropout,
            seed,
            hidden: (0..inner).map(|_| zeros()).collect(),
            aggregated: (0..inner).map(|_| zeros()).collect(),
            last: LastLayer::default(),
            output: Halves::default(),
            slope: Halves::default(),
            scaled: zeros(),
            by_output: zeros(),
            by_input: zeros(),
            adjacency: Adjacency::new(graph),
        }
    }

    /// What is dropped in one layer of one batch.
    fn dropout(&self, step: u64, layer: usize, side: Side) -> Dropout {
        let place = (layer as u64) << 1 | u64::from(side == Side::Items);
        Dropout { rate: self.dropout, key: seed::mix(seed::mix(self.seed, step), place) }
    }

    /// What one row's values are multiplied with in one layer of one batch.
    #[cfg(test)]
    pub(crate) fn mask(&self, step: u64, layer: usize, side: Side, row: u32) -> Vec<f32> {
        let mut mask = vec![1.0; self.dim];
        self.dropout(step, layer, side).apply(u64::from(row), &mut mask);
        mask
    }

    /// All that the batch's embeddings need, and the embeddings into `self.output`.
    fn forward(&mut self, weights: &Weights, batch: &Batch, step: u64) {
        let (layers, dim) = (self.layers, self.dim);
        for l in 0..layers {
            let layer = Layer::of(weights, l);
            let dropout = Side::BOTH.map(|side| self.dropout(step, l, side));
            let (below, here) = self.hidden.split_at_mut(l);
            let input = |side| below.last().map_or(weights.table(side), |h| h.side(side));
            self.adjacency.scale(input(Side::Users), input(Side::Items), dim, &mut self.scaled);
            for (side, dropout) in Side::BOTH.into_iter().zip(dropout) {
                let product = self.adjacency.to(side, Scaled::Once);
                let source = self.scaled.side(side.other());
                if let Some(out) = here.first_mut() {
                    let p = self.aggregated[l].side_mut(side);
                    product.apply(source, dim, p);
                    let row_of = |row: usize| row as u32;
                    layer::forward(layer, dim, input(side), p, Some((dropout, &row_of)), out.side_mut(side));
                } else {
                    let rows = batch.rows(side);
                    let LastLayer { h, p, out, .. } = &mut self.last;
                    let [h, p, out] = [h, p, out].map(|m| m.side_mut(side));
                    [&mut *h, &mut *p, &mut *out].into_iter().for_each(|m| m.resize(rows.len() * dim, 0.0));
                    batch.pick(side, input(side), dim, h);
                    product.apply_rows(rows, source, dim, p);
                    layer::forward(layer, dim, h, p, Some((dropout, &|slot: usize| rows[slot])), out);
                }
            }
        }
        let width = dim * (layers + 1);
        for side in Side::BOTH {
            let rows = batch.rows(side);
            let out = self.output.side_mut(side);
            out.resize(rows.len() * width, 0.0);
            for l in 0..=layers {
                let Some(table) = full_rows(weights, &self.hidden, layers, l, side) else {
                    readout::place(l, self.last.out.side(side).chunks_exact(dim), l * dim, width, out);
                    continue;
                };
                readout::place(l, rows.iter().map(|&r| row(table, dim, r)), l * dim, width, out);
            }
        }
    }

    /// From `self.slope`, the gradient by the output embeddings, to the gradients by all weights.
    fn backward(&mut self, weights: &Weights, batch: &Batch, grads: &mut Weights) {
        let Self {
            adjacency,
            layers,
            dim,
            dropout,
            hidden,
            aggregated,
            last,
            slope,
            scaled,
            by_output,
            by_input,
            ..
        } = self;
        let (layers, dim) = (*layers, *dim);
        let width = dim * (layers + 1);
        // What the output embeddings ask of layer `l` at the batch's rows.
        let ask = |l: usize, side: Side, hidden: &[Halves], grad: &mut [f32]| {
            let Some(table) = full_rows(weights, hidden, layers, l, side) else { return };
            for (slope, &r) in slope.side(side).chunks_exact(width).zip(batch.rows(side)) {
                readout::backward(l, row(table, dim, r), &slope[l * dim..][..dim], row_mut(grad, dim, r));
            }
        };
        if layers == 0 {
            for (side, table) in Side::BOTH.into_iter().zip(grads.tables_mut()) {
                table.fill(0.0);
                ask(0, side, hidden, table);
            }
            return;
        }

        // The last layer, at the batch's rows.
        let layer = Layer::of(weights, layers - 1);
        let mut layer_grads = LayerGrads::zeros(dim);
        for side in Side::BOTH {
            let rows = batch.rows(side);
            let (out, by_out) = (last.out.side(side), last.by_out.side_mut(side));
            by_out.clear();
            by_out.resize(rows.len() * dim, 0.0);
            last.by_p.side_mut(side).resize(rows.len() * dim, 0.0);
            let asked = slope.side(side).chunks_exact(width).map(|s| &s[layers * dim..]);
            for ((grad, out), asked) in by_out.chunks_exact_mut(dim).zip(out.chunks_exact(dim)).zip(asked) {
                readout::backward(layers, out, asked, grad);
            }
            let slab = Slab {
                h: last.h.side(side),
                p: last.p.side(side),
                out,
                slope: by_out,
                by_p: last.by_p.side_mut(side),
            };
            layer::backward(layer, dim, *dropout, slab, &mut layer_grads);
            let scaled = scaled.side_mut(side);
            batch.scale(side, last.by_p.side(side), adjacency.roots().side(side), dim, scaled);
        }
        layer_grads.write(grads, layers - 1);
        for side in Side::BOTH {
            let from = side.other();
            let slots = &scaled.side(from)[..batch.rows(from).len() * dim];
            let out = by_input.side_mut(side);
            adjacency.to(side, Scaled::Once).apply_sparse(batch.as_rows(from, slots), dim, out);
            batch.add_to(side, last.by_out.side(side), dim, out);
        }

        // The layers below, at all rows. `by_output` becomes the gradient by the layer's input, in place, and its
        // aggregate's gradient then comes back through the graph.
        for l in (0..layers - 1).rev() {
            swap(by_output, by_input);
            let layer = Layer::of(weights, l);
            let mut layer_grads = LayerGrads::zeros(dim);
            for side in Side::BOTH {
                ask(l + 1, side, hidden, by_output.side_mut(side));
                let slab = Slab {
                    h: full_rows(weights, hidden, layers, l, side).unwrap_or_default(),
                    p: aggregated[l].side(side),
                    out: hidden[l].side(side),
                    slope: by_output.side_mut(side),
                    by_p: by_input.side_mut(side),
                };
                layer::backward(layer, dim, *dropout, slab, &mut layer_grads);
                scale_rows(by_input.side(side), adjacency.roots().side(side), dim, scaled.side_mut(side));
            }
            layer_grads.write(grads, l);
            adjacency.apply(Scaled::Once, Some(by_output), scaled, dim, by_input);
        }
        for (side, table) in Side::BOTH.into_iter().zip(grads.tables_mut()) {
            table.copy_from_slice(by_input.side(side));
            ask(0, side, hidden, table);
        }
    }
}

/// All rows of layer `l`'s output (0: the input table), unless it is the last one, of which only the batch's are known.
fn full_rows<'a>(
    weights: &'a Weights,
    hidden: &'a [Halves],
    layers: usize,
    l: usize,
    side: Side,
) -> Option<&'a [f32]> {
    match l {
        0 => Some(weights.table(side)),
        l if l < layers => Some(hidden[l - 1].side(side)),
        _ => None,
    }
}

impl Network for NgcfNetwork {
    fn gradients(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        objective: &Objective,
        step: u64,
        grads: &mut Weights,
    ) -> f64 {
        self.forward(weights, batch, step);
        let width = self.dim * (self.layers + 1);
        let loss = batch_gradients(objective.loss, batch, &self.output, width, 1.0, &mut self.slope);
        // The first columns of an output embedding are the input row itself.
        penalise(objective.l2, batch, weights, self.dim, width, &mut self.slope);
        self.backward(weights, batch, grads);
        loss
    }
}
