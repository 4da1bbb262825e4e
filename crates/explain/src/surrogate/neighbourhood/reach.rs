//! Which nodes and edges are near, found without walking the rest of the graph.

use grease_graph::{Edge, Graph, ItemId, UserId};

/// Edges looked at for each that may be kept, in each group: what bounds the work around hubs.
const LOOKS: usize = 4;

/// Which nodes are within reach, and how they stand to the person and the targets.
pub(super) struct Reach<'a> {
    person: UserId,
    own: &'a [u32],
    targets: Vec<u32>,
    /// In the order they were reached.
    users: Vec<u32>,
    user_reached: Vec<bool>,
    item_reached: Vec<bool>,
    is_own: Vec<bool>,
    is_target: Vec<bool>,
    of_target: Vec<bool>,
}

impl<'a> Reach<'a> {
    /// Breadth first from the person and all targets at once, nodes of low degree first, until enough was looked at.
    pub(super) fn from(
        graph: &Graph,
        person: UserId,
        own: &'a [u32],
        targets: &[ItemId],
        hops: usize,
        limit: usize,
    ) -> Self {
        let mut reach = Self {
            person,
            own,
            targets: targets.iter().map(|item| item.0).collect(),
            users: vec![person.0],
            user_reached: vec![false; graph.users() + 1],
            item_reached: vec![false; graph.items()],
            is_own: vec![false; graph.items()],
            is_target: vec![false; graph.items()],
            of_target: vec![false; graph.users() + 1],
        };
        reach.targets.sort_unstable();
        reach.targets.dedup();
        own.iter().for_each(|&item| reach.is_own[item as usize] = true);
        for &item in &reach.targets {
            reach.is_target[item as usize] = true;
            reach.item_reached[item as usize] = true;
            graph.users_of(ItemId(item)).iter().for_each(|&user| reach.of_target[user as usize] = true);
        }
        reach.user_reached[person.row()] = true;
        let (mut users, mut items) = (vec![person.0], reach.targets.clone());
        for _ in 0..hops {
            let row_of = |user: u32| if user == person.0 { own } else { graph.items_of(UserId(user)) };
            let next_items = step(&users, &mut reach.item_reached, limit, row_of);
            let next_users =
                step(&items, &mut reach.user_reached, limit, |item| graph.users_of(ItemId(item)));
            reach.users.extend(&next_users);
            (users, items) = (next_users, next_items);
        }
        reach
    }

    /// The edges within reach, strongest group first; each edge is in the first group it fits.
    pub(super) fn edges(&self, graph: &Graph, limit: usize) -> [Vec<Edge>; 5] {
        let own = self.own.iter().filter(|&&item| self.item_reached[item as usize]);
        let own: Vec<Edge> = own.map(|&item| Edge::new(self.person.0, item)).collect();
        let users_of = |item: u32| graph.users_of(ItemId(item));
        let mut of_targets = Vec::new();
        looked(self.targets.clone(), limit, users_of, |item, users| {
            let others = users.iter().filter(|&&user| self.is_other(user));
            of_targets.extend(others.map(|&user| Edge::new(user, item)));
        });
        let (mut bridges, mut beside, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let own_items = self.own.iter().copied();
        let own_items = own_items.filter(|&i| self.item_reached[i as usize] && !self.is_target[i as usize]);
        looked(own_items.collect(), limit, users_of, |item, users| {
            for &user in users.iter().filter(|&&user| self.is_other(user)) {
                let group = if self.of_target[user as usize] { &mut bridges } else { &mut beside };
                group.push(Edge::new(user, item));
            }
        });
        let (near, far): (Vec<u32>, Vec<u32>) = self
            .users
            .iter()
            .filter(|&&user| user != self.person.0)
            .partition(|&&user| self.of_target[user as usize]);
        for (users, group) in [(near, &mut beside), (far, &mut rest)] {
            looked(
                users,
                limit,
                |user| graph.items_of(UserId(user)),
                |user, items| {
                    let others = items.iter().filter(|&&item| {
                        let item = item as usize;
                        self.item_reached[item] && !self.is_own[item] && !self.is_target[item]
                    });
                    group.extend(others.map(|&item| Edge::new(user, item)));
                },
            );
        }
        [own, of_targets, bridges, beside, rest]
    }

    fn is_other(&self, user: u32) -> bool {
        user != self.person.0 && self.user_reached[user as usize]
    }
}

/// The nodes one step away from `frontier` that were not reached before.
fn step<'g>(
    frontier: &[u32],
    reached: &mut [bool],
    limit: usize,
    row_of: impl Fn(u32) -> &'g [u32],
) -> Vec<u32> {
    let mut found = Vec::new();
    looked(frontier.to_vec(), limit, row_of, |_, row| {
        for &node in row {
            if !reached[node as usize] {
                reached[node as usize] = true;
                found.push(node);
            }
        }
    });
    found
}

/// Visits rows until [`LOOKS`] times `limit` entries were looked at, short rows first where not all can be visited.
fn looked<'g>(
    mut nodes: Vec<u32>,
    limit: usize,
    row_of: impl Fn(u32) -> &'g [u32],
    mut visit: impl FnMut(u32, &'g [u32]),
) {
    let most = LOOKS.saturating_mul(limit);
    let entries: usize = nodes.iter().map(|&node| row_of(node).len()).sum();
    if entries > most {
        nodes.sort_unstable_by_key(|&node| (row_of(node).len(), node));
    }
    let mut seen = 0;
    for node in nodes {
        if seen > most {
            break;
        }
        seen += row_of(node).len();
        visit(node, row_of(node));
    }
}
