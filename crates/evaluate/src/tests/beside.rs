//! Methods beside grease, and proofs of how short answers can be, from the definitions.

use std::collections::{BTreeMap, BTreeSet};

use grease_explain::{Goal, Method, Rigour, Status};
use grease_graph::{Edge, Edit, Profile, Recommender as _, UserId};
use grease_testing::folder;

use super::{calls, close, evaluated, settings};
use crate::unit::{Answer, Done};
use crate::{Interval, Row, Settings, Table};

/// A pair: repeat, person, item.
type Pair = (usize, UserId, u32);

/// The verified edges of each pair of a row.
fn lengths(done: &[Done], row: Row) -> BTreeMap<Pair, Option<usize>> {
    let mut lengths = BTreeMap::new();
    for (done, call) in calls(done) {
        if (call.table, call.k, call.method, call.rigour) == (row.table, row.k, row.method, row.rigour) {
            for answer in call.answers.iter().filter(|answer| answer.goal == row.goal && !answer.beyond) {
                let verified = (answer.status == Status::Verified).then_some(answer.edges.len());
                lengths.insert((done.unit.repeat, done.unit.user, answer.item), verified);
            }
        }
    }
    lengths
}

/// The interval of a mean over pairs, lists being what is drawn, from each list's distance to what it should add up to.
fn interval(values: &BTreeMap<Pair, f64>) -> Option<Interval> {
    let mut lists: BTreeMap<(usize, UserId), Vec<f64>> = BTreeMap::new();
    for (&(repeat, user, _), &value) in values {
        lists.entry((repeat, user)).or_default().push(value);
    }
    let pairs = values.len() as f64;
    let mean = values.values().sum::<f64>() / pairs;
    let off = lists.values().map(|list| (list.iter().sum::<f64>() - mean * list.len() as f64).powi(2));
    let count = lists.len() as f64;
    let reach = 1.959_963_984_540_054 * (off.sum::<f64>() * count / (count - 1.0)).sqrt() / pairs;
    (lists.len() > 1).then_some(Interval { mean, low: mean - reach, high: mean + reach })
}

fn assert_near(found: Option<Interval>, expected: Option<Interval>) {
    match (found, expected) {
        (Some(found), Some(expected)) => {
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(
                near(found.mean, expected.mean) && near(found.low, expected.low),
                "{found:?} {expected:?}"
            );
            assert!(near(found.high, expected.high), "{found:?} {expected:?}");
        }
        (found, expected) => assert_eq!(found, expected),
    }
}

#[test]
fn every_method_is_held_against_grease_on_the_same_pairs() {
    let place = tempfile::tempdir().unwrap();
    let methods = vec![Method::Grease, Method::Random, Method::Cosine, Method::LeaveOneOut];
    let settings = Settings { methods, ..settings() };
    let (results, done) = evaluated(&settings, place.path());
    let mut differing = 0;
    for cell in &results.models[0].cells {
        if cell.row.method == Method::Grease {
            assert!(cell.beside_grease.is_none() && cell.against_grease.is_none());
            continue;
        }
        let grease = Row { method: Method::Grease, rigour: Rigour::Certified, ..cell.row };
        let (here, there) = (lengths(&done, cell.row), lengths(&done, grease));
        let one = |length: &Option<usize>| f64::from(u8::from(length.is_some()));
        let ahead: BTreeMap<Pair, f64> =
            here.iter().map(|(pair, length)| (*pair, one(&there[pair]) - one(length))).collect();
        let beside = cell.beside_grease.unwrap();
        let verified = |lengths: &BTreeMap<Pair, Option<usize>>| {
            here.keys().filter(|pair| lengths[pair].is_some()).count()
        };
        assert_eq!(
            (beside.pairs, beside.verified, beside.grease),
            (here.len(), verified(&here), verified(&there))
        );
        assert_near(beside.ahead, interval(&ahead));
        differing += usize::from(beside.verified != beside.grease);
        let longer: BTreeMap<Pair, f64> = here
            .iter()
            .filter_map(|(pair, length)| Some((*pair, (*length)? as f64 - there[pair]? as f64)))
            .collect();
        match cell.against_grease {
            Some(both) => {
                assert_eq!(both.pairs, longer.len());
                assert!(
                    (both.edges - both.other_edges - longer.values().sum::<f64>() / longer.len() as f64)
                        .abs()
                        < 1e-9
                );
                assert_near(both.longer, interval(&longer));
            }
            None => assert!(longer.is_empty()),
        }
    }
    assert!(differing > 5, "methods found the same: {differing}");
}

