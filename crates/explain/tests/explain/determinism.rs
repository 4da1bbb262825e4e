//! The same seed gives the same explanations, whatever the number of threads, whoever came before, whatever else is asked.

use std::sync::Arc;

use grease_explain::{Explainer, Explanation, Goal, Items, Method, Scope, Task, Who};
use grease_graph::{ItemId, UserId};
use rayon::prelude::*;

use crate::support::{SCOPES, cited, is_defined, models};

const PEOPLE: [u32; 3] = [3, 11, 20];

fn task(user: u32, scope: Scope) -> Task {
    Task { scope, alternatives: 1, ..Task::new(Who::Known(UserId(user)), 4) }
}

fn goals(method: Method, scope: Scope) -> Vec<Goal> {
    [Goal::Factual, Goal::Counterfactual]
        .into_iter()
        .filter(|&goal| is_defined(method, scope, goal))
        .collect()
}

/// All explanations of everybody, to the last bit of every number.
fn everything(explainer: &Explainer, people: &[u32], scope: Scope) -> Vec<String> {
    let method = explainer.method();
    let explained = |&user: &u32| {
        format!("{:?}", explainer.explain(&task(user, scope), &Items::List, &goals(method, scope)).unwrap())
    };
    people.par_iter().map(explained).collect()
}

#[test]
fn one_thread_or_two_and_in_any_order_the_bytes_are_the_same() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, two) = (pool(1), pool(2));
    for model in models() {
        for method in Method::ALL {
            // Two explainers: each learns what it keeps about the recommender from somebody else's question.
            let (first, second) = (
                Explainer::new(Arc::new(model.clone()), method),
                Explainer::new(Arc::new(model.clone()), method),
            );
            for scope in SCOPES {
                if goals(method, scope).is_empty() {
                    continue;
                }
                let alone = one.install(|| everything(&first, &PEOPLE, scope));
                let mut reversed = PEOPLE;
                reversed.reverse();
                let mut together = two.install(|| everything(&second, &reversed, scope));
                together.reverse();
                assert_eq!(alone, together, "{method}, {scope:?}");
            }
        }
    }
}

#[test]
fn another_seed_makes_another_random_order() {
    let model = &models()[0];
    let with_seed = |seed| {
        let explainer = Explainer::new(Arc::new(model.clone()), Method::Random);
        let explained = PEOPLE.map(|user| {
            let task = Task { seed, ..task(user, Scope::Own) };
            explainer.explain(&task, &Items::List, &[Goal::Counterfactual]).unwrap()
        });
        explained.iter().flatten().map(cited).collect::<Vec<_>>()
    };
    assert_ne!(with_seed(1), with_seed(2));
}

/// One item alone or with the list, one goal or several: the same edges. (Questions are shared, so their number differs;
/// beyond own interactions `grease` fits its surrogate around all items it is asked about.)
#[test]
fn an_item_alone_has_the_explanation_it_has_within_the_list() {
    let told = |e: &Explanation| Explanation::clone(e);
    for model in models() {
        for method in Method::ALL {
            let explainer = Explainer::new(Arc::new(model.clone()), method);
            let task = task(11, Scope::Own);
            let both = [Goal::Factual, Goal::Counterfactual];
            let list = explainer.explain(&task, &Items::List, &both).unwrap();
            assert!(!list.is_empty());
            let items: Vec<ItemId> = list.iter().map(|e| e.item).collect();
            for goal in both {
                for &item in &items {
                    let alone = explainer.explain(&task, &Items::These(vec![item, item]), &[goal]).unwrap();
                    let within: Vec<Explanation> =
                        list.iter().filter(|e| (e.item, e.goal) == (item, goal)).map(told).collect();
                    assert_eq!(alone.len(), within.len(), "an item asked for twice is explained once");
                    for (mut a, b) in alone.into_iter().zip(within) {
                        a.queries = b.queries;
                        assert_eq!(a, b, "{method}");
                    }
                }
            }
        }
    }
}
