//! Scores by weights of interactions: weights of 0 and 1 are edits, and the gradient is the slope of the scores.

use super::{PROFILES, TOLERANCE, cases, unable};
use crate::{Edge, Edit, EditError, ItemId, Profile, Recommender, ScoreError, UserId, Weighed};

/// How far a weight is moved to see what scores do.
const STEP: f32 = 2e-3;

/// Of the steepest slope: what a step of that size and single precision leave.
const SLOPE_TOLERANCE: f32 = 0.05;

/// Somebody on an edited graph.
#[derive(Clone, Copy)]
struct Situation<'a> {
    user: UserId,
    profile: Profile,
    edit: &'a Edit,
}

/// Nothing to check where it has no gradient.
pub(super) fn weighed(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let nobody = UserId(0);
    let offered = recommender.weighed(nobody, Profile::Kept, &Edit::none(), &[], &[]);
    if offered.unwrap_or_else(|e| panic!("no interactions, no items: refused: {e}")).is_none() {
        return;
    }
    refusals(recommender);
    let known = cases::people(graph).into_iter().map(|user| (user, cases::edits(graph, user)));
    for (user, edits) in known.chain([(graph.newcomer(), cases::arrivals(graph))]) {
        for (name, edit) in edits {
            for profile in PROFILES {
                if unable(recommender, user, profile, &edit).is_none() {
                    weights_of_zero_and_one(recommender, user, profile, name, &edit);
                }
            }
        }
        let (own, others) = steep(recommender, user);
        for edges in [&own[..], &others[..]] {
            slopes(recommender, user, edges);
        }
    }
}

fn items(recommender: &dyn Recommender) -> Vec<ItemId> {
    (0..recommender.graph().items() as u32).rev().step_by(3).map(ItemId).collect()
}

fn ask<'r>(
    recommender: &'r dyn Recommender,
    Situation { user, profile, edit }: Situation<'_>,
    edges: &[Edge],
    items: &[ItemId],
) -> Box<dyn Weighed + 'r> {
    recommender
        .weighed(user, profile, edit, edges, items)
        .unwrap_or_else(|e| {
            panic!("user {}, {profile:?}, {edit:?}, weights on {edges:?}: refused: {e}", user.0)
        })
        .unwrap_or_else(|| {
            panic!("user {}, {profile:?}, {edit:?}: a gradient for some but not for all", user.0)
        })
}

fn scores(weighed: &mut dyn Weighed, weights: &[f32], items: usize) -> Vec<f32> {
    let mut out = vec![f32::NAN; items];
    weighed.score(weights, &mut out).unwrap_or_else(|e| panic!("weights {weights:?}: refused: {e}"));
    out
}

/// An edit by weights on the graph as it is, and undone by weights on the edited graph.
fn weights_of_zero_and_one(
    recommender: &dyn Recommender,
    user: UserId,
    profile: Profile,
    name: &str,
    edit: &Edit,
) {
    let (items, none) = (items(recommender), Edit::none());
    let edges: Vec<Edge> = edit.removed().iter().chain(edit.added()).copied().collect();
    let done: Vec<f32> = (0..edges.len()).map(|at| f32::from(u8::from(at >= edit.removed().len()))).collect();
    let undone: Vec<f32> = done.iter().map(|weight| 1.0 - weight).collect();
    for (before, weights, after) in [(&none, &done, edit), (&none, &undone, &none), (edit, &undone, &none)] {
        if unable(recommender, user, profile, after).is_some() {
            continue;
        }
        let situation = Situation { user, profile, edit: before };
        let mut weighed = ask(recommender, situation, &edges, &items);
        let got = scores(weighed.as_mut(), weights, items.len());
        let all = recommender
            .scores_after(user, profile, after)
            .unwrap_or_else(|e| panic!("user {}, {profile:?}, {name}: refused: {e}", user.0));
        let largest = all.iter().fold(0f32, |most, score| most.max(score.abs()));
        for (item, got) in items.iter().zip(&got) {
            let far = (got - all[item.row()]).abs();
            assert!(
                far <= TOLERANCE * largest,
                "user {}, {profile:?}, {name}, weights {weights:?} after {before:?}: item {} scores {got} instead of {}",
                user.0,
                item.0,
                all[item.row()]
            );
        }
        let mut gradient = vec![f32::NAN; edges.len()];
        weighed.gradient(&got, &mut gradient).unwrap_or_else(|e| panic!("{name}: refused: {e}"));
        assert!(gradient.iter().all(|slope| slope.is_finite()), "{name}: a slope is no number: {gradient:?}");
    }
}