/// Whether the person's item is off the list without these interactions, or on it by these alone.
fn does_it(user: UserId, k: usize, answer: &Answer, named: &BTreeSet<u32>) -> bool {
    let model = &folder().model;
    let history: BTreeSet<u32> = model.graph().items_of(user).iter().copied().collect();
    let (removed, profile): (BTreeSet<u32>, Profile) = match answer.goal {
        Goal::Factual => (history.difference(named).copied().collect(), Profile::Neutral),
        _ => (named.clone(), Profile::Kept),
    };
    let removed = Edit::removing(removed.into_iter().map(|item| Edge::new(user.0, item)));
    let scores = model.scores_after(user, profile, &removed).unwrap();
    let mine = scores[answer.item as usize];
    let better = |&item: &u32| !history.contains(&item) && scores[item as usize] > mine;
    let is_on = (0..scores.len() as u32).filter(better).count() < k;
    is_on == (answer.goal == Goal::Factual)
}

/// Every answer called a minimum is checked against all sets that are smaller, up to two.
#[test]
fn no_smaller_set_does_what_is_called_a_minimum() {
    let place = tempfile::tempdir().unwrap();
    let methods = vec![Method::Grease, Method::Random, Method::Cosine];
    let settings = Settings {
        tables: vec![Table::Own],
        methods,
        prove: 40_000,
        ks: vec![5],
        max_remove: 4,
        ..settings()
    };
    let (results, done) = evaluated(&settings, place.path());
    let (mut minima, mut longer) = (BTreeMap::new(), BTreeMap::new());
    for done in done.iter().filter(|done| !done.proofs.is_empty()) {
        let user = done.unit.user;
        for call in &done.calls {
            let verified = |answer: &&Answer| answer.status == Status::Verified && !answer.beyond;
            for answer in call.answers.iter().filter(verified) {
                let of = |proof: &&crate::unit::Proof| {
                    (proof.k, proof.goal, proof.item) == (call.k, answer.goal, answer.item)
                };
                let Some(proof) = done.proofs.iter().find(of) else { continue };
                let row = call.row(answer.goal);
                if answer.edges.len() > proof.edges {
                    *longer.entry(row).or_insert(0) += 1;
                } else if proof.is_proved {
                    *minima.entry(row).or_insert(0) += 1;
                    let history = folder().model.graph().items_of(user);
                    for (at, &one) in history.iter().enumerate().filter(|_| answer.edges.len() > 1) {
                        assert!(!does_it(user, call.k, answer, &BTreeSet::from([one])));
                        for &two in history[at + 1..].iter().filter(|_| answer.edges.len() > 2) {
                            assert!(!does_it(user, call.k, answer, &BTreeSet::from([one, two])));
                        }
                    }
                }
            }
        }
    }
    for cell in &results.models[0].cells {
        let Some(proved) = cell.proved else { continue };
        let of = |counts: &BTreeMap<Row, usize>| counts.get(&cell.row).copied().unwrap_or(0);
        assert_eq!((proved.minimum, proved.longer), (of(&minima), of(&longer)), "{:?}", cell.row);
        assert!(close(proved.share, proved.minimum as f64 / cell.verified as f64));
        if cell.row.method == Method::Grease {
            assert!(proved.share > 0.9, "proving costs next to nothing here: {cell:?}");
        }
    }
    assert!(
        minima.values().sum::<usize>() > 100 && longer.values().sum::<usize>() > 5,
        "{minima:?} {longer:?}"
    );
}
