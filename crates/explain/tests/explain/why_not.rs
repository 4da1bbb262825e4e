//! Why an item is not on the list: what would bring it in.

use grease_explain::{Change, Goal, Items, Method, Reason, Status, Task, Who};
use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edit, ItemId, Profile, Recommender, UserId, recommend, what_if};

use crate::audit::Auditor;
use crate::support::{
    change, cited, edited, explain, graph, is_defined, models, one, paths, slow_scores, task,
};

/// Methods that look at what interactions do.
const METHODS: [Method; 3] = [Method::Grease, Method::Exact, Method::LeaveOneOut];

/// Item 3 has two paths through 0, item 4 one through 1, and what 4's visitor likes besides the person has touched already:
/// only taking 0 away helps within one.
#[test]
fn an_interaction_that_keeps_an_item_out_is_named() {
    let recommender = CoNeighbours::new(graph(5, &[&[0, 1, 2], &[0, 3], &[0, 3], &[1, 4]]));
    for method in METHODS {
        let why = one(&recommender, method, &task(1), 4, Goal::WhyNot);
        assert_eq!((why.status(), cited(&why)), (Status::Verified, vec![(0, 0)]), "{method}: {why:?}");
        assert_eq!(
            (change(&why), why.rank_before, why.rank_after()),
            (Change::Removed, 2, Some(1)),
            "{method}"
        );
    }
}

/// Item 3 has a path through each of 0 and 1, item 4 one through 0: taking either away never puts 4 ahead, but touching 2, as
/// two others who have 4 did, does. (2 itself, which then has those two paths too, is history then.) Nor is 3 an answer: it is listed,
/// and touching it would only make room.
#[test]
fn an_interaction_that_would_bring_an_item_in_is_named() {
    let recommender = CoNeighbours::new(graph(5, &[&[0, 1], &[0, 3], &[1, 3], &[0, 4], &[2, 4], &[2, 4]]));
    for method in METHODS {
        let why = one(&recommender, method, &task(1), 4, Goal::WhyNot);
        assert_eq!((why.status(), cited(&why)), (Status::Verified, vec![(0, 2)]), "{method}: {why:?}");
        assert_eq!((change(&why), why.rank_after()), (Change::Added, Some(1)), "{method}");
        let unnamed = Task { never_cite: [ItemId(2)].into(), ..task(1) };
        let why = one(&recommender, method, &unnamed, 4, Goal::WhyNot);
        assert_eq!(why.status(), Status::NotFound, "{method}: {why:?}");
    }
}

#[test]
fn the_item_itself_is_never_the_way_to_bring_it_in() {
    // Touching 2 would open paths to 2 by everybody who has it; that is no explanation.
    let recommender = CoNeighbours::new(graph(3, &[&[0], &[0, 1], &[2], &[2]]));
    let why = one(&recommender, Method::Exact, &task(1), 2, Goal::WhyNot);
    assert!(cited(&why).iter().all(|&(_, item)| item != 2), "{why:?}");
}

/// The next few items below everybody's list, by every method, on both models, re-checked in `f64`.
#[test]
fn what_would_bring_an_item_in_holds_on_the_rebuilt_graph() {
    let (mut removed, mut added) = (0, 0);
    for model in models() {
        let truth = |user: UserId, profile: Profile, edit: &Edit| slow_scores(model, user, profile, edit);
        for user in [1, 8, 30] {
            let task = Task::new(Who::Known(UserId(user)), 5);
            let list = recommend(model, &task.who, 9, &task.candidates).unwrap();
            let below: Vec<ItemId> = list[4..].iter().map(|listed| listed.item).collect();
            for method in Method::ALL {
                if !is_defined(method, task.scope, Goal::WhyNot) {
                    continue;
                }
                let found =
                    explain(model, method, &task, &Items::These(below.clone()), &[Goal::WhyNot]).unwrap();
                let auditor = Auditor {
                    graph: model.graph(),
                    task: &task,
                    together: &below,
                    truth: &truth,
                    rounding: 1e-5,
                };
                found.iter().for_each(|explanation| auditor.check(explanation));
                assert_eq!(found[0].reason(), Some(Reason::AlreadyInside { rank: 5 }), "{method}");
                for why in found.iter().filter(|why| why.status() == Status::Verified) {
                    // What-if, asked what the explanation says, has it at the same place.
                    let items: Vec<ItemId> = why.edges().iter().map(|cited| cited.edge.item).collect();
                    let (away, there): (&[ItemId], &[ItemId]) = match change(why) {
                        Change::Added => (&[], &items),
                        _ => (&items, &[]),
                    };
                    let then = what_if(model, &task.who, away, there, 5, &task.candidates).unwrap();
                    let place = then.after.iter().find(|moved| moved.item == why.item);
                    assert_eq!(place.and_then(|moved| moved.rank_after), why.rank_after(), "{why:?}");
                    *(if change(why) == Change::Added { &mut added } else { &mut removed }) += 1;
                }
            }
        }
    }
    assert!(removed > 10 && added > 10, "{removed} by removal, {added} by addition");
}

/// One interaction more is told rather than two fewer.
#[test]
fn the_smaller_of_both_ways_is_told() {
    // Two of the person's own keep 3 ahead of 4 by two paths each; touching 2, as five with 4 did, does it at once.
    let recommender = CoNeighbours::new(graph(
        5,
        &[&[0, 1], &[0, 3], &[0, 3], &[1, 3], &[1, 3], &[2, 4], &[2, 4], &[2, 4], &[2, 4], &[2, 4], &[1, 4]],
    ));
    let (task, graph) = (task(1), recommender.graph());
    let truth = |user: UserId, _: Profile, edit: &Edit| paths(5, user, &edited(graph, edit));
    for method in [Method::Grease, Method::Exact] {
        let why = one(&recommender, method, &task, 4, Goal::WhyNot);
        assert_eq!(
            (why.status(), cited(&why), change(&why)),
            (Status::Verified, vec![(0, 2)], Change::Added)
        );
        Auditor { graph, task: &task, together: &[ItemId(4)], truth: &truth, rounding: 0.0 }.check(&why);
    }
}
