//! The graphs, people and edits the suite asks about.

use rand_chacha::ChaCha8Rng;

use super::{ITEMS, USERS};
use crate::{Edge, Edit, Graph, ItemId, UserId, seed};

const SEED: u64 = 11;

pub(super) fn graphs() -> Vec<(&'static str, Graph)> {
    let (users, items) = (USERS as u32, ITEMS as u32);
    let graph = |edges: &[Edge]| Graph::new(USERS, ITEMS, edges).expect("the suite's graphs are sound");
    // The product of two draws leans to low rows: hubs on both sides. The last two users and the last item have nothing.
    let mut rng = seed::rng(SEED, "conformance graph");
    let mut low = |n: u32| ((draw(&mut rng, n) + 1) * (draw(&mut rng, n) + 1) - 1) / n;
    let skewed: Vec<Edge> = (0..110).map(|_| Edge::new(low(users - 2), low(items - 1))).collect();
    let chain: Vec<Edge> = (0..items - 1).flat_map(|k| [Edge::new(k, k), Edge::new(k, k + 1)]).collect();
    let full: Vec<Edge> = (0..users).flat_map(|u| (0..items).map(move |i| Edge::new(u, i))).collect();
    vec![
        ("ordinary graph", graph(&skewed)),
        ("long thin graph", graph(&chain)),
        ("full graph", graph(&full)),
        ("empty graph", graph(&[])),
    ]
}

/// Even users touched most even items, odd users most odd ones.
pub(super) fn checkerboard() -> Graph {
    let (users, items) = (30, 24);
    let edges: Vec<Edge> = (0..users)
        .flat_map(|u| (0..items).map(move |i| Edge::new(u, i)))
        .filter(|e| e.user.0 % 2 == e.item.0 % 2 && (e.user.0 / 2 + e.item.0 / 2) % 4 != 0)
        .collect();
    Graph::new(users as usize, items as usize, &edges).expect("a checkerboard is sound")
}

/// The most active user, the least active, one between, and the last row.
pub(super) fn people(graph: &Graph) -> Vec<UserId> {
    let mut users: Vec<UserId> = (0..graph.users() as u32).map(UserId).collect();
    users.sort_by_key(|&u| std::cmp::Reverse(graph.items_of(u).len()));
    let least_active = users.iter().rposition(|&u| !graph.items_of(u).is_empty()).unwrap_or(0);
    let mut chosen = vec![users[0], users[least_active], users[least_active / 2]];
    chosen.push(UserId(graph.users() as u32 - 1));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Interactions that are not there, of users who are.
pub(super) fn absent(graph: &Graph) -> impl Iterator<Item = Edge> + '_ {
    let items = graph.items() as u32;
    let all = (0..graph.users() as u32).flat_map(move |u| (0..items).map(move |i| Edge::new(u, i)));
    all.filter(|&e| !graph.has(e))
}

