//! A step of NGCF on a card against the same formulas in `f64`, table by table: the first that differs is named.

use std::sync::Arc;

use cudarc::driver::CudaSlice;
use grease_graph::{Graph, seed};
use grease_models::train::{Checkpoint, Loss, TrainOptions, Trainer};
use grease_models::{Kind, Tensor};

use super::*;
use crate::train::epochs::Epochs;
use crate::train::twin::{Table, add, assert_same, first_batch, graph, penalty, slopes, through_graph};

const STEP: u64 = 5;

/// Weights large enough that every tensor counts, biases included.
fn state(graph: &Graph, options: TrainOptions) -> Checkpoint {
    let mut state = Trainer::new(Arc::new(graph.clone()), Vec::new(), options).unwrap().state().clone();
    for (k, tensor) in state.weights.0.iter_mut().enumerate() {
        let wide = (tensor.shape[1] as f32).sqrt();
        for (i, value) in tensor.data.iter_mut().enumerate() {
            let random = seed::mix(k as u64, i as u64) >> 40;
            *value = (random as f32 / (1 << 23) as f32 - 1.0) / wide;
        }
    }
    state
}

fn tables(state: &Checkpoint) -> Vec<Table> {
    let table = |tensor: &Tensor| {
        tensor.data.chunks(tensor.shape[1]).map(|row| row.iter().map(|&v| f64::from(v)).collect()).collect()
    };
    state.weights.0.iter().map(table).collect()
}

/// NGCF and its gradients straight from the formulas, everything at all nodes.
struct Twin<'a> {
    graph: &'a Graph,
    options: TrainOptions,
    weights: Vec<Table>,
    /// `h` and `p` of every layer's input, and the last output; masks of every layer.
    hidden: Vec<Table>,
    aggregated: Vec<Table>,
    masks: Vec<Table>,
}

impl<'a> Twin<'a> {
    fn new(graph: &'a Graph, options: TrainOptions, weights: Vec<Table>) -> Self {
        let both = weights[0].iter().chain(&weights[1]).cloned().collect();
        let mut twin =
            Self { graph, options, weights, hidden: vec![both], aggregated: Vec::new(), masks: Vec::new() };
        for l in 0..options.layers {
            twin.layer(l);
        }
        twin
    }

    fn layer(&mut self, l: usize) {
        let (dim, rate, users) = (self.options.dim, self.options.dropout, self.graph.users());
        let h = &self.hidden[l];
        let p = through_graph(self.graph, h);
        let [w1, b1, w2, b2] = [0, 1, 2, 3].map(|k| &self.weights[2 + 4 * l + k]);
        let (mut out, mut masks) = (Vec::new(), Vec::new());
        for node in 0..h.len() {
            let (item, row) = if node < users { (0, node) } else { (1, node - users) };
            let key = seed::mix(seed::mix(self.options.seed, STEP), (l as u64) << 1 | item);
            let value = |j: usize| {
                let z = (0..dim).fold(b1[0][j] + b2[0][j], |z, k| {
                    z + (p[node][k] + h[node][k]) * w1[k][j] + p[node][k] * h[node][k] * w2[k][j]
                });
                let bits = seed::mix(key, (row as u64) << 16 | (j / 4) as u64) >> (16 * (j % 4)) & 0xffff;
                let dropped = bits < (rate * 65536.0) as u64;
                let kept = if dropped { 0.0 } else { 1.0 / (1.0 - f64::from(rate)) };
                (z.max(0.2 * z) * kept, if z > 0.0 { kept } else { 0.2 * kept })
            };
            let (values, slopes): (Vec<f64>, Vec<f64>) = (0..dim).map(value).unzip();
            out.push(values);
            masks.push(slopes);
        }
        self.hidden.push(out);
        self.aggregated.push(p);
        self.masks.push(masks);
    }

