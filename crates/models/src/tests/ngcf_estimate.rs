//! NGCF's local estimate against its exact path.

use grease_graph::{Closely, Edge, Edit, EditError, Graph, Profile, Recommender, ScoreError, Sight, UserId};
use proptest::prelude::*;

use super::{graph, model};
use crate::architecture::{Architecture, Kind, Variant};
use crate::model::Model;

const TOLERANCE: f64 = 1e-5;
const PROFILES: [Profile; 2] = [Profile::Kept, Profile::Neutral];

fn networks(layers: impl IntoIterator<Item = usize>, dim: usize) -> impl Iterator<Item = Architecture> {
    layers.into_iter().flat_map(move |layers| {
        [Variant::Usual, Variant::NormalisedLayers]
            .map(|variant| Architecture { variant, ..Architecture::new(Kind::Ngcf, layers, dim) })
    })
}

/// Everybody is a candidate.
fn closely(model: &Model, user: UserId) -> Box<dyn Closely + '_> {
    model.closely(user, &vec![true; model.graph().items()]).unwrap()
}

/// Estimates of all items, as a panel.
fn estimate(model: &Model, user: UserId, profile: Profile, edit: &Edit) -> Vec<f32> {
    let items: Vec<u32> = (0..model.graph().items() as u32).collect();
    let mut person = closely(model, user);
    let panel = person.choose(&items).unwrap();
    let mut out = vec![f32::NAN; items.len()];
    person.score(profile, edit, panel, &mut out).unwrap();
    out
}

fn error(got: &[f32], want: &[f32]) -> f64 {
    let want: Vec<f64> = want.iter().copied().map(f64::from).collect();
    super::relative_error(got, &want)
}

/// Edits of one person's history: nothing, something, everything, and more than there is.
fn edits(graph: &Graph, user: UserId) -> Vec<Edit> {
    let own: Vec<Edge> = graph.items_of(user).iter().map(|&i| Edge::new(user.0, i)).collect();
    let absent = || (0..graph.items() as u32).map(|i| Edge::new(user.0, i)).filter(|&e| !graph.has(e));
    let lonely = absent().filter(|e| graph.users_of(e.item).len() < 2);
    vec![
        Edit::none(),
        Edit::removing(own.iter().copied().take(1)),
        Edit::removing(own.iter().copied().skip(1)),
        Edit::removing(own.iter().copied()),
        Edit::adding(absent().take(3)),
        Edit::adding(lonely.clone()),
        Edit::new(own.iter().copied().take(2), absent().take(1)),
        Edit::new(own, lonely.chain(absent().take(1))),
    ]
}

fn assert_exact(model: &Model, user: UserId) {
    for profile in PROFILES {
        for edit in edits(model.graph(), user) {
            let want = model.scores_after(user, profile, &edit).unwrap();
            let error = error(&estimate(model, user, profile, &edit), &want);
            assert!(error < TOLERANCE, "{:?}, {profile:?}, {edit:?}: {error}", model.architecture());
        }
    }
}

/// Rows that are two steps away do not change before the second layer.
#[test]
fn one_layer_is_exact() {
    for architecture in networks([0, 1], 7) {
        for graph in [graph(30, 25, 120, 1), graph(30, 25, 8, 2), graph(12, 9, 200, 3)] {
            let model = model(architecture, &graph, graph.users(), 5);
            for user in [UserId(3), UserId(graph.users() as u32 - 1), graph.newcomer()] {
                assert_exact(&model, user);
            }
        }
    }
}

/// Nobody else has the person's items, so there is nobody two steps away.
#[test]
fn somebody_alone_is_exact() {
    let own = (0..6).map(|item| Edge::new(0, item));
    let others = (1..9u32).flat_map(|u| (0..4).map(move |k| Edge::new(u, 10 + (u * 3 + k * k) % 11)));
    let graph = Graph::new(9, 30, &own.clone().chain(others).collect::<Vec<_>>()).unwrap();
    let swap = Edit::new(own.take(3), [Edge::new(0, 25), Edge::new(0, 29)]);
    for architecture in networks(0..=4, 16) {
        let model = model(architecture, &graph, graph.users(), 6);
        for profile in PROFILES {
            for edit in edits(&graph, UserId(0)).into_iter().take(4).chain([swap.clone()]) {
                let want = model.scores_after(UserId(0), profile, &edit).unwrap();
                let error = error(&estimate(&model, UserId(0), profile, &edit), &want);
                assert!(error < TOLERANCE, "{architecture:?}, {profile:?}, {edit:?}: {error}");
            }
        }
    }
}

