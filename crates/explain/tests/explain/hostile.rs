//! Black boxes that keep no rule but that of answering: nothing panics, and what is called verified is so when asked again.

use std::collections::BTreeSet;

use grease_explain::{Goal, Items, Method, ProfileChoice, Task, Who};
use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, ScoreError, UserId, seed};
use proptest::prelude::*;

use crate::audit::Auditor;
use crate::support::{BlackBox, SCOPES, explain, graph, is_defined, methods_for};

/// Every method, scope, goal and profile; every claim is checked by asking again.
fn survives(recommender: &(impl Recommender + Clone + 'static), who: &Who, k: usize) {
    let truth = |user: UserId, profile: Profile, edit: &Edit| -> Vec<f64> {
        let scores = recommender.scores_after(user, profile, edit).unwrap();
        scores.into_iter().map(f64::from).collect()
    };
    for (method, scope) in methods_for(recommender).into_iter().flat_map(|m| SCOPES.map(|scope| (m, scope))) {
        let goals: Vec<Goal> = [Goal::Counterfactual, Goal::Factual, Goal::WhyNot]
            .into_iter()
            .filter(|&goal| is_defined(method, scope, goal))
            .collect();
        if goals.is_empty() {
            continue;
        }
        for profile in [ProfileChoice::Auto, ProfileChoice::Neutral] {
            let task = Task { scope, profile, alternatives: 1, ..Task::new(who.clone(), k) };
            let history = who.history(recommender.graph());
            let items: Vec<ItemId> = (0..recommender.graph().items() as u32)
                .filter(|item| !history.contains(item))
                .map(ItemId)
                .collect();
            let found = explain(recommender, method, &task, &Items::These(items.clone()), &goals).unwrap();
            let graph = recommender.graph();
            // The tolerance of the explainer is relative to the largest score.
            let auditor = Auditor { graph, task: &task, together: &items, truth: &truth, rounding: 1e-5 };
            found.iter().for_each(|explanation| auditor.check(explanation));
            explain(recommender, method, &task, &Items::List, &goals).unwrap();
        }
    }
}

fn boxed(
    graph: Graph,
    of: impl Fn(UserId, Profile, &BTreeSet<Edge>) -> Vec<f32> + Clone + Send + Sync + 'static,
) -> impl Recommender + Clone + 'static {
    BlackBox {
        graph,
        of: move |user, profile, edges: &BTreeSet<Edge>| Ok::<_, ScoreError>(of(user, profile, edges)),
    }
}

fn small() -> Graph {
    graph(7, &[&[0, 1, 2], &[0, 3, 4], &[1, 4, 5], &[], &[2, 3, 6]])
}

#[test]
fn all_scores_equal() {
    let indifferent = boxed(small(), |_, _, _| vec![1.0; 7]);
    survives(&indifferent, &Who::Known(UserId(0)), 2);
    let silent = boxed(small(), |_, _, _| vec![0.0; 7]);
    survives(&silent, &Who::Known(UserId(0)), 2);
}

#[test]
fn scores_as_large_and_as_small_as_they_come() {
    for size in [1e37f32, 1e-37] {
        let loud = boxed(small(), move |user, _, edges| {
            let own = edges.iter().filter(|edge| edge.user == user).map(|edge| edge.item.0).sum::<u32>();
            (0..7).map(|item| if (item + own) % 3 == 0 { size } else { -size / (item + 1) as f32 }).collect()
        });
        survives(&loud, &Who::Known(UserId(0)), 2);
    }
}

#[test]
fn somebody_without_anything() {
    let counts = |_: UserId, _: Profile, edges: &BTreeSet<Edge>| -> Vec<f32> {
        (0..7).map(|item| edges.iter().filter(|edge| edge.item.0 == item).count() as f32).collect()
    };
    survives(&boxed(small(), counts), &Who::Known(UserId(3)), 2);
    survives(&boxed(small(), counts), &Who::Newcomer(Vec::new()), 2);
    survives(&boxed(small(), counts), &Who::Newcomer((0..7).map(ItemId).collect()), 2);
}

#[test]
fn graphs_with_next_to_nothing_in_them() {
    let shapes: [(usize, &[&[u32]]); 6] =
        [(0, &[]), (0, &[&[]]), (1, &[]), (1, &[&[]]), (1, &[&[0]]), (2, &[&[0]])];
    for (items, histories) in shapes {
        let ones = boxed(graph(items, histories), move |_, _, _| vec![1.0; items]);
        survives(&ones, &Who::Newcomer(Vec::new()), 1);
        if !histories.is_empty() {
            survives(&ones, &Who::Known(UserId(0)), 1);
        }
    }
}

#[test]
fn hops_of_none_and_of_more_than_there_are() {
    let counts = boxed(small(), |_, _, edges| {
        (0..7).map(|item| edges.iter().filter(|edge| edge.item.0 == item).count() as f32).collect()
    });
    for hops in [0, 1, 99] {
        for method in [Method::Grease, Method::Paper, Method::Random] {
            let scope = grease_explain::Scope::Hops;
            let task = Task { scope, hops, ..Task::new(Who::Known(UserId(0)), 2) };
            let found = explain(&counts, method, &task, &Items::List, &[Goal::Counterfactual]).unwrap();
            assert_eq!(found.len(), 2, "{method}, {hops} hops");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    /// Scores drawn anew for every set of edges: nothing about one edit follows from another, and ties are everywhere.
    #[test]
    fn scores_that_follow_no_rule(key in 0u64..1 << 32, levels in 2u64..9, k in 1usize..4) {
        let random = boxed(small(), move |user, profile, edges| {
            let edges = seed::hash(&format!("{user:?} {profile:?} {edges:?}"));
            (0..7).map(|item| (seed::mix(seed::mix(key, edges), item) % levels) as f32).collect()
        });
        survives(&random, &Who::Known(UserId(0)), k);
        survives(&random, &Who::Newcomer(vec![ItemId(1), ItemId(6)]), k);
    }
}
