//! Graphs on which anybody can see the cause, and explanations that name it.
//!
//! The recommender counts paths person - touched item - other person - item, so removing an interaction takes away exactly
//! the paths through it.

use grease_explain::{Change, Goal, Items, Method, Scope, Status, Task};
use grease_graph::ItemId;
use grease_graph::doubles::CoNeighbours;

use crate::support::{change, cited, explain, graph, one, task};

/// Methods that look at what interactions do; the others may need luck.
const METHODS: [Method; 3] = [Method::Grease, Method::Exact, Method::LeaveOneOut];

/// User 0 touched 0, 1 and 2. Item 3 comes by one interaction (0: two others touched it with 3), item 4 by another (1: one
/// other), and nobody has 5.
fn one_cause() -> CoNeighbours {
    CoNeighbours::new(graph(6, &[&[0, 1, 2], &[0, 3], &[0, 3], &[1, 4], &[2, 5]]))
}

#[test]
fn the_one_interaction_that_causes_an_item_is_named() {
    let recommender = one_cause();
    for method in METHODS {
        let why = one(&recommender, method, &task(1), 3, Goal::Counterfactual);
        assert_eq!((why.status(), cited(&why)), (Status::Verified, vec![(0, 0)]), "{method}");
        assert_eq!((change(&why), why.minimal()), (Change::Removed, Some(true)), "{method}");
        assert_eq!((why.rank_before, why.rank_after()), (1, Some(3)), "{method}: 4 and 5 have a path each");
        assert_eq!((why.margin_before, why.margin_after()), (1.0, Some(-1.0)), "{method}");
        assert_eq!(why.replaced_by().unwrap().0, 4, "{method}: of 4 and 5 the lower row");
    }
}

#[test]
fn the_one_interaction_that_suffices_is_named() {
    let recommender = one_cause();
    for method in METHODS {
        let why = one(&recommender, method, &task(1), 3, Goal::Factual);
        assert_eq!((why.status(), cited(&why)), (Status::Verified, vec![(0, 0)]), "{method}");
        assert_eq!((change(&why), why.rank_after()), (Change::Kept, Some(1)), "{method}");
    }
}

/// Item 4 has two paths through each of 0 and 1, item 5 has three through 2: without either of the two 4 is behind.
#[test]
fn of_two_equal_causes_one_is_enough_to_name() {
    let recommender = CoNeighbours::new(graph(
        6,
        &[&[0, 1, 2, 3], &[0, 4], &[0, 4], &[1, 4], &[1, 4], &[2, 5], &[2, 5], &[2, 5]],
    ));
    for method in METHODS {
        let why = one(&recommender, method, &task(1), 4, Goal::Counterfactual);
        assert_eq!((why.status(), why.minimal()), (Status::Verified, Some(true)), "{method}: {why:?}");
        assert!(matches!(cited(&why)[..], [(0, 0 | 1)]), "{method}: {why:?}");
        let both = Task { alternatives: 1, ..task(1) };
        let items = Items::These(vec![ItemId(4)]);
        let found = explain(&recommender, method, &both, &items, &[Goal::Counterfactual]).unwrap();
        let mut named: Vec<_> = found.iter().flat_map(cited).collect();
        named.sort_unstable();
        assert_eq!(named, [(0, 0), (0, 1)], "{method}: the alternative names the other");
    }
}

/// Item 4 needs both 0 and 1: by either alone it only ties with 5 (by 0) or with 6 (by 1), and ties do not count.
#[test]
fn where_one_only_ties_two_are_needed() {
    let recommender = CoNeighbours::new(graph(7, &[&[0, 1, 2, 3], &[0, 4, 5], &[1, 4, 6]]));
    for method in METHODS {
        let why = one(&recommender, method, &task(1), 4, Goal::Factual);
        assert_eq!((why.status(), cited(&why)), (Status::Verified, vec![(0, 0), (0, 1)]), "{method}");
        assert_eq!((why.minimal(), why.margin_after()), (Some(true), Some(1.0)), "{method}");
    }
}