    fn length(row: &[f64]) -> f64 {
        row.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-12)
    }

    /// Layers side by side.
    fn output(&self, node: usize) -> Vec<f64> {
        let part = |(l, table): (usize, &Table)| {
            let length = if l == 0 { 1.0 } else { Self::length(&table[node]) };
            table[node].iter().map(move |v| v / length).collect::<Vec<_>>()
        };
        self.hidden.iter().enumerate().flat_map(part).collect()
    }

    /// What the batch asks of all layers' rows, side by side, by node.
    fn asked(&self, triples: &[[usize; 3]]) -> Table {
        let (dim, outputs) = (self.options.dim, (0..self.hidden[0].len()).map(|n| self.output(n)));
        let outputs: Table = outputs.collect();
        let by_output = slopes(&outputs, triples, self.options.loss, 1.0);
        let penalty = penalty(&self.hidden[0], triples, self.options.l2);
        let mut asked = by_output.clone();
        for node in 0..asked.len() {
            for (l, table) in self.hidden.iter().enumerate() {
                let (part, x) = (l * dim..(l + 1) * dim, &table[node]);
                let n = &outputs[node][part.clone()];
                let along: f64 = by_output[node][part.clone()].iter().zip(n).map(|(b, n)| b * n).sum();
                for (j, at) in part.enumerate() {
                    let b = by_output[node][at];
                    asked[node][at] = match l {
                        0 => b + penalty[node][j],
                        _ => (b - n[j] * along) / Self::length(x),
                    };
                }
            }
        }
        asked
    }

    /// The gradients by all tensors, in their order.
    fn gradients(&self, asked: &Table) -> Vec<Table> {
        let (dim, layers) = (self.options.dim, self.options.layers);
        let part =
            |l: usize| -> Table { asked.iter().map(|row| row[l * dim..(l + 1) * dim].to_vec()).collect() };
        let mut grads: Vec<Table> =
            self.weights.iter().map(|t| t.iter().map(|row| vec![0.0; row.len()]).collect()).collect();
        let mut slope = part(layers);
        for l in (0..layers).rev() {
            let (h, p) = (&self.hidden[l], &self.aggregated[l]);
            let (mut by_h, mut by_p) = (part(l), vec![vec![0.0; dim]; h.len()]);
            for node in 0..h.len() {
                for j in 0..dim {
                    let dz = slope[node][j] * self.masks[l][node][j];
                    grads[2 + 4 * l + 1][0][j] += dz;
                    grads[2 + 4 * l + 3][0][j] += dz;
                    for k in 0..dim {
                        let (s, q) =
                            (dz * self.weights[2 + 4 * l][k][j], dz * self.weights[2 + 4 * l + 2][k][j]);
                        grads[2 + 4 * l][k][j] += (p[node][k] + h[node][k]) * dz;
                        grads[2 + 4 * l + 2][k][j] += p[node][k] * h[node][k] * dz;
                        by_h[node][k] += s + q * p[node][k];
                        by_p[node][k] += s + q * h[node][k];
                    }
                }
            }
            slope = through_graph(self.graph, &by_p);
            add(&mut slope, &by_h);
        }
        let users = self.graph.users();
        (grads[0], grads[1]) = (slope[..users].to_vec(), slope[users..].to_vec());
        grads
    }
}

