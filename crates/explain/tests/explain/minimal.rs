//! Small random graphs whose every explanation can be found by trying all sets: whole numbers, no rounding, so that true
//! minimality is known.

use std::collections::BTreeSet;

use grease_explain::{Change, Explanation, Goal, Items, Method, Reason, Scope, Status, Task};
use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, UserId};
use proptest::prelude::*;

use crate::audit::Auditor;
use crate::support::{SCOPES, edited, explain, is_defined, methods_for, paths, task};

const USERS: u32 = 5;
const ITEMS: u32 = 8;

/// Up to five people and eight items; user 0 has somebody to have things in common with.
fn graphs() -> impl Strategy<Value = Graph> {
    proptest::collection::btree_set((0..USERS, 0..ITEMS), 6..26).prop_map(|pairs| {
        let edges: Vec<Edge> = pairs.into_iter().map(|(user, item)| Edge::new(user, item)).collect();
        Graph::new(USERS as usize, ITEMS as usize, &edges).unwrap()
    })
}

/// The size of the smallest set that does it, by trying all within the cap; with the ways there are to bring an item in.
fn smallest(auditor: &Auditor<'_>, e: &Explanation) -> Option<usize> {
    let (task, own) = (auditor.task, auditor.own());
    let mut pool: BTreeSet<Edge> = own.clone();
    if task.scope == Scope::Target {
        pool.extend(auditor.graph.users_of(e.item).iter().map(|&user| Edge::new(user, e.item.0)));
    }
    let (change, cap) = match e.goal {
        Goal::Factual => (Change::Kept, task.caps.add),
        Goal::Counterfactual | Goal::Joint | Goal::WhyNot => (Change::Removed, task.caps.remove),
    };
    let mut smallest = smallest_of(auditor, e, change, &pool.into_iter().collect::<Vec<_>>(), cap);
    if e.goal == Goal::WhyNot {
        let listed = auditor.with(e, &[]).0.list;
        let untouched: Vec<Edge> = (0..auditor.graph.items() as u32)
            .map(|item| Edge::new(e.user.0, item))
            .filter(|edge| !own.contains(edge) && edge.item != e.item && !listed.contains(&edge.item))
            .collect();
        let added = smallest_of(auditor, e, Change::Added, &untouched, task.caps.add);
        smallest = smallest.into_iter().chain(added).min();
    }
    smallest
}