/// Item 5 has two paths through each of 0, 1 and 2, item 6 one through 3: as long as one of the three stays, 5 is ahead.
#[test]
fn a_group_whose_every_member_must_go_is_named_whole() {
    let recommender = CoNeighbours::new(graph(
        7,
        &[&[0, 1, 2, 3, 4], &[0, 5], &[0, 5], &[1, 5], &[1, 5], &[2, 5], &[2, 5], &[3, 6]],
    ));
    for method in METHODS {
        let why = one(&recommender, method, &task(1), 5, Goal::Counterfactual);
        assert_eq!((why.status(), cited(&why)), (Status::Verified, vec![(0, 0), (0, 1), (0, 2)]), "{method}");
        assert_eq!((why.minimal(), why.replaced_by().unwrap().0), (Some(true), 6), "{method}");
    }
}

/// What each interaction does alone is asked once for the list: a small budget for the rest does not make leave-one-out look
/// at fewer of them.
#[test]
fn a_small_budget_does_not_hide_what_is_known_already() {
    let recommender = CoNeighbours::new(graph(
        7,
        &[&[0, 1, 2, 3, 4], &[0, 5], &[0, 5], &[1, 5], &[1, 5], &[2, 5], &[2, 5], &[3, 6]],
    ));
    let small = Task { queries: 5, ..task(1) };
    let why = one(&recommender, Method::LeaveOneOut, &small, 5, Goal::Counterfactual);
    assert_eq!((why.status(), cited(&why)), (Status::Verified, vec![(0, 0), (0, 1), (0, 2)]), "{why:?}");
}

/// Whoever 4 has in common with user 0 is user 1, by three items: one interaction of the item does what takes two of the
/// person's own.
#[test]
fn the_items_single_co_visitor_is_named_in_scope_target() {
    let recommender = CoNeighbours::new(graph(6, &[&[0, 1, 2, 3], &[0, 1, 2, 4], &[3, 5], &[3, 5]]));
    for method in [Method::Grease, Method::Exact, Method::LeaveOneOut] {
        let own = one(&recommender, method, &task(1), 4, Goal::Counterfactual);
        assert_eq!((own.status(), own.edges().len()), (Status::Verified, 2), "{method}: {own:?}");
        let target = Task { scope: Scope::Target, ..task(1) };
        let wide = one(&recommender, method, &target, 4, Goal::Counterfactual);
        assert_eq!((wide.status(), cited(&wide)), (Status::Verified, vec![(1, 4)]), "{method}");
    }
}

/// Factual in scope target: everything of the person and of the item is away, so a path needs an edge at either end.
#[test]
fn a_path_put_back_has_an_edge_at_either_end() {
    let recommender = CoNeighbours::new(graph(5, &[&[0, 1], &[0, 3], &[1, 4], &[2]]));
    let target = Task { scope: Scope::Target, ..task(1) };
    for method in [Method::Grease, Method::Exact] {
        let why = one(&recommender, method, &target, 3, Goal::Factual);
        assert_eq!(
            (why.status(), cited(&why)),
            (Status::Verified, vec![(0, 0), (1, 3)]),
            "{method}: {why:?}"
        );
    }
}

/// Person 0 reaches 4 through person 1, whom they share 0, 1, 2 and 3 with, but their own interactions must not be named, nor
/// must 4 itself: what is left are the four bridges between person 1 and the shared items, of which two must go.
#[test]
fn bridges_between_others_are_named_in_scope_hops() {
    let recommender =
        CoNeighbours::new(graph(8, &[&[0, 1, 2, 3, 6], &[0, 1, 2, 3, 4], &[6, 5], &[6, 5], &[6, 5]]));
    let hops = Task { scope: Scope::Hops, ..task(1) };
    let why = one(&recommender, Method::Grease, &hops, 4, Goal::Counterfactual);
    assert_eq!(
        (why.status(), cited(&why)),
        (Status::Verified, vec![(1, 4)]),
        "the item's own edge does it alone"
    );
    let unnamed = Task { never_cite: [0, 1, 2, 3, 4].map(ItemId).into(), ..hops.clone() };
    let why = one(&recommender, Method::Grease, &unnamed, 4, Goal::Counterfactual);
    assert_eq!(why.status(), Status::NotFound, "{why:?}");
    let bridges = Task { never_cite: [1, 2, 4].map(ItemId).into(), ..hops };
    let why = one(&recommender, Method::Grease, &bridges, 4, Goal::Counterfactual);
    assert_eq!((why.status(), why.edges().len()), (Status::Verified, 2), "{why:?}");
    assert!(cited(&why).iter().all(|&(user, item)| user <= 1 && [0, 3].contains(&item)), "{why:?}");
}
