//! The part of the graph around a person and the items of their list.

mod reach;

use grease_graph::{Edge, Graph, ItemId, UserId, seed};
use grease_kernels::Csr;
use serde::{Deserialize, Serialize};

use self::reach::Reach;

/// The part of the graph a surrogate was fitted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NeighbourhoodSize {
    /// Users in it.
    pub users: usize,
    /// Items in it.
    pub items: usize,
    /// Interactions in it.
    pub edges: usize,
    /// Interactions left out because there were too many; the strongest were kept.
    pub left_out: usize,
}

/// All users and items within a few steps of a person or of one of the target items, with the interactions among them.
///
/// Rows here are *local*: users and items are numbered anew, in the order of their rows in the graph, and so are edges
/// (by user, then item). The person's edges are exactly the `own` items given, so a newcomer, whom the graph does not
/// have, is a user like any other here.
#[derive(Debug, Clone)]
pub(crate) struct Neighbourhood {
    users: Vec<u32>,
    items: Vec<u32>,
    by_user: Csr,
    by_item: Csr,
    item_order: Vec<u32>,
    /// The local user of each edge.
    user_of: Vec<u32>,
    person: u32,
    newcomer: bool,
    targets: Vec<u32>,
    left_out: usize,
}

impl Neighbourhood {
    /// A limit that keeps all of a graph of LastFM's size, and a search step around a millisecond on larger ones.
    pub(crate) const LIMIT: usize = 100_000;

    /// Everything within `hops` of `person` or of a target, at most `limit` interactions of it.
    ///
    /// Where there are more, paths person – own item – other user – target come first: the person's own edges, then the
    /// targets' (each at most half of the room left), then the edges that join an own item to a target's user, then the
    /// other edges of either, then the rest; within each group those between nodes of low degree, which a mean
    /// passes on the least diluted. Nodes that keep no edge are left out.
    ///
    /// Linear in the edges looked at, of which there are at most a constant times `limit` (a hub's row counts whole).
    pub(crate) fn around(
        graph: &Graph,
        person: UserId,
        own: &[u32],
        targets: &[ItemId],
        hops: usize,
        limit: usize,
    ) -> Self {
        let reach = Reach::from(graph, person, own, targets, hops, limit);
        let mut groups = reach.edges(graph, limit);
        let found: usize = groups.iter().map(Vec::len).sum();
        let mut room = limit;
        for (rank, group) in groups.iter_mut().enumerate() {
            let share = if rank < 2 { room.div_ceil(2) } else { room };
            keep_strongest(group, share, |edge| {
                (graph.items_of(edge.user).len() + 1) * (graph.users_of(edge.item).len() + 1)
            });
            room -= group.len();
        }
        Self::of(graph, person, targets, &groups.concat(), found)
    }

    /// Whole rows of users drawn at random until there are `limit` interactions: what a surrogate of the recommender as a
    /// whole is fitted on. The person is the first user drawn.
    pub(crate) fn sampled(graph: &Graph, limit: usize, seed: u64) -> Self {
        let mut users: Vec<u32> = (0..graph.users() as u32).collect();
        seed::shuffle(&mut seed::rng(seed, "sampled neighbourhood"), &mut users);
        let mut edges = Vec::new();
        for &user in &users {
            if edges.len() >= limit {
                break;
            }
            edges.extend(graph.items_of(UserId(user)).iter().map(|&item| Edge::new(user, item)));
        }
        let person = users.first().map_or(graph.newcomer(), |&user| UserId(user));
        Self::of(graph, person, &[], &edges, graph.len())
    }

    /// Numbers the nodes and sorts the edges, by counting.
    fn of(graph: &Graph, person: UserId, targets: &[ItemId], edges: &[Edge], found: usize) -> Self {
        let mut local_user = vec![false; graph.users() + 1];
        let mut local_item = vec![false; graph.items()];
        local_user[person.row()] = true;
        targets.iter().for_each(|item| local_item[item.row()] = true);
        for edge in edges {
            local_user[edge.user.row()] = true;
            local_item[edge.item.row()] = true;
        }
        let (users, user_number) = numbered(&local_user);
        let (items, item_number) = numbered(&local_item);

        let mut offsets = vec![0usize; items.len() + 1];
        edges.iter().for_each(|edge| offsets[item_number[edge.item.row()] as usize + 1] += 1);
        for item in 0..items.len() {
            offsets[item + 1] += offsets[item];
        }
        let mut next = offsets.clone();
        let mut indices = vec![0u32; edges.len()];
        for edge in edges {
            let at = &mut next[item_number[edge.item.row()] as usize];
            indices[*at] = user_number[edge.user.row()];
            *at += 1;
        }
        // Transposing sorts the columns of each row; transposing back sorts those of the other direction.
        let unsorted = Csr::new(users.len(), offsets, indices).expect("counted above");
        let by_user = unsorted.transpose().0;
        let (by_item, item_order) = by_user.transpose();
        let user_of = (0..users.len())
            .flat_map(|user| std::iter::repeat_n(user as u32, by_user.degree(user)))
            .collect();
        Self {
            person: user_number[person.row()],
            newcomer: person == graph.newcomer(),
            targets: targets.iter().map(|item| item_number[item.row()]).collect(),
            left_out: found - edges.len(),
            users,
            items,
            by_user,
            by_item,
            item_order,
            user_of,
        }
    }

