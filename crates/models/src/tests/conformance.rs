//! The models through the suite every recommender must pass.

use std::sync::Arc;

use grease_graph::{Edge, Graph, conformance};

use super::{KINDS, NETWORKS, model};
use crate::Model;
use crate::architecture::{Architecture, Kind, Variant};
use crate::train::{Loss, TrainOptions, Trainer};
use crate::weights::Weights;

/// The suite on its own graphs, with random weights.
fn passes(kind: Kind, layers: usize, dim: usize) {
    passes_as(Architecture::new(kind, layers, dim));
}

fn passes_as(architecture: Architecture) {
    conformance::check(&|graph| Box::new(model(architecture, graph, conformance::USERS, 3)));
}

#[test]
fn lightgcn_of_any_depth_passes() {
    (0..=4).for_each(|layers| passes(Kind::LightGcn, layers, 7));
}

#[test]
fn lightgcn_of_any_width_passes() {
    [3, 16, 64].into_iter().for_each(|dim| passes(Kind::LightGcn, 3, dim));
}

#[test]
fn ngcf_of_any_depth_passes() {
    (0..=4).for_each(|layers| passes(Kind::Ngcf, layers, 7));
}

#[test]
fn ngcf_of_any_width_passes() {
    [3, 16, 64].into_iter().for_each(|dim| passes(Kind::Ngcf, 2, dim));
}

#[test]
fn ngcf_with_normalised_layers_of_any_depth_and_width_passes() {
    let sizes = (0..=4).map(|layers| (layers, 7)).chain([(2, 3), (2, 16), (2, 64)]);
    for (layers, dim) in sizes {
        let variant = Variant::NormalisedLayers;
        passes_as(Architecture { variant, ..Architecture::new(Kind::Ngcf, layers, dim) });
    }
}

/// Large enough that work is divided among threads.
#[test]
fn a_graph_of_many_blocks_passes() {
    let edges: Vec<Edge> =
        (0..1400u32).flat_map(|u| [1, 7, 31].map(|k| Edge::new(u, (u * k + k) % 1100))).collect();
    let graph = Graph::new(1400, 1100, &edges).unwrap();
    for (kind, variant) in NETWORKS {
        let architecture = Architecture { variant, ..Architecture::new(kind, 2, 8) };
        conformance::check_on(&graph, &|on| Box::new(model(architecture, on, graph.users(), 3)));
    }
}

fn trained(graph: &Graph, options: TrainOptions) -> Model {
    let mut trainer = Trainer::new(Arc::new(graph.clone()), Vec::new(), options).unwrap();
    trainer.run(&mut ()).unwrap();
    trainer.model()
}

#[test]
fn trained_models_know_a_checkerboard_and_pass_on_it() {
    for kind in KINDS {
        for loss in [Loss::Bce, Loss::Bpr] {
            let options = TrainOptions {
                kind,
                loss,
                layers: 3,
                dim: 16,
                epochs: 15,
                batch: 64,
                learning_rate: 0.01,
                evaluate_every: 0,
                ..TrainOptions::default()
            };
            conformance::check_ranking(&|graph| {
                let model = trained(graph, options);
                if loss == Loss::Bce {
                    conformance::check_on(graph, &|on| Box::new(moved(&model, graph, on)));
                }
                Box::new(model)
            });
        }
    }
}

/// The model's weights on another graph; whoever came later has a row of zeros.
fn moved(model: &Model, from: &Graph, to: &Graph) -> Model {
    let Weights(mut tensors) = model.weights().clone();
    let users = &mut tensors[0];
    users.shape[0] = to.users();
    users.data.to_mut().resize(to.users() * users.shape[1], 0.0);
    assert_eq!(from.items(), to.items());
    Model::new(model.architecture(), Arc::new(to.clone()), Weights(tensors)).unwrap()
}
