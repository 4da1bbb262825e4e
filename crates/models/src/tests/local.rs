//! Local answers against the whole path and the slow one.

use grease_graph::{
    Abilities, Access, Edge, Edit, Graph, Profile, Recommender, ScoreError, Sight, UserId, check_request,
    conformance,
};
use proptest::prelude::*;

use super::{graph, model, slow};
use crate::architecture::{Architecture, Kind};
use crate::model::Model;

/// A model that is only ever looked at closely: every item in one panel.
struct ByCloseLook(Model);

impl Recommender for ByCloseLook {
    fn graph(&self) -> &Graph {
        self.0.graph()
    }

    fn access(&self) -> Access {
        Access::Queryable
    }

    fn abilities(&self) -> Abilities {
        Abilities::ALL
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_request(self.graph(), user, edits, out)?;
        let items: Vec<u32> = (0..self.graph().items() as u32).collect();
        let mut close = self.0.closely(user, &vec![true; items.len()]).expect("shallow enough");
        assert_eq!(close.sight(), Sight::Exact);
        let panel = close.choose(&items)?;
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(items.len().max(1))) {
            close.score(profile, edit, panel, out)?;
        }
        Ok(())
    }
}

#[test]
fn local_answers_of_any_depth_and_width_pass_the_suite() {
    for (layers, dim) in [(1, 7), (2, 7), (3, 7), (3, 3), (3, 16), (3, 64)] {
        let architecture = Architecture::new(Kind::LightGcn, layers, dim);
        conformance::check(&|graph| Box::new(ByCloseLook(model(architecture, graph, conformance::USERS, 3))));
    }
}

#[test]
fn models_too_shallow_or_too_deep_are_asked_in_the_usual_way() {
    let graph = graph(30, 25, 120, 1);
    for layers in [0, 4] {
        let model = model(Architecture::new(Kind::LightGcn, layers, 7), &graph, 30, 3);
        assert!(model.closely(UserId(1), &[true; 25]).is_none());
    }
}

