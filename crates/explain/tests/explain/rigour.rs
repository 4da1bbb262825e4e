//! Methods in their own right, and looking beyond the caps.

use std::sync::Arc;

use grease_explain::{
    Caps, ExplainError, Explainer, Explanation, Goal, Items, Method, Rigour, Scope, Status, Task, Who,
};
use grease_graph::{Edit, ItemId, Profile, Recommender, UserId, recommend};
use grease_models::Model;

use crate::audit::Auditor;
use crate::support::{models, slow_scores};

const GOALS: [Goal; 2] = [Goal::Factual, Goal::Counterfactual];

fn explained(model: &Model, method: Method, task: &Task) -> Vec<Explanation> {
    Explainer::new(Arc::new(model.clone()), method).explain(task, &Items::List, &GOALS).unwrap()
}

/// In order, nothing is pruned. Certified, as much is found, and what is found is as good as never longer: galloping may jump over a
/// short prefix that does it where a longer one does not.
#[test]
fn in_order_stops_at_the_first_prefix_that_does_it_and_certifying_betters_it() {
    let (mut shorter, mut longer, mut solved) = (0, 0, 0);
    for model in models() {
        let truth = |user: UserId, profile: Profile, edit: &Edit| slow_scores(model, user, profile, edit);
        for method in Method::ALL.into_iter().filter(|method| method.has_an_order()) {
            for user in [1, 2, 5, 9, 17] {
                let task = Task::new(Who::Known(UserId(user)), 5);
                let in_order = Task { rigour: Rigour::InOrder, ..task.clone() };
                let list = recommend(model, &task.who, task.k, &task.candidates).unwrap();
                let list: Vec<ItemId> = list.iter().map(|listed| listed.item).collect();
                let auditor = Auditor {
                    graph: model.graph(),
                    task: &in_order,
                    together: &list,
                    truth: &truth,
                    rounding: 1e-5,
                };
                let both =
                    explained(model, method, &in_order).into_iter().zip(explained(model, method, &task));
                for (plain, certified) in both {
                    auditor.check(&plain);
                    assert_eq!((plain.item, plain.goal), (certified.item, certified.goal));
                    // What follows the order to the cap is tried when certifying, too; beyond it, more may be found.
                    assert!(
                        plain.status() != Status::Verified || certified.status() == Status::Verified,
                        "{plain:?} {certified:?}"
                    );
                    assert_eq!(plain.minimal().filter(|_| plain.status() == Status::Verified), None);
                    if plain.status() == Status::Verified {
                        solved += 1;
                        shorter += usize::from(certified.edges().len() < plain.edges().len());
                        longer += usize::from(certified.edges().len() > plain.edges().len());
                    }
                }
            }
        }
    }
    assert!(solved > 50 && shorter > 5, "{shorter} of {solved} got shorter: nothing was tested");
    assert!(50 * longer <= solved, "{longer} of {solved} got longer");
}

#[test]
fn only_orders_can_be_followed_in_order() {
    let model = &models()[0];
    let task = Task { rigour: Rigour::InOrder, ..Task::new(Who::Known(UserId(0)), 5) };
    for method in [Method::Grease, Method::Paper, Method::Exact] {
        let refused = Explainer::new(Arc::new(model.clone()), method).explain(&task, &Items::List, &GOALS);
        assert_eq!(refused, Err(ExplainError::NoOrder(method)));
    }
}

/// Looking beyond adds answers and changes none; what it adds follows the answer that nothing was found, and holds.
#[test]
fn looking_beyond_the_caps_changes_nothing_within_them() {
    let (mut added, mut longer) = (0, 0);
    for model in models() {
        let truth = |user: UserId, profile: Profile, edit: &Edit| slow_scores(model, user, profile, edit);
        for method in Method::ALL {
            let scope = if method == Method::Paper { Scope::Target } else { Scope::Own };
            for user in [1, 2, 5, 9] {
                let task = Task { caps: Caps::both(1), scope, ..Task::new(Who::Known(UserId(user)), 5) };
                let further = Task { beyond: Some(Caps::both(6)), ..task.clone() };
                let wide = Task { caps: Caps::both(6), ..task.clone() };
                let list = recommend(model, &task.who, task.k, &task.candidates).unwrap();
                let list: Vec<ItemId> = list.iter().map(|listed| listed.item).collect();
                let auditor = Auditor {
                    graph: model.graph(),
                    task: &wide,
                    together: &list,
                    truth: &truth,
                    rounding: 1e-5,
                };
                let mut within = explained(model, method, &task).into_iter();
                let mut last: Option<Explanation> = None;
                for e in explained(model, method, &further) {
                    match &last {
                        Some(before) if (before.item, before.goal) == (e.item, e.goal) => {
                            assert_eq!(before.status(), Status::NotFound);
                            longer += usize::from(e.edges().len() > 1);
                            assert!(matches!(e.status(), Status::Verified | Status::Refuted));
                            auditor.check(&e);
                            added += 1;
                        }
                        _ => {
                            let alone = within.next().unwrap();
                            assert_eq!((alone.status(), &alone.edges()), (e.status(), &e.edges()));
                            assert_eq!(alone.reason().map(|r| r.code()), e.reason().map(|r| r.code()));
                        }
                    }
                    last = Some(e);
                }
                assert!(within.next().is_none());
            }
        }
    }
    // Pruning may bring an answer from beyond back within the caps.
    assert!(added > 30 && longer > 20, "{longer} of {added} longer: nothing was tested");
}