#[test]
fn nothing_edited_nothing_estimated() {
    for architecture in networks(0..=4, 16) {
        let graph = graph(40, 30, 250, 2);
        let model = model(architecture, &graph, graph.users(), 7);
        for user in [0, 7, 39] {
            let got = estimate(&model, UserId(user), Profile::Kept, &Edit::none());
            assert!(error(&got, &model.scores(UserId(user)).unwrap()) < TOLERANCE);
        }
    }
}

/// What the estimate misses is little beside what the edit does; least where many have what the person has, as in life.
#[test]
fn the_estimate_is_much_closer_than_no_answer() {
    for (graph, most) in
        [(graph(400, 300, 8000, 3), 0.005), (graph(60, 40, 500, 4), 0.03), (graph(60, 40, 110, 5), 0.05)]
    {
        for architecture in networks([2, 3], 16) {
            let model = model(architecture, &graph, graph.users(), 8);
            for (user, profile) in [1, 5, 17, 30].into_iter().zip(PROFILES.into_iter().cycle()) {
                let user = UserId(user);
                let before = model.scores(user).unwrap();
                for edit in edits(&graph, user).into_iter().filter(|edit| !edit.is_empty()) {
                    let exact = model.scores_after(user, profile, &edit).unwrap();
                    let got = estimate(&model, user, profile, &edit);
                    let far = |scores: &[f32]| {
                        scores.iter().zip(&exact).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
                    };
                    let ratio = far(&got) / far(&before);
                    assert!(
                        ratio < most,
                        "{architecture:?}, user {}, {profile:?}, {edit:?}: {ratio}",
                        user.0
                    );
                }
            }
        }
    }
}

#[test]
fn other_peoples_interactions_are_scored_exactly() {
    let graph = graph(30, 25, 120, 1);
    let edge = graph.edges().find(|e| e.user != UserId(3)).unwrap();
    let own = graph.items_of(UserId(3)).iter().map(|&i| Edge::new(3, i)).take(1);
    for architecture in networks([2], 7) {
        let model = model(architecture, &graph, graph.users(), 5);
        for edit in [
            Edit::removing([edge]),
            Edit::removing(own.clone().chain([edge])),
            Edit::history(graph.newcomer(), [1]),
        ] {
            let want = model.scores_after(UserId(3), Profile::Neutral, &edit).unwrap();
            assert_eq!(estimate(&model, UserId(3), Profile::Neutral, &edit), want);
            let best = closely(&model, UserId(3)).best(Profile::Neutral, &edit, 1).unwrap();
            assert!(want.iter().all(|&score| score <= want[best[0] as usize]));
        }
    }
}