/// Edits to ask about for `user`, with names; all of them make sense on `graph`.
pub(super) fn edits(graph: &Graph, user: UserId) -> Vec<(&'static str, Edit)> {
    let mut rng = seed::rng_at(SEED, "conformance edits", u64::from(user.0));
    let present: Vec<Edge> = graph.edges().collect();
    let absent: Vec<Edge> = absent(graph).collect();
    let own = of_user(&present, user);
    let others: Vec<Edge> = present.iter().copied().filter(|e| e.user != user).collect();
    let untouched = of_user(&absent, user);
    let newcomer = graph.newcomer().0;
    let popular = (0..graph.items() as u32).map(ItemId).max_by_key(|&i| graph.users_of(i).len());
    let onlookers = popular.map_or(Vec::new(), |item| graph.users_of(item).to_vec());
    let popular = popular.map_or(0, |item| item.0);

    let mut edits = vec![
        ("nothing", Edit::none()),
        ("one of their own removed", Edit::removing(some(&own, 1, &mut rng))),
        ("two of their own removed", Edit::removing(some(&own, 2, &mut rng))),
        ("their whole history removed", Edit::removing(own.iter().copied())),
        ("all but one of their own removed", Edit::removing(own.iter().copied().skip(1))),
        ("other people's removed", Edit::removing(some(&others, 3, &mut rng))),
        ("everybody else's removed", Edit::removing(others.iter().copied())),
        ("the most popular item emptied", Edit::removing(onlookers.iter().map(|&u| Edge::new(u, popular)))),
        ("everything removed", Edit::removing(present.iter().copied())),
        ("two of their own added", Edit::adding(some(&untouched, 2, &mut rng))),
        ("everything added to theirs", Edit::adding(untouched.iter().copied())),
        ("other people's added", Edit::adding(some(&absent, 3, &mut rng))),
        ("history exchanged", Edit::new(own.iter().copied(), some(&untouched, 3, &mut rng))),
        ("a newcomer beside them", Edit::adding([Edge::new(newcomer, 0), Edge::new(newcomer, popular)])),
        (
            "a newcomer beside them and one of their own removed",
            Edit::new(some(&own, 1, &mut rng), [Edge::new(newcomer, popular)]),
        ),
    ];
    edits.extend(own.iter().take(4).map(|&e| ("leave one out", Edit::removing([e]))));
    edits.extend((1..=6).map(|size| {
        let (removed, added) = (some(&present, size, &mut rng), some(&absent, size, &mut rng));
        ("random", Edit::new(removed, added))
    }));
    edits
}

/// Edits that bring a newcomer.
pub(super) fn arrivals(graph: &Graph) -> Vec<(&'static str, Edit)> {
    let mut rng = seed::rng(SEED, "conformance arrivals");
    let newcomer = graph.newcomer();
    let present: Vec<Edge> = graph.edges().collect();
    let absent: Vec<Edge> = absent(graph).collect();
    let items = graph.items() as u32;
    let histories = [vec![], vec![0], vec![items - 1, 0, items / 2], (0..items).collect()];
    let mut arrivals = Vec::new();
    for history in histories {
        let welcome = Edit::history(newcomer, history);
        let added = welcome.added().to_vec();
        arrivals.push(("a newcomer's history", welcome));
        let also = some(&absent, 2, &mut rng).into_iter().chain(added);
        arrivals.push(("a newcomer's history and other edits", Edit::new(some(&present, 3, &mut rng), also)));
    }
    arrivals
}

/// How many of a newcomer's interactions an edit adds.
pub(super) fn newcomers_in(graph: &Graph, edit: &Edit) -> usize {
    of_user(edit.added(), graph.newcomer()).len()
}

/// The same edited graph, but with the history of `user` in the hands of a newcomer and none left to `user`.
pub(super) fn moved_to_newcomer(graph: &Graph, user: UserId, edit: &Edit) -> Edit {
    let newcomer = graph.newcomer().0;
    let others = |edges: &[Edge]| edges.iter().copied().filter(|e| e.user != user).collect::<Vec<_>>();
    let kept = graph.items_of(user).iter().map(|&item| Edge::new(user.0, item));
    let history = kept
        .clone()
        .filter(|e| edit.removed().binary_search(e).is_err())
        .chain(of_user(edit.added(), user))
        .map(|e| Edge::new(newcomer, e.item.0));
    Edit::new(kept.chain(others(edit.removed())), history.chain(others(edit.added())))
}

fn of_user(edges: &[Edge], user: UserId) -> Vec<Edge> {
    edges.iter().copied().filter(|e| e.user == user).collect()
}

/// Up to `n` of these, at random.
fn some(edges: &[Edge], n: usize, rng: &mut ChaCha8Rng) -> Vec<Edge> {
    if edges.is_empty() {
        return Vec::new();
    }
    (0..n).map(|_| edges[draw(rng, edges.len() as u32) as usize]).collect()
}

fn draw(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    seed::below(rng, u64::from(bound)) as u32
}
