//! What lists of explanations name, the histories they leave, and how personal lists are, counted from the definitions.

use std::collections::{BTreeMap, BTreeSet};

use grease_explain::{Goal, Method, Status};
use grease_graph::{ItemId, Recommender as _, UserId};
use grease_testing::folder;

use super::{calls, close, evaluated, mean, settings};
use crate::unit::{Answer, Done};
use crate::{Cell, Settings, Spread, Table};

/// By repeat: the verified answers of each list of a cell, with whose list it is.
fn lists<'d>(done: &'d [Done], cell: &Cell) -> BTreeMap<usize, Vec<(UserId, Vec<&'d Answer>)>> {
    let row = cell.row;
    let mut lists: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for (done, call) in calls(done) {
        if (call.table, call.k, call.method, call.rigour) == (row.table, row.k, row.method, row.rigour) {
            let verified = |answer: &&Answer| {
                answer.goal == row.goal && !answer.beyond && answer.status == Status::Verified
            };
            let answers = call.answers.iter().filter(verified).collect();
            lists.entry(done.unit.repeat).or_default().push((done.unit.user, answers));
        }
    }
    lists
}

fn overlap(one: &BTreeSet<u32>, other: &BTreeSet<u32>) -> f64 {
    one.intersection(other).count() as f64 / one.union(other).count().max(1) as f64
}

fn history(user: UserId) -> BTreeSet<u32> {
    folder().model.graph().items_of(user).iter().copied().collect()
}

/// How like the history of anybody else: fewer than a thousand have one, so all of them are looked at.
fn plausibility(user: UserId, edited: &BTreeSet<u32>) -> f64 {
    let others = (0..folder().model.graph().users() as u32).map(UserId).filter(|&other| other != user);
    others.map(|other| overlap(edited, &history(other))).fold(0.0, f64::max)
}

fn edited(user: UserId, answer: &Answer) -> BTreeSet<u32> {
    let own = answer.edges.iter().filter(|(whose, _)| *whose == user.0).map(|&(_, item)| item);
    let own: BTreeSet<u32> = own.collect();
    if answer.goal == Goal::Factual { own } else { history(user).difference(&own).copied().collect() }
}

/// Mean and deviation over the repeats that have any.
fn spread(repeats: &[Vec<f64>]) -> Option<Spread> {
    let each: Vec<f64> =
        repeats.iter().filter(|values| !values.is_empty()).map(|values| mean(values)).collect();
    Spread::of(&each)
}

fn assert_same(found: Option<Spread>, expected: Option<Spread>) {
    match (found, expected) {
        (Some(found), Some(expected)) => {
            assert!(
                close(found.mean, expected.mean) && close(found.sd, expected.sd),
                "{found:?} {expected:?}"
            );
        }
        (found, expected) => assert_eq!(found, expected),
    }
}

#[test]
fn what_lists_name_is_counted_as_defined() {
    let place = tempfile::tempdir().unwrap();
    let settings = Settings { goals: vec![Goal::Counterfactual, Goal::Factual, Goal::Joint], ..settings() };
    let (results, done) = evaluated(&settings, place.path());
    let (mut several, mut shared) = (0, 0);
    for cell in &results.models[0].cells {
        let lists = lists(&done, cell);
        let of = |value: &dyn Fn(UserId, &[&Answer]) -> Vec<f64>| -> Vec<Vec<f64>> {
            let each = |lists: &Vec<(UserId, Vec<&Answer>)>| {
                lists.iter().flat_map(|(user, answers)| value(*user, answers)).collect()
            };
            lists.values().map(each).collect()
        };
        let distinct = of(&|_, answers| {
            let edges: BTreeSet<_> = answers.iter().flat_map(|answer| &answer.edges).collect();
            (answers.len() > 1).then_some(edges.len() as f64).into_iter().collect()
        });
        let most = of(&|_, answers| {
            let edges = answers.iter().flat_map(|answer| &answer.edges);
            let naming =
                edges.map(|edge| answers.iter().filter(|answer| answer.edges.contains(edge)).count());
            let most = naming.max().map(|most| most as f64 / answers.len() as f64);
            most.filter(|_| answers.len() > 1).into_iter().collect()
        });
        let after = of(&|user, answers| {
            answers.iter().map(|answer| plausibility(user, &edited(user, answer))).collect()
        });
        let before = of(&|user, answers| vec![plausibility(user, &history(user)); answers.len()]);
        let Some(named) = cell.named else {
            assert_eq!(cell.verified, 0, "{:?}", cell.row);
            continue;
        };
        assert_eq!(named.lists, distinct.concat().len(), "{:?}", cell.row);
        several += named.lists;
        shared += most.concat().iter().filter(|share| **share > 0.5).count();
        assert_same(named.distinct, spread(&distinct));
        assert_same(named.most_named, spread(&most));
        assert_same(named.plausibility, spread(&after));
        assert_same(named.plausibility_before, spread(&before));
    }
    assert!(several > 50 && shared > 0, "{several} lists, {shared} with something in common");
}

#[test]
fn how_personal_lists_are_is_counted_as_defined() {
    let place = tempfile::tempdir().unwrap();
    let settings = Settings { methods: vec![Method::Random], tables: vec![Table::Own], ..settings() };
    let (results, done) = evaluated(&settings, place.path());
    let model = &folder().model;
    let graph = model.graph();
    // The lists, asked for and ranked by hand.
    let shown = |user: UserId, k: usize, score: &dyn Fn(u32) -> f32| -> BTreeSet<u32> {
        let mut items: Vec<u32> =
            (0..graph.items() as u32).filter(|item| !history(user).contains(item)).collect();
        items.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        items.into_iter().take(k).collect()
    };
    let list = |user: UserId, k: usize| {
        let scores = model.scores(user).unwrap();
        shown(user, k, &|item| scores[item as usize])
    };
    let popularity = |item: u32| graph.users_of(ItemId(item)).len() as f32;
    assert_eq!(results.models[0].personal.len(), 2);
    for personal in &results.models[0].personal {
        let mut people: BTreeMap<usize, BTreeSet<UserId>> = BTreeMap::new();
        for (done, _) in calls(&done) {
            people.entry(done.unit.repeat).or_default().insert(done.unit.user);
        }
        let k = personal.k;
        let others = people.values().map(|people| {
            let each = people.iter().map(|&user| {
                let others = people.iter().filter(|&&other| other != user);
                mean(&others.map(|&other| overlap(&list(user, k), &list(other, k))).collect::<Vec<f64>>())
            });
            each.collect()
        });
        assert_same(personal.others, spread(&others.collect::<Vec<_>>()));
        let popular = people.values().map(|people| {
            people.iter().map(|&user| overlap(&list(user, k), &shown(user, k, &popularity))).collect()
        });
        assert_same(personal.popular, spread(&popular.collect::<Vec<_>>()));
        assert_eq!(personal.people, people.values().map(BTreeSet::len).sum::<usize>());
    }
}