/// An edit of anything: the person's own interactions, and a few of others.
fn edit_of(graph: &Graph, user: UserId, own: u32, others: u32) -> Edit {
    let mut removed: Vec<Edge> = Vec::new();
    for (at, &item) in graph.items_of(user).iter().enumerate() {
        if own >> (at % 32) & 1 == 1 {
            removed.push(Edge::new(user.0, item));
        }
    }
    let of_others = graph.edges().filter(|edge| edge.user != user);
    removed.extend(
        of_others.enumerate().filter(|(at, _)| (at * 7 + 3) as u32 % 61 == others % 97).map(|(_, e)| e),
    );
    let absent = (0..graph.items() as u32).map(|item| Edge::new(user.0, item)).filter(|&e| !graph.has(e));
    let added = absent.enumerate().filter(|(at, _)| own >> ((at + 5) % 29) & 3 == 3).map(|(_, e)| e);
    Edit::new(removed, added)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Some items, whatever is touched, whatever was asked before: as the slow path in double precision has it. And nobody outside
    /// the panel is above what is asked about but those that are named.
    #[test]
    fn local_answers_are_those_of_the_slow_path(
        layers in 1usize..=3, seed in 0u64..40, dense in 60usize..300, person in 0u32..28, own: u32, others in 0u32..97,
        neutral: bool, size in 1usize..12, threshold in -0.5f64..1.0,
    ) {
        let graph = graph(27, 30, dense, seed);
        let architecture = Architecture::new(Kind::LightGcn, layers, 12);
        let model = model(architecture, &graph, graph.users(), seed + 1);
        let (user, profile) = (UserId(person.min(27)), if neutral { Profile::Neutral } else { Profile::Kept });
        let edits = [edit_of(&graph, user, own, others), edit_of(&graph, user, own & 1, 96), Edit::none()];
        let candidates: Vec<bool> = (0..30).map(|item| item % 5 != 2).collect();
        let mut close = model.closely(user, &candidates).unwrap();
        let items: Vec<u32> = (0..30).filter(|item| (item * 7 + seed as u32) % 12 < size as u32).collect();
        let panel = close.choose(&items).unwrap();
        let fresh = |edit: &Edit| {
            let mut close = model.closely(user, &candidates).unwrap();
            let panel = close.choose(&items).unwrap();
            let mut out = vec![0f32; items.len()];
            close.score(profile, edit, panel, &mut out).unwrap();
            out
        };
        for edit in &edits {
            let want = slow(architecture, &graph, model.weights()).scores(user, profile, edit);
            let largest = want.iter().fold(0f64, |most, w| most.max(w.abs()));
            let mut got = vec![0f32; items.len()];
            close.score(profile, edit, panel, &mut got).unwrap();
            prop_assert_eq!(&got, &fresh(edit), "the same whatever was asked before");
            for (&item, &got) in items.iter().zip(&got) {
                let error = (f64::from(got) - want[item as usize]).abs();
                prop_assert!(error <= 2e-6 * largest, "{item}: {got} instead of {} ({largest})", want[item as usize]);
            }
            let line = threshold * largest;
            let above = close.above(profile, edit, panel, line as f32).unwrap();
            for item in 0..30u32 {
                let is_above = want[item as usize] > line + 1e-9 * largest;
                if is_above && candidates[item as usize] && !items.contains(&item) {
                    prop_assert!(above.contains(&item), "{item} is above {line}: {}", want[item as usize]);
                }
            }
            prop_assert!(above.iter().all(|item| candidates[*item as usize] && !items.contains(item)));
            let best = close.best(profile, edit, 3).unwrap();
            prop_assert!(best.len() == 3 && best.iter().all(|item| candidates[*item as usize]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Sums say what every set of a size does, no further off than they say, and who is outside stays below what they say.
    #[test]
    fn sums_are_no_further_off_than_they_say(
        layers in 1usize..=3, seed in 0u64..60, dense in 40usize..300, person in 0u32..24, size in 1usize..5, chosen: u32,
    ) {
        let graph = graph(27, 30, dense, seed);
        let architecture = Architecture::new(Kind::LightGcn, layers, 12);
        let model = model(architecture, &graph, graph.users(), seed + 1);
        let user = UserId(person);
        let own = graph.items_of(user);
        let candidates: Vec<bool> = (0..30u32).map(|item| !own.contains(&item)).collect();
        let (inside, outside): (Vec<u32>, Vec<u32>) =
            (0..30u32).filter(|item| candidates[*item as usize]).partition(|item| chosen >> item & 1 == 1);
        let mut close = model.closely(user, &candidates).unwrap();
        let panel = close.choose(&inside).unwrap();
        let items: Vec<u32> = own.iter().copied().enumerate().filter(|(at, _)| at % 7 != 6).map(|(_, item)| item).collect();
        let Some(sums) = close.sums(&items, size, panel, true).unwrap() else {
            prop_assert!(size >= own.len() || size > items.len());
            return Ok(());
        };
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..size {
            let longer = |set: &Vec<usize>| {
                let first = set.last().map_or(0, |last| last + 1);
                let set = set.clone();
                (first..items.len()).map(move |at| [&set[..], &[at]].concat())
            };
            sets = sets.iter().flat_map(longer).collect();
        }
        for set in sets.into_iter().step_by(7).take(20) {
            let edit = Edit::removing(set.iter().map(|&at| Edge::new(user.0, items[at])));
            let want = slow(architecture, &graph, model.weights()).scores(user, Profile::Kept, &edit);
            for (at, &item) in inside.iter().enumerate() {
                let changes = set.iter().map(|t| sums.change[t * inside.len() + at]);
                let sum = sums.start[at] + changes.sum::<f32>();
                let off = (f64::from(sum) - want[item as usize]).abs();
                let weight: f32 = set.iter().map(|t| sums.weight[*t]).sum();
                let slack = sums.slack[at] + sums.slack_by_weight[at] * weight;
                prop_assert!(off <= f64::from(slack), "{item}: off by {off}, said {slack}");
            }
            for &item in &outside {
                prop_assert!(want[item as usize] <= f64::from(sums.outside), "{item}: {} {}", want[item as usize], sums.outside);
            }
        }
    }
}

/// The whole path is counted apart.
#[test]
fn how_answers_came_about_is_counted() {
    let graph = graph(30, 25, 120, 1);
    let model = model(Architecture::new(Kind::LightGcn, 3, 16), &graph, 30, 8);
    let mut close = model.closely(UserId(3), &[true; 25]).unwrap();
    let panel = close.choose(&[1, 2]).unwrap();
    let first = Edge::new(3, graph.items_of(UserId(3))[0]);
    close.score(Profile::Kept, &Edit::removing([first]), panel, &mut [0.0; 2]).unwrap();
    let work = model.work().unwrap();
    assert_eq!((work.local, work.products, work.whole), (1, 0, 0));
    model.scores_after(UserId(3), Profile::Kept, &Edit::removing([first])).unwrap();
    assert_eq!(model.work().unwrap().whole, 1);
}
