//! How far an explanation may reach.

use grease_explain::{Goal, Items, Method, Scope, Status, Task, Who};
use grease_graph::UserId;
use grease_graph::doubles::CoNeighbours;

use crate::support::{cited, explain, graph, models, one, task};

/// A wider scope is tried after the narrow one, with what is left of the budget: it can only do better.
#[test]
fn wider_scopes_explain_no_less_and_with_no_more() {
    for model in models() {
        for user in [5, 16, 27] {
            let sizes = |scope| -> Vec<Option<usize>> {
                let task = Task { scope, ..Task::new(Who::Known(UserId(user)), 5) };
                let found =
                    explain(model, Method::Grease, &task, &Items::List, &[Goal::Counterfactual]).unwrap();
                found.iter().map(|e| (e.status() == Status::Verified).then_some(e.edges().len())).collect()
            };
            let own = sizes(Scope::Own);
            for wide in [sizes(Scope::Target), sizes(Scope::Hops)] {
                for (own, wide) in own.iter().zip(wide) {
                    assert!(
                        own.is_none_or(|own| wide.is_some_and(|wide| wide <= own)),
                        "{own:?}, then {wide:?}"
                    );
                }
            }
        }
    }
}

/// With scope own nobody else's interaction is ever cited, and no surrogate is fitted that would have looked at them.
#[test]
fn scope_own_is_the_persons_own() {
    for model in models() {
        let task = Task::new(Who::Known(UserId(16)), 5);
        let goals = [Goal::Counterfactual, Goal::Factual];
        for e in explain(model, Method::Grease, &task, &Items::List, &goals).unwrap() {
            assert!(cited(&e).iter().all(|&(user, _)| user == 16), "{e:?}");
            assert!(e.surrogate.is_none() && e.neighbourhood.is_none(), "{e:?}");
        }
    }
}

/// A chain of strangers, of whom each step further sees one more.
#[test]
fn hops_reach_as_far_as_they_say() {
    let recommender = CoNeighbours::new(graph(6, &[&[0, 1], &[0, 2, 3], &[3, 4], &[4, 5], &[1, 2]]));
    // At one step: users 1 and 4, items 0, 1 and 2, and the edges among them and the person. Then item 3, user 2, item 4, user
    // 3, and item 5 at last.
    for (hops, edges) in [(1, 6), (2, 7), (3, 8), (4, 9), (5, 10), (6, 11), (7, 11)] {
        let task = Task { scope: Scope::Hops, hops, ..task(1) };
        let why = one(&recommender, Method::Grease, &task, 2, Goal::Counterfactual);
        let size = why.neighbourhood.unwrap();
        assert_eq!((size.edges, size.left_out), (edges, 0), "{hops} hops: {size:?}");
    }
}
