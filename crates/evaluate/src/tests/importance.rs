//! Importance curves, from the definitions: every list emptied by hand.

use std::collections::BTreeSet;
use std::sync::Arc;

use grease_explain::{Explainer, Items, Method, Task, Who};
use grease_graph::{Edge, Edit, Profile, Recommender as _, UserId};
use grease_testing::folder;

use super::{close, evaluated, mean, settings};
use crate::unit::Purpose;
use crate::{Settings, Table};

const K: usize = 5;

/// The items of the person's list without these interactions, sorted by hand.
fn list(user: UserId, removed: &BTreeSet<Edge>) -> Vec<u32> {
    let model = &folder().model;
    let history = model.graph().items_of(user);
    let edit = Edit::removing(removed.iter().copied());
    let scores = model.scores_after(user, Profile::Kept, &edit).unwrap();
    let mut items: Vec<u32> = (0..scores.len() as u32).filter(|item| !history.contains(item)).collect();
    items.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
    items.truncate(K);
    items
}

#[test]
fn what_is_left_of_lists_is_counted_as_defined() {
    let place = tempfile::tempdir().unwrap();
    let methods = vec![Method::Grease, Method::Random, Method::LeaveOneOut];
    let settings =
        Settings { tables: vec![Table::Own], methods, ks: vec![K], importance_people: 3, ..settings() };
    let (results, done) = evaluated(&settings, place.path());
    let importances = &results.models[0].importance;
    let names: Vec<Method> = importances.iter().map(|importance| importance.method).collect();
    assert_eq!(names, [Method::Random, Method::LeaveOneOut], "those that have an order");
    for importance in importances {
        // By repeat: the share of tenths and items that are still listed.
        let mut repeats = vec![[Vec::new(), Vec::new()]; settings.repeats];
        let mut people = 0;
        for done in done.iter().filter(|done| !done.removals.is_empty()) {
            assert_eq!(done.unit.purpose, Purpose::Tables);
            people += 1;
            let user = done.unit.user;
            let explainer = Explainer::new(Arc::new(folder().model.clone()), importance.method);
            let task = Task { seed: settings.seed_of(done.unit.repeat), ..Task::new(Who::Known(user), K) };
            for order in explainer.orders(&task, &Items::List).unwrap() {
                let history = order.edges.len();
                for tenth in 1..=10 {
                    let gone = (history as f64 * f64::from(tenth) / 10.0 - 1e-9).ceil() as usize;
                    let first = order.edges[..gone].iter().copied().collect();
                    let last = order.edges[history - gone..].iter().copied().collect();
                    for (at, removed) in [first, last].iter().enumerate() {
                        let is_listed = list(user, removed).contains(&order.item.0);
                        repeats[done.unit.repeat][at].push(f64::from(u8::from(is_listed)));
                    }
                }
            }
        }
        assert_eq!((importance.people, people), (3 * settings.repeats, 3 * settings.repeats));
        assert_eq!(importance.pairs, people * K);
        for (at, found) in [importance.most_first, importance.least_first].into_iter().enumerate() {
            let each: Vec<f64> = repeats.iter().map(|repeat| mean(&repeat[at])).collect();
            assert!(close(found.unwrap().mean, mean(&each)), "{importance:?}");
        }
        let all: Vec<f64> = repeats.iter().flat_map(|repeat| repeat[0].clone()).collect();
        assert!((mean(&importance.listed_most_first) - mean(&all)).abs() < 1e-12);
        assert!(
            importance.listed_least_first[9] == importance.listed_most_first[9],
            "all is gone either way"
        );
    }
    let most_first = |at: usize| importances[at].most_first.unwrap().mean;
    assert!(most_first(1) < most_first(0), "leave-one-out knows more than chance: {importances:?}");
}