    /// One row a user, local items ascending; the position of an entry is the edge's local number.
    pub(crate) fn by_user(&self) -> &Csr {
        &self.by_user
    }

    /// One row an item, local users ascending.
    pub(crate) fn by_item(&self) -> &Csr {
        &self.by_item
    }

    /// For each edge in item order, its local number.
    pub(crate) fn item_order(&self) -> &[u32] {
        &self.item_order
    }

    /// Rows of the users in the graph, ascending.
    pub(crate) fn users(&self) -> &[u32] {
        &self.users
    }

    /// Rows of the items in the graph, ascending.
    pub(crate) fn items(&self) -> &[u32] {
        &self.items
    }

    /// The person's local row.
    pub(crate) fn person(&self) -> u32 {
        self.person
    }

    /// Whether the person is one the graph does not have.
    pub(crate) fn is_newcomer(&self) -> bool {
        self.newcomer
    }

    /// The targets' local rows, in the order they were given.
    pub(crate) fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// An item's local row.
    pub(crate) fn item(&self, item: ItemId) -> Option<u32> {
        self.items.binary_search(&item.0).ok().map(|at| at as u32)
    }

    /// Number of interactions.
    pub(crate) fn len(&self) -> usize {
        self.by_user.nnz()
    }

    /// Both ends of an edge, local.
    pub(crate) fn ends(&self, edge: u32) -> (u32, u32) {
        (self.user_of[edge as usize], self.by_user.indices()[edge as usize])
    }

    /// An edge as the graph knows it.
    pub(crate) fn edge(&self, edge: u32) -> Edge {
        let (user, item) = self.ends(edge);
        Edge::new(self.users[user as usize], self.items[item as usize])
    }

    /// The local number of an edge.
    pub(crate) fn find(&self, edge: Edge) -> Option<u32> {
        let user = self.users.binary_search(&edge.user.0).ok()?;
        let item = self.item(edge.item)?;
        let at = self.by_user.row(user).binary_search(&item).ok()?;
        Some((self.by_user.edges(user).start + at) as u32)
    }

    /// The person's own edges, ascending.
    #[cfg(test)]
    pub(crate) fn own_edges(&self) -> Vec<u32> {
        self.by_user.edges(self.person as usize).map(|edge| edge as u32).collect()
    }

    /// The edges of one local item, ascending.
    #[cfg(test)]
    pub(crate) fn edges_of_item(&self, item: u32) -> Vec<u32> {
        self.by_item.edges(item as usize).map(|at| self.item_order[at]).collect()
    }

    /// How large it is. Of hubs, only the edges looked at count as left out.
    pub(crate) fn size(&self) -> NeighbourhoodSize {
        NeighbourhoodSize {
            users: self.users.len(),
            items: self.items.len(),
            edges: self.len(),
            left_out: self.left_out,
        }
    }
}

/// The rows that are marked, ascending, and for each row of all its place among them.
fn numbered(marked: &[bool]) -> (Vec<u32>, Vec<u32>) {
    let mut rows = Vec::new();
    let mut number = vec![u32::MAX; marked.len()];
    for (row, _) in marked.iter().enumerate().filter(|&(_, &marked)| marked) {
        number[row] = rows.len() as u32;
        rows.push(row as u32);
    }
    (rows, number)
}