fn smallest_of(
    auditor: &Auditor<'_>,
    e: &Explanation,
    change: Change,
    pool: &[Edge],
    cap: usize,
) -> Option<usize> {
    assert!(pool.len() <= 12, "too many to try all");
    let mut sets: Vec<u32> = (1..1 << pool.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    let within = sets.into_iter().take_while(|set| set.count_ones() as usize <= cap);
    within
        .map(|set| -> Vec<(Change, Edge)> {
            (0..pool.len()).filter(|at| set & (1 << at) != 0).map(|at| (change, pool[at])).collect()
        })
        .find(|set| auditor.with(e, set).1 > 0.0)
        .map(|set| set.len())
}

/// How many edges each item's explanation has, where there is one.
type Sizes = Vec<(ItemId, Goal, Option<usize>)>;

/// Explains all candidates by one method; every claim is checked.
fn audited(recommender: &CoNeighbours, method: Method, task: &Task, goals: &[Goal]) -> Sizes {
    let graph = recommender.graph();
    let truth = |user: UserId, _: Profile, edit: &Edit| paths(graph.items(), user, &edited(graph, edit));
    let items: Vec<ItemId> =
        (0..ITEMS).map(ItemId).filter(|item| !graph.items_of(UserId(0)).contains(&item.0)).collect();
    let auditor = Auditor { graph, task, together: &items, truth: &truth, rounding: 0.0 };
    let found = explain(recommender, method, task, &Items::These(items.clone()), goals).unwrap();
    for e in &found {
        auditor.check(e);
        let searched = match e.reason() {
            None => e.status() != Status::Trivial,
            Some(Reason::CapReached { .. } | Reason::NothingSuffices { .. }) => true,
            Some(Reason::NoSetIsBoth { .. }) => true,
            Some(Reason::CarriedByProfile { .. } | Reason::NoHistory | Reason::ItemWithoutInteractions) => {
                true
            }
            Some(_) => false,
        };
        assert!(!matches!(e.reason(), Some(Reason::OutOfBudget { .. })), "200 are plenty here: {e:?}");
        if method == Method::Exact && searched {
            let size = (e.status() == Status::Verified).then_some(e.edges().len());
            assert_eq!(size, smallest(&auditor, e), "{e:?}");
        }
        if !matches!(method, Method::Paper) && e.status() == Status::Verified {
            assert_eq!(e.minimal(), Some(true), "200 questions are enough to prune: {e:?}");
        }
    }
    let size = |e: &Explanation| (e.status() == Status::Verified).then_some(e.edges().len());
    found.iter().map(|e| (e.item, e.goal, size(e))).collect()
}

/// Panics where `a` found none or more edges than `b`.
fn assert_no_worse(a: &Sizes, b: &Sizes, what: &str) {
    for ((item, goal, a), (item_b, goal_b, b)) in a.iter().zip(b) {
        assert_eq!((item, goal), (item_b, goal_b));
        let no_worse = match (a, b) {
            (Some(a), Some(b)) => a <= b,
            (None, Some(_)) => false,
            (_, None) => true,
        };
        assert!(no_worse, "{what}: {a:?} against {b:?} of {item:?}, {goal:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Own interactions: what is called minimal is, what is called verified holds, and `exact` has found the smallest set.
    #[test]
    fn of_own_interactions_exact_finds_the_smallest_set_and_nobody_less(graph in graphs(), k in 1usize..4, cap in 1usize..7, firm in 1usize..3) {
        prop_assume!(firm <= k);
        let recommender = CoNeighbours::new(graph);
        let task = Task { caps: grease_explain::Caps::both(cap), firm, ..task(k) };
        let goals = [Goal::Factual, Goal::Counterfactual, Goal::Joint, Goal::WhyNot];
        let exact = audited(&recommender, Method::Exact, &task, &goals);
        for method in methods_for(&recommender) {
            let goals: Vec<Goal> = goals.into_iter().filter(|&g| is_defined(method, task.scope, g)).collect();
            let other = audited(&recommender, method, &task, &goals);
            let exact = exact.iter().filter(|(_, goal, _)| goals.contains(goal)).copied().collect();
            // The paper puts back what may not have been needed: nothing smaller is then to be found.
            if method != Method::Paper {
                assert_no_worse(&exact, &other, method.name());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// The same with the item's interactions, and those between others.
    #[test]
    fn wider_scopes_hold_as_well_and_never_do_worse_than_own(graph in graphs(), k in 1usize..4) {
        let recommender = CoNeighbours::new(graph);
        let goals = [Goal::Counterfactual];
        let own = audited(&recommender, Method::Grease, &task(k), &goals);
        let target = Task { scope: Scope::Target, ..task(k) };
        let exact = audited(&recommender, Method::Exact, &target, &[Goal::Counterfactual, Goal::Factual]);
        for (method, scope) in methods_for(&recommender).into_iter().flat_map(|m| SCOPES[1..].iter().map(move |&s| (m, s))) {
            let goals: Vec<Goal> =
                [Goal::Counterfactual, Goal::Factual].into_iter().filter(|&g| is_defined(method, scope, g)).collect();
            if goals.is_empty() {
                continue;
            }
            let wide = audited(&recommender, method, &Task { scope, ..task(k) }, &goals);
            if scope == Scope::Target && method != Method::Paper {
                assert_no_worse(&exact, &wide, method.name());
            }
            if method == Method::Grease {
                let counterfactual = wide.into_iter().filter(|(_, goal, _)| *goal == Goal::Counterfactual).collect();
                assert_no_worse(&counterfactual, &own, &format!("{scope:?} against own"));
            }
        }
    }
}
