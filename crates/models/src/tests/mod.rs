//! Tests of the models as wholes, against a second implementation that shares no code with the first.

mod conformance;
mod gradients;
mod large;
mod learning;
mod local;
mod ngcf_estimate;
mod properties;
mod refusals;
mod rescoring;
mod training;
mod weighed;

use std::sync::Arc;

use grease_graph::{Edge, Graph, seed};
use grease_testing::slow::{Network, Slow};

use crate::architecture::{Architecture, Kind, Variant, unit};
use crate::model::Model;
use crate::weights::{Tensor, Weights};

const KINDS: [Kind; 2] = [Kind::LightGcn, Kind::Ngcf];

/// Every network there is: what can be trained, and NGCF as RecBole has it.
const NETWORKS: [(Kind, Variant); 3] =
    [(Kind::LightGcn, Variant::Usual), (Kind::Ngcf, Variant::Usual), (Kind::Ngcf, Variant::NormalisedLayers)];

/// Weights of a size that makes every layer, bias and row count; user rows from `known` on are zero.
pub(crate) fn weights(architecture: Architecture, graph: &Graph, known: usize, seed: u64) -> Weights {
    let tensors = architecture.tensors(graph.users(), graph.items()).into_iter().map(|(name, shape)| {
        let mut rng = seed::rng(seed, &name);
        let scale = if name.contains(".w") { 1.0 / (shape[0] as f32).sqrt() } else { 0.5 };
        let mut data: Vec<f32> =
            (0..shape[0] * shape[1]).map(|_| scale * (2.0 * unit(&mut rng) - 1.0)).collect();
        if name == "user_embedding" {
            data[shape[1] * known.min(shape[0])..].fill(0.0);
        }
        Tensor { name, shape, data: data.into() }
    });
    Weights(tensors.collect())
}

/// A model with [`weights`] on this graph.
fn model(architecture: Architecture, graph: &Graph, known: usize, seed: u64) -> Model {
    let weights = weights(architecture, graph, known, seed);
    Model::new(architecture, Arc::new(graph.clone()), weights).unwrap()
}

/// A model straight from its formulas.
fn slow(architecture: Architecture, graph: &Graph, weights: &Weights) -> Slow {
    let network = match (architecture.kind, architecture.variant) {
        (Kind::LightGcn, _) => Network::LightGcn(architecture.layers),
        (Kind::Ngcf, Variant::NormalisedLayers) => Network::NgcfNormalised,
        (Kind::Ngcf, _) => Network::Ngcf,
        (Kind::Frozen, _) => unreachable!("nothing is computed for frozen embeddings"),
    };
    Slow::new(network, architecture.dim, graph, weights.0.iter().map(|tensor| &tensor.data[..]))
}

/// A random graph; about a tenth of the nodes on each side have no interaction.
fn graph(users: usize, items: usize, edges: usize, seed: u64) -> Graph {
    let mut rng = seed::rng(seed, "graph");
    let mut draw = |n: usize| seed::below(&mut rng, (n - n / 10) as u64) as u32;
    let edges: Vec<Edge> = (0..edges).map(|_| Edge::new(draw(users), draw(items))).collect();
    Graph::new(users, items, &edges).unwrap()
}

/// Max |difference| / max |wanted|.
fn relative_error(got: &[f32], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().fold(0f64, |most, w| most.max(w.abs()));
    let worst = got.iter().zip(want).fold(0f64, |worst, (g, w)| {
        let difference = (f64::from(*g) - w).abs();
        if difference.is_nan() { f64::INFINITY } else { worst.max(difference) }
    });
    if worst == 0.0 { 0.0 } else { worst / largest }
}
