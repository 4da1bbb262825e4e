//! Proofs that nothing smaller does it, checked by trying everything.

use std::collections::BTreeSet;
use std::sync::Arc;

use grease_explain::{Explainer, Explanation, Goal, Items, Method, Minimum, Status, Task, Who};
use grease_graph::doubles::FromAfar;
use grease_graph::{Edge, Edit, Graph, Profile, Recommender, UserId};
use grease_models::{Kind, Model};

use crate::support::{cited, models, slow_scores, trained};

/// How far scores may be off, as a share of the largest.
const ROUNDING: f64 = 1e-5;

/// Whether a set of own interactions does it, by the slow path: its margin, on the side where it is wanted, beyond rounding.
fn does_it(model: &Model, explanation: &Explanation, set: &[Edge]) -> bool {
    let graph = model.graph();
    let own: Vec<Edge> =
        graph.items_of(explanation.user).iter().map(|&item| Edge::new(explanation.user.0, item)).collect();
    let (profile, edit) = match explanation.goal {
        Goal::Counterfactual => (Profile::Kept, Edit::removing(set.iter().copied())),
        _ => (explanation.profile, Edit::removing(own.iter().copied().filter(|edge| !set.contains(edge)))),
    };
    let scores = slow_scores(model, explanation.user, profile, &edit);
    let largest = scores.iter().fold(0f64, |most, score| most.max(score.abs()));
    let history: BTreeSet<u32> = own.iter().map(|edge| edge.item.0).collect();
    let item = explanation.item.0;
    let mut others: Vec<f64> = (0..graph.items() as u32)
        .filter(|other| *other != item && !history.contains(other))
        .map(|other| scores[other as usize])
        .collect();
    others.sort_by(|a, b| b.total_cmp(a));
    let margin = scores[item as usize] - others[explanation.k - 1];
    match explanation.goal {
        Goal::Counterfactual => -margin > 2.0 * ROUNDING * largest,
        _ => margin > 2.0 * ROUNDING * largest,
    }
}

/// All sets of a size.
fn sets(pool: &[Edge], size: usize) -> Vec<Vec<Edge>> {
    match (size, pool.split_first()) {
        (0, _) => vec![Vec::new()],
        (_, None) => Vec::new(),
        (_, Some((first, rest))) => {
            let with = sets(rest, size - 1).into_iter().map(|set| [&[*first], &set[..]].concat());
            with.chain(sets(rest, size)).collect()
        }
    }
}

fn of_list(model: &Model, user: u32, k: usize, prove: usize, method: Method) -> Vec<Explanation> {
    let explainer = Explainer::new(Arc::new(model.clone()), method);
    let task = Task { prove, ..Task::new(Who::Known(UserId(user)), k) };
    explainer.explain(&task, &Items::List, &[Goal::Factual, Goal::Counterfactual]).unwrap()
}

/// Small histories, three layers: everything smaller can be tried, and is.
fn small_model() -> Model {
    let draw = |u: u32, n: u32| (u * 7 + n * 11 + (u * n) % 5 * 13 + (n * n) % 7) % 40;
    let edges: Vec<Edge> =
        (0..50u32).flat_map(|u| (0..4 + u % 6).map(move |n| Edge::new(u, draw(u, n)))).collect();
    trained(&Graph::new(50, 40, &edges).unwrap(), Kind::LightGcn, 30)
}

#[test]
fn what_is_proved_to_be_the_least_is_the_least() {
    let (mut proved, mut larger) = (0, 0);
    for (model, users) in [(&models()[0], 0..18u32), (&small_model(), 0..50)] {
        for user in users {
            for explanation in of_list(model, user, 4, 1_000_000, Method::Grease) {
                if explanation.minimum != Some(Minimum::Proved) {
                    continue;
                }
                let size = explanation.edges().len();
                let own: Vec<Edge> =
                    model.graph().items_of(UserId(user)).iter().map(|&item| Edge::new(user, item)).collect();
                proved += 1;
                larger += usize::from(size > 2);
                for smaller in (1..size).flat_map(|size| sets(&own, size)) {
                    assert!(
                        !does_it(model, &explanation, &smaller),
                        "{smaller:?} does it too: {explanation:?}"
                    );
                }
            }
        }
    }
    assert!(proved > 100 && larger > 10, "{proved} proofs, {larger} of three or more");
}

#[test]
fn a_proof_needs_work_and_finds_what_a_search_may_miss() {
    let (mut proved, mut without) = (0, 0);
    for user in 0..30 {
        let with = of_list(&models()[0], user, 4, 1_000_000, Method::Grease);
        let plain = of_list(&models()[0], user, 4, 0, Method::Grease);
        for (with, plain) in with.iter().zip(&plain) {
            assert_eq!(with.status(), plain.status());
            assert!(with.edges().len() <= plain.edges().len());
            assert_eq!(with.minimum.is_some(), with.status() == Status::Verified);
            assert_eq!(with.queries, plain.queries, "what a proof tries is counted apart");
            if plain.minimum == Some(Minimum::Proved) && plain.edges().len() > 2 {
                without += 1;
            }
            proved += usize::from(with.minimum == Some(Minimum::Proved) && with.edges().len() > 2);
        }
    }
    assert_eq!(without, 0, "three or more are never the least without a proof");
    assert!(proved > 0);
}

/// A recommender that takes its time proves what it was asked anyhow: that no single interaction does it.
#[test]
fn from_afar_only_two_are_the_least_for_sure() {
    let model = Arc::new(FromAfar(models()[0].clone()));
    let explainer = Explainer::new(model, Method::Grease);
    let mut seen = BTreeSet::new();
    for user in 0..40 {
        let task = Task { prove: 1_000_000, ..Task::new(Who::Known(UserId(user)), 4) };
        for explanation in explainer.explain(&task, &Items::List, &[Goal::Counterfactual]).unwrap() {
            if let Some(minimum) = explanation.minimum {
                let size = cited(&explanation).len();
                assert_eq!(minimum == Minimum::Proved, size <= 2, "{explanation:?}");
                assert_eq!(explanation.proof_queries, Some(0));
                seen.insert(size.min(3));
            }
        }
    }
    assert!(seen.len() >= 2, "{seen:?}");
}

/// Method `exact` never names more than was proved to be needed.
#[test]
fn the_ceiling_is_no_larger_than_what_others_find() {
    for user in 0..12 {
        let exact = of_list(&models()[0], user, 4, 0, Method::Exact);
        let grease = of_list(&models()[0], user, 4, 0, Method::Grease);
        for (exact, grease) in exact.iter().zip(&grease) {
            if grease.status() == Status::Verified {
                assert_eq!(exact.status(), Status::Verified);
                assert!(exact.edges().len() <= grease.edges().len(), "{exact:?}\n{grease:?}");
            }
        }
    }
}