/// The first step of an epoch on the card, against the twin.
fn compare(card: &Arc<Card>, options: TrainOptions) {
    let graph = Arc::new(graph());
    let state = state(&graph, options);
    let ngcf = Ngcf::new(card, &graph, &state).unwrap();
    let mut epochs = Epochs::new(card, &graph, options).unwrap();
    epochs.begin(card, 0).unwrap();
    epochs.take(card, STEP, &(0..1), 1.0, |planned| ngcf.launch_step(planned)).unwrap();

    let (nodes, triples) = first_batch(&graph, &options);
    let twin = Twin::new(&graph, options, tables(&state));
    let what = |table: &str| {
        format!("{table} with {} layers of {}, dropout {}", options.layers, options.dim, options.dropout)
    };
    let got = |table: &CudaSlice<f32>| card.download(table).unwrap();
    let (dim, padded, layers) = (options.dim, ngcf.width.padded(), options.layers);
    let at_slots = |table: &Table| -> Table { nodes.iter().map(|&n| table[n].clone()).collect() };
    for l in 0..layers.saturating_sub(1) {
        assert_same(
            &what(&format!("aggregate {l}")),
            &got(&ngcf.tables.aggregated[l]),
            &twin.aggregated[l],
            padded,
        );
        assert_same(&what(&format!("hidden {l}")), &got(&ngcf.tables.hidden[l]), &twin.hidden[l + 1], padded);
    }
    if layers > 0 {
        let Tables { last, .. } = &ngcf.tables;
        assert_same(
            &what("last aggregate"),
            &got(&last.aggregated),
            &at_slots(&twin.aggregated[layers - 1]),
            padded,
        );
        assert_same(&what("last output"), &got(&last.output), &at_slots(&twin.hidden[layers]), padded);
    }
    // Parts of a row are padded one by one: each is compared as a row.
    let by_part = |table: &Table| -> Table {
        table.iter().flat_map(|row| row.chunks(dim)).map(<[f64]>::to_vec).collect()
    };
    let outputs: Table = (0..twin.hidden[0].len()).map(|node| twin.output(node)).collect();
    assert_same(&what("output"), &got(&ngcf.tables.output), &by_part(&at_slots(&outputs)), padded);
    let asked = twin.asked(&triples);
    assert_same(&what("asked"), &got(&ngcf.tables.asked), &by_part(&at_slots(&asked)), padded);

    // After the first step from nothing Adam's mean is a tenth of the gradient.
    let mut after = state.clone();
    ngcf.fetch(&mut after).unwrap();
    for (k, want) in twin.gradients(&asked).iter().enumerate().rev() {
        let tenfold: Vec<f32> = after.moments[k].mean.iter().map(|m| 10.0 * m).collect();
        assert_same(&what(&format!("gradient by `{}`", state.weights.0[k].name)), &tenfold, want, dim);
    }
}

fn options(layers: usize, dim: usize, loss: Loss, dropout: f32) -> TrainOptions {
    let kind = Kind::Ngcf;
    TrainOptions {
        kind,
        layers,
        dim,
        loss,
        dropout,
        batch: 60,
        l2: 0.05,
        epochs: 1,
        ..TrainOptions::default()
    }
}

#[test]
#[ignore = "needs a card"]
fn every_table_of_a_step_equals_its_twin() {
    let card = Arc::new(Card::open(0).unwrap());
    for layers in 0..4 {
        for (dim, loss, dropout) in
            [(4, Loss::Bpr, 0.0), (7, Loss::Bce, 0.0), (7, Loss::Bpr, 0.3), (64, Loss::Bpr, 0.1)]
        {
            compare(&card, options(layers, dim, loss, dropout));
        }
    }
    // More than one tile, and none of them full.
    compare(&card, options(2, 132, Loss::Bpr, 0.1));
    compare(&card, options(1, 200, Loss::Bce, 0.0));
}

/// `d loss / d weight` as differences of the loss show it: the twin's formulas are held to that, so that it needs no card.
#[test]
fn the_twins_gradients_are_slopes_of_its_loss() {
    let graph = graph();
    let options = options(2, 3, Loss::Bpr, 0.3);
    let triples = [[0, 43, 45], [1, 44, 50], [2, 47, 41], [0, 43, 60]];
    let state = state(&graph, options);
    let loss = |weights: Vec<Table>| {
        let twin = Twin::new(&graph, options, weights);
        let each = triples.iter().map(|&[user, positive, negative]| {
            let [u, p, n] = [user, positive, negative].map(|node| twin.output(node));
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let squares: f64 =
                [user, positive, negative].iter().map(|&n| dot(&twin.hidden[0][n], &twin.hidden[0][n])).sum();
            (dot(&u, &n) - dot(&u, &p)).exp().ln_1p() + f64::from(options.l2) / 2.0 * squares
        });
        each.sum::<f64>() / triples.len() as f64
    };
    let twin = Twin::new(&graph, options, tables(&state));
    let grads = twin.gradients(&twin.asked(&triples));
    for (k, grad) in grads.iter().enumerate() {
        for (i, &want) in grad.iter().flatten().enumerate().step_by(5) {
            let moved = |by: f64| {
                let mut weights = tables(&state);
                weights[k][i / grad[0].len()][i % grad[0].len()] += by;
                loss(weights)
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((slope - want).abs() < 1e-4, "tensor {k}, value {i}: {want} where the loss says {slope}");
        }
    }
}
