//! Whole histories in the order of a method.

use std::collections::BTreeSet;
use std::sync::Arc;

use grease_explain::{ExplainError, Explainer, Items, Method, Ordered, Task, Who};
use grease_graph::{Edge, Edit, Profile, Recommender as _, UserId};
use grease_models::Model;

use crate::support::{models, slow_scores};

const K: usize = 5;

fn orders(model: &Model, user: u32, method: Method) -> Vec<Ordered> {
    let explainer = Explainer::new(Arc::new(model.clone()), method);
    // Fewer questions than there are interactions: an order is of all of them all the same.
    let task = Task { queries: 2, ..Task::new(Who::Known(UserId(user)), K) };
    explainer.orders(&task, &Items::List).unwrap()
}

#[test]
fn every_interaction_has_its_place_for_every_item() {
    for model in models() {
        for method in Method::ALL.into_iter().filter(|method| method.has_an_order()) {
            for user in 0..4 {
                let history: BTreeSet<u32> = model.graph().items_of(UserId(user)).iter().copied().collect();
                let orders = orders(model, user, method);
                assert_eq!(orders.len(), K, "{method}");
                for order in orders {
                    let items: BTreeSet<u32> = order.edges.iter().map(|edge| edge.item.0).collect();
                    assert_eq!((order.edges.len(), &items), (history.len(), &history), "{method}");
                }
            }
        }
    }
}

/// What each interaction does alone, by rebuilding the graph.
#[test]
fn leave_one_out_has_those_first_that_do_most() {
    for model in models() {
        for user in 0..4 {
            let history = model.graph().items_of(UserId(user));
            for order in orders(model, user, Method::LeaveOneOut) {
                let margin = |edge: &Edge| {
                    let without = Edit::removing([*edge]);
                    let scores = slow_scores(model, UserId(user), Profile::Kept, &without);
                    let rivals = (0..scores.len() as u32)
                        .filter(|item| *item != order.item.0 && !history.contains(item));
                    let mut rivals: Vec<f64> = rivals.map(|item| scores[item as usize]).collect();
                    rivals.sort_by(|a, b| b.total_cmp(a));
                    scores[order.item.row()] - rivals[K - 1]
                };
                let margins: Vec<f64> = order.edges.iter().map(margin).collect();
                let rounding = 1e-5 * margins.iter().fold(1f64, |most, margin| most.max(margin.abs()));
                assert!(margins.windows(2).all(|two| two[0] <= two[1] + rounding), "{margins:?}");
            }
        }
    }
}

#[test]
fn methods_without_an_order_say_so() {
    let [model, _] = models();
    let task = Task::new(Who::Known(UserId(0)), K);
    for method in Method::ALL.into_iter().filter(|method| !method.has_an_order()) {
        let explainer = Explainer::new(Arc::new(model.clone()), method);
        assert!(matches!(explainer.orders(&task, &Items::List), Err(ExplainError::NoOrder(_))), "{method}");
    }
}
