//! Asking a card. `cargo xtask test --device cuda` runs it where there is one.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use grease_cuda::{Card, OnCard};
use grease_graph::{Edge, Edit, Graph, Profile, Recommender, SampleOptions, UserId, conformance, sample};
use grease_models::{Architecture, Kind, Model, Variant, Weights};

/// Random weights; rows of people from `known` on are zero, as conformance wants it.
fn weights(architecture: Architecture, graph: &Graph, known: usize) -> Weights {
    // Those of a row must not depend on how many rows there are.
    let largest = Graph::new(known + 2, graph.items(), &[]).unwrap();
    let mut weights = architecture.initial_weights(&largest, 3);
    let dim = architecture.dim;
    let people = &mut weights.0[0];
    people.data.to_mut().truncate(graph.users() * dim);
    people.shape[0] = graph.users();
    people.data.iter_mut().skip(known * dim).for_each(|value| *value = 0.0);
    // Layers that say something, biases included.
    for (at, tensor) in weights.0.iter_mut().enumerate().skip(2) {
        tensor.data.iter_mut().enumerate().for_each(|(k, v)| *v += ((k * 7 + at) % 11) as f32 * 0.01 - 0.05);
    }
    weights
}

fn both(card: &Arc<Card>, architecture: Architecture, graph: &Graph, known: usize) -> (Arc<Model>, OnCard) {
    let weights = weights(architecture, graph, known);
    let model = Model::new(architecture, Arc::new(graph.clone()), weights.clone()).unwrap();
    let model = Arc::new(model);
    let on_card = OnCard::new(Arc::clone(card), model.clone(), architecture, &weights).unwrap();
    (model, on_card)
}

fn architectures() -> Vec<Architecture> {
    let sizes = (0..=4).map(|layers| (layers, 7)).chain([(2, 3), (3, 16), (3, 64), (2, 132)]);
    let mut all = Vec::new();
    for (layers, dim) in sizes {
        let plain = Architecture::new(Kind::Ngcf, layers, dim);
        all.extend([plain, Architecture { variant: Variant::NormalisedLayers, ..plain }]);
    }
    all
}

#[test]
#[ignore = "needs a card"]
fn a_card_passes_the_suite_every_recommender_must_pass() {
    let card = Arc::new(Card::open(0).unwrap());
    for architecture in architectures() {
        conformance::check(&|graph| Box::new(both(&card, architecture, graph, conformance::USERS).1));
    }
}

/// People with long and short histories.
fn graph() -> Graph {
    let data = sample(&SampleOptions { users: 300, artists: 200, ..SampleOptions::default() }).interactions;
    Graph::new(data.users.len(), data.items.len(), &data.edges).unwrap()
}

/// Each interaction of a person taken away, each kept alone, half of them, and somebody else's.
fn edits(graph: &Graph, user: u32) -> Vec<Edit> {
    let own: Vec<Edge> = graph.by_user().row(user as usize).iter().map(|&i| Edge::new(user, i)).collect();
    let mut edits: Vec<Edit> = own.iter().map(|&edge| Edit::removing([edge])).collect();
    edits.extend(own.iter().map(|kept| Edit::removing(own.iter().copied().filter(|edge| edge != kept))));
    edits.push(Edit::removing(own.iter().copied().step_by(2)));
    let other = (user + 1) % graph.users() as u32;
    edits.extend(
        graph.by_user().row(other as usize).iter().take(3).map(|&i| Edit::removing([Edge::new(other, i)])),
    );
    edits
}

#[test]
#[ignore = "needs a card"]
fn a_card_says_what_the_processor_says() {
    let (card, graph) = (Arc::new(Card::open(0).unwrap()), graph());
    for architecture in architectures() {
        let (model, on_card) = both(&card, architecture, &graph, graph.users());
        for (user, profile) in [(0, Profile::Kept), (17, Profile::Neutral), (255, Profile::Kept)] {
            let edits = edits(&graph, user);
            let mut here = vec![0.0; edits.len() * graph.items()];
            let mut there = here.clone();
            model.score(UserId(user), profile, &edits, &mut here).unwrap();
            on_card.score(UserId(user), profile, &edits, &mut there).unwrap();
            let largest = here.iter().fold(0f32, |most, value| most.max(value.abs()));
            let worst = here.iter().zip(&there).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst <= conformance::TOLERANCE * largest, "{architecture:?}: {worst} of {largest}");
        }
    }
}

#[test]
#[ignore = "needs a card"]
fn the_same_question_has_the_same_bytes_alone_in_company_and_from_many_threads() {
    let (card, graph) = (Arc::new(Card::open(0).unwrap()), graph());
    let (_, on_card) = both(&card, Architecture::new(Kind::Ngcf, 3, 64), &graph, graph.users());
    let ask = |user: u32| {
        let edits = edits(&graph, user);
        let mut out = vec![0.0; edits.len() * graph.items()];
        on_card.score(UserId(user), Profile::Kept, &edits, &mut out).unwrap();
        (edits, out)
    };
    let alone: Vec<_> = (0..40).map(ask).collect();
    for (user, (edits, out)) in (0..).zip(&alone).take(5) {
        for (edit, out) in edits.iter().zip(out.chunks_exact(graph.items())) {
            assert_eq!(on_card.scores_after(UserId(user), Profile::Kept, edit).unwrap(), out);
        }
    }
    std::thread::scope(|scope| {
        for (user, (_, out)) in (0..).zip(&alone) {
            scope.spawn(move || assert_eq!(&ask(user).1, out, "person {user}"));
        }
    });
}