/// Interactions to weigh for somebody: their own, some that are not there among them, and other people's.
fn steep(recommender: &dyn Recommender, user: UserId) -> (Vec<Edge>, Vec<Edge>) {
    let graph = recommender.graph();
    let own = (0..graph.items() as u32).step_by(2).map(|item| Edge::new(user.0, item)).collect();
    let others = graph.edges().filter(|edge| edge.user != user).step_by(5).take(8).collect();
    (own, others)
}

/// The gradient against what the scores do where a weight is moved a little.
fn slopes(recommender: &dyn Recommender, user: UserId, edges: &[Edge]) {
    let items = items(recommender);
    let profile = Profile::Kept;
    let added = Edit::adding(edges.iter().copied().filter(|&edge| !recommender.graph().has(edge)));
    if edges.is_empty() || unable(recommender, user, profile, &added).is_some() {
        return;
    }
    let none = Edit::none();
    let mut weighed = ask(recommender, Situation { user, profile, edit: &none }, edges, &items);
    let weights: Vec<f32> = (0..edges.len()).map(|at| 0.3 + 0.5 * (at * 5 % 7) as f32 / 7.0).collect();
    let slopes: Vec<f32> = (0..items.len()).map(|at| (at * 3 % 5) as f32 / 2.0 - 0.8).collect();
    let mut sum = |weights: &[f32]| -> f64 {
        let scores = scores(weighed.as_mut(), weights, items.len());
        scores.iter().zip(&slopes).map(|(score, slope)| f64::from(*score) * f64::from(*slope)).sum()
    };
    // On either side: near a kink the slope is that of one of them.
    let here = sum(&weights);
    let sides: Vec<[f32; 2]> = (0..edges.len())
        .map(|at| {
            [-STEP, STEP].map(|step| {
                let mut moved = weights.clone();
                moved[at] += step;
                ((sum(&moved) - here) / f64::from(step)) as f32
            })
        })
        .collect();
    let largest =
        scores(weighed.as_mut(), &weights, items.len()).iter().fold(0f32, |most, s| most.max(s.abs()));
    let mut got = vec![f32::NAN; edges.len()];
    weighed.gradient(&slopes, &mut got).unwrap_or_else(|e| panic!("refused: {e}"));
    let steepest = sides.iter().flatten().fold(0f32, |most, slope| most.max(slope.abs()));
    let allowed = SLOPE_TOLERANCE * steepest + 1e-3 * largest;
    for ((got, [left, right]), edge) in got.iter().zip(&sides).zip(edges) {
        assert!(
            (left.min(*right) - allowed..=left.max(*right) + allowed).contains(got),
            "user {}, {edge:?}: slope {got}, where scores rise by {left} and {right} (steepest {steepest})",
            user.0
        );
    }
}

fn refusals(recommender: &dyn Recommender) {
    let graph = recommender.graph();
    let items = graph.items() as u32;
    let refused = |user: UserId, edit: &Edit, edges: &[Edge], item: u32| {
        recommender.weighed(user, Profile::Kept, edit, edges, &[ItemId(item)]).err()
    };
    let (somebody, none) = (UserId(0), Edit::none());
    let nobody = UserId(graph.newcomer().0 + 1);
    let unknown = ScoreError::UnknownUser { row: nobody.0, users: graph.users() };
    assert_eq!(refused(nobody, &none, &[], 0), Some(unknown), "a user who does not exist");
    let unknown = ScoreError::UnknownItem { row: items, items: graph.items() };
    assert_eq!(refused(somebody, &none, &[], items), Some(unknown), "an item that does not exist");
    for outside in [Edge::new(0, items), Edge::new(nobody.0, 0)] {
        let error = Some(ScoreError::Edit(EditError::Outside(outside)));
        assert_eq!(refused(somebody, &none, &[outside], 0), error, "weights on {outside:?}");
        assert_eq!(refused(somebody, &Edit::adding([outside]), &[], 0), error, "adding {outside:?}");
    }
    let twice = Edge::new(0, 0);
    let error = Some(ScoreError::WeighedTwice(twice));
    assert_eq!(refused(somebody, &none, &[twice, Edge::new(0, 1), twice], 0), error, "two weights");
    let mut weighed =
        ask(recommender, Situation { user: somebody, profile: Profile::Kept, edit: &none }, &[twice], &[]);
    for weight in [-0.5, f32::INFINITY] {
        assert_eq!(weighed.score(&[weight], &mut []), Err(ScoreError::Weight(weight)), "no weight");
    }
}