/// The same question by every door, in any order, beside any others.
#[test]
fn the_same_question_has_the_same_answer() {
    let graph = graph(40, 30, 250, 2);
    let user = UserId(5);
    for architecture in networks([3], 16) {
        let model = model(architecture, &graph, graph.users(), 9);
        let candidates: Vec<bool> = (0..30).map(|item| item % 7 != 3).collect();
        let mut person = model.closely(user, &candidates).unwrap();
        assert_eq!(person.sight(), Sight::Estimate);
        let items: Vec<u32> = (0..30).rev().step_by(2).collect();
        let panel = person.choose(&items).unwrap();
        let other = person.choose(&[4]).unwrap();
        assert_eq!(person.sums(&[0], 1, panel, true).unwrap(), None);
        let questions: Vec<(Profile, Edit)> =
            PROFILES.into_iter().flat_map(|p| edits(&graph, user).into_iter().map(move |e| (p, e))).collect();
        for (at, (profile, edit)) in questions.iter().enumerate().chain(questions.iter().enumerate().rev()) {
            let want = estimate(&model, user, *profile, edit);
            let mut got = [f32::NAN; 15];
            if at % 2 == 0 {
                person.score(*profile, edit, other, &mut got[..1]).unwrap();
                assert_eq!(got[0], want[4]);
            }
            let mut ranked: Vec<u32> = (0..30).filter(|&i| candidates[i as usize]).collect();
            ranked.sort_by(|&a, &b| want[b as usize].total_cmp(&want[a as usize]).then(a.cmp(&b)));
            assert_eq!(person.best(*profile, edit, 12).unwrap(), ranked[..12]);
            person.score(*profile, edit, panel, &mut got).unwrap();
            items.iter().zip(got).for_each(|(&item, got)| assert_eq!(got, want[item as usize]));
            let threshold = want[ranked[9] as usize];
            let mut above: Vec<u32> =
                ranked[..9].iter().copied().filter(|item| !items.contains(item)).collect();
            above.sort_unstable();
            assert_eq!(person.above(*profile, edit, panel, threshold).unwrap(), above);
        }
    }
}

#[test]
fn senseless_questions_are_refused() {
    let graph = graph(30, 25, 120, 1);
    let model = model(Architecture::new(Kind::Ngcf, 2, 7), &graph, graph.users(), 5);
    let mut person = closely(&model, UserId(3));
    assert_eq!(person.choose(&[0, 25]), Err(ScoreError::UnknownItem { row: 25, items: 25 }));
    let panel = person.choose(&[2, 0]).unwrap();
    let mut out = [0f32; 3];
    assert_eq!(
        person.score(Profile::Kept, &Edit::none(), panel, &mut out),
        Err(ScoreError::Room { got: 3, expected: 2 })
    );
    let absent = (0..25).map(|i| Edge::new(3, i)).find(|&e| !graph.has(e)).unwrap();
    let refused = Err(ScoreError::Edit(EditError::NotThere(absent)));
    assert_eq!(person.score(Profile::Kept, &Edit::removing([absent]), panel, &mut out[..2]), refused);
    let mut nobody = closely(&model, UserId(31));
    let unknown = ScoreError::UnknownUser { row: 31, users: 30 };
    assert_eq!(nobody.best(Profile::Kept, &Edit::none(), 3), Err(unknown.clone()));
    assert_eq!(nobody.above(Profile::Kept, &Edit::none(), panel, 0.0), Err(unknown));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Any person, any edit of theirs: numbers, and the same ones as the exact path's where one layer is all there is.
    #[test]
    fn estimates_are_finite(
        edges in prop::collection::vec((0u32..11, 0u32..9).prop_map(|(u, i)| Edge::new(u, i)), 0..60),
        flips in prop::collection::vec(0u32..9, 0..12),
        user in 0u32..=11,
        neutral: bool,
        normalised: bool,
        layers in 0usize..=4,
        dim in 1usize..=9,
        seed: u64,
    ) {
        let graph = Graph::new(11, 9, &edges).unwrap();
        let variant = if normalised { Variant::NormalisedLayers } else { Variant::Usual };
        let architecture = Architecture { variant, ..Architecture::new(Kind::Ngcf, layers, dim) };
        let model = model(architecture, &graph, graph.users(), seed);
        let (removed, added): (Vec<Edge>, Vec<Edge>) =
            flips.into_iter().map(|item| Edge::new(user, item)).partition(|&e| graph.has(e));
        let (edit, profile) = (Edit::new(removed, added), PROFILES[usize::from(neutral)]);
        let got = estimate(&model, UserId(user), profile, &edit);
        prop_assert!(got.iter().all(|score| score.is_finite()), "{got:?}");
        if layers < 2 {
            let want = model.scores_after(UserId(user), profile, &edit).unwrap();
            let error = error(&got, &want);
            // Of one value, nothing but the sign is left when it is divided by its length.
            prop_assert!(error < 1e-4 || dim == 1, "{edit:?}: {error}");
        }
    }
}