/// Cuts a group down to the `most` edges of least dilution; at equal dilution the lower edge.
fn keep_strongest(group: &mut Vec<Edge>, most: usize, dilution: impl Fn(Edge) -> usize) {
    if group.len() > most {
        if most > 0 {
            group.select_nth_unstable_by_key(most - 1, |&edge| (dilution(edge), edge));
        }
        group.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    fn graph(pairs: &[(u32, u32)]) -> Graph {
        let edges: Vec<Edge> = pairs.iter().map(|&(u, i)| Edge::new(u, i)).collect();
        Graph::new(9, 8, &edges).unwrap()
    }

    /// The definition: step by step over all edges, then all edges between what was reached.
    fn naive(graph: &Graph, person: u32, own: &[u32], targets: &[ItemId], hops: usize) -> BTreeSet<Edge> {
        let all: BTreeSet<Edge> = graph
            .edges()
            .filter(|edge| edge.user.0 != person)
            .chain(own.iter().map(|&item| Edge::new(person, item)))
            .collect();
        let mut users = BTreeSet::from([person]);
        let mut items: BTreeSet<u32> = targets.iter().map(|item| item.0).collect();
        for _ in 0..hops {
            let (u, i) = (users.clone(), items.clone());
            users.extend(all.iter().filter(|e| i.contains(&e.item.0)).map(|e| e.user.0));
            items.extend(all.iter().filter(|e| u.contains(&e.user.0)).map(|e| e.item.0));
        }
        all.into_iter().filter(|e| users.contains(&e.user.0) && items.contains(&e.item.0)).collect()
    }

    fn edges_of(neighbourhood: &Neighbourhood) -> Vec<Edge> {
        (0..neighbourhood.len() as u32).map(|edge| neighbourhood.edge(edge)).collect()
    }

    proptest! {
        #[test]
        fn equals_its_naive_twin_and_numbers_soundly(
            pairs in proptest::collection::vec((0u32..9, 0u32..8), 0..40), person in 0u32..10,
            brought in proptest::collection::btree_set(0u32..8, 0..5),
            targets in proptest::collection::vec(0u32..8, 0..3), hops in 0usize..4, limit in 0usize..30,
        ) {
            let graph = graph(&pairs);
            let newcomer = person == 9;
            let own: Vec<u32> = if newcomer { brought.into_iter().collect() } else { graph.items_of(UserId(person)).to_vec() };
            let targets: Vec<ItemId> = targets.into_iter().map(ItemId).collect();
            let want = naive(&graph, person, &own, &targets, hops);
            let whole = Neighbourhood::around(&graph, UserId(person), &own, &targets, hops, 10_000);
            prop_assert_eq!(edges_of(&whole), want.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(whole.size().left_out, 0);
            prop_assert_eq!(whole.users()[whole.person() as usize], person);
            for (target, &local) in targets.iter().zip(whole.targets()) {
                prop_assert_eq!(whole.items()[local as usize], target.0);
            }
            for edge in 0..whole.len() as u32 {
                prop_assert_eq!(whole.find(whole.edge(edge)), Some(edge));
            }

            let few = Neighbourhood::around(&graph, UserId(person), &own, &targets, hops, limit);
            let kept = edges_of(&few);
            prop_assert!(kept.len() <= limit && kept.iter().all(|edge| want.contains(edge)));
            prop_assert!(few.len() + few.size().left_out <= want.len());
            let own_reached = want.iter().filter(|edge| edge.user.0 == person).count();
            prop_assert_eq!(few.own_edges().len(), own_reached.min(limit.div_ceil(2)));
        }
    }

    #[test]
    fn paths_to_the_target_outlive_the_rest() {
        // 0 - 0 - 1 - 1 is the path; everything else hangs off it.
        let graph = graph(&[(0, 0), (1, 0), (1, 1), (2, 0), (2, 3), (1, 4), (2, 4), (3, 4)]);
        let few = Neighbourhood::around(&graph, UserId(0), &[0], &[ItemId(1)], 2, 3);
        assert_eq!(edges_of(&few), [(0, 0), (1, 0), (1, 1)].map(|(u, i)| Edge::new(u, i)));
        assert!(few.size().left_out > 0);
    }

    #[test]
    fn a_sample_is_whole_rows() {
        let graph = graph(&[(0, 0), (0, 1), (1, 0), (2, 5), (2, 6), (3, 7)]);
        let sample = Neighbourhood::sampled(&graph, 2, 5);
        assert!(sample.len() >= 2 && sample.len() < 6);
        for &user in sample.users() {
            let row = sample.users().binary_search(&user).unwrap();
            assert_eq!(sample.by_user().degree(row), graph.items_of(UserId(user)).len());
        }
        assert_eq!(Neighbourhood::sampled(&graph, 99, 5).len(), 6);
    }
}
