//! The bipartite graph of users and items, compressed both ways.

use std::borrow::Cow;

use grease_kernels::{Array, Csr};
use rayon::prelude::*;

use crate::{Edge, Edit, EditError, ItemId, UserId};

/// Who touched what, as a graph: users on one side, items on the other. Immutable; changes are [`Edit`]s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    by_user: Csr,
    by_item: Csr,
}

/// Why edges do not make a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An edge names a row that is not there.
    #[error(
        "interaction {at} names user row {user} and item row {item}, but there are {users} users and {items} items"
    )]
    Outside {
        at: usize,
        user: u32,
        item: u32,
        users: usize,
        /// Items there are.
        items: usize,
    },
    /// More than a graph can hold.
    #[error("{what} is more than the {limit} a graph can hold")]
    TooLarge {
        /// What there is too much of.
        what: String,
        limit: u32,
    },
}

impl Graph {
    /// The graph of these edges; order and repetition do not matter.
    pub fn new(users: usize, items: usize, edges: &[Edge]) -> Result<Self, GraphError> {
        // One user row is kept free for a newcomer, one slot value for "none".
        for (what, n) in [("users", users), ("items", items), ("interactions", edges.len())] {
            if n >= (u32::MAX - 1) as usize {
                return Err(GraphError::TooLarge { what: format!("{n} {what}"), limit: u32::MAX - 2 });
            }
        }
        let is_outside = |edge: &Edge| edge.user.row() >= users || edge.item.row() >= items;
        if let Some(at) = edges.par_iter().position_first(is_outside) {
            let edge = edges[at];
            return Err(GraphError::Outside { at, user: edge.user.0, item: edge.item.0, users, items });
        }
        let sorted = sorted(edges);
        let mut offsets = vec![0usize; users + 1];
        for edge in &*sorted {
            offsets[edge.user.row() + 1] += 1;
        }
        for user in 0..users {
            offsets[user + 1] += offsets[user];
        }
        let indices: Array<u32> = sorted.iter().map(|e| e.item.0).collect();
        drop(sorted);
        let by_user = Csr::new(items, offsets, indices).expect("rows were checked and counted above");
        let by_item = by_user.transposed();
        Ok(Self { by_user, by_item })
    }

    /// A graph as it was before, by its two sides; none where they are not two sides of one graph, as far as that can be seen at a
    /// glance: by their sizes.
    pub fn of_sides(by_user: Csr, by_item: Csr) -> Option<Self> {
        let fits = by_user.rows() == by_item.cols()
            && by_user.cols() == by_item.rows()
            && by_user.nnz() == by_item.nnz()
            && by_user.rows().max(by_user.cols()).max(by_user.nnz()) < (u32::MAX - 1) as usize;
        fits.then_some(Self { by_user, by_item })
    }

    /// Number of users.
    pub fn users(&self) -> usize {
        self.by_user.rows()
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.by_item.rows()
    }

    /// Number of interactions.
    pub fn len(&self) -> usize {
        self.by_user.nnz()
    }

    /// Whether there is no interaction at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row a user, items ascending.
    pub fn by_user(&self) -> &Csr {
        &self.by_user
    }

    /// One row an item, users ascending.
    pub fn by_item(&self) -> &Csr {
        &self.by_item
    }

    /// The rows of the items this user touched, ascending; none for a newcomer.
    pub fn items_of(&self, user: UserId) -> &[u32] {
        if user == self.newcomer() { &[] } else { self.by_user.row(user.row()) }
    }

    /// The rows of the users who touched this item, ascending.
    pub fn users_of(&self, item: ItemId) -> &[u32] {
        self.by_item.row(item.row())
    }

    /// Whether the interaction is there.
    pub fn has(&self, edge: Edge) -> bool {
        edge.user.row() < self.users() && self.items_of(edge.user).binary_search(&edge.item.0).is_ok()
    }

    /// All interactions, by user, then item.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        (0..self.users())
            .flat_map(|user| self.by_user.row(user).iter().map(move |&item| Edge::new(user as u32, item)))
    }

    /// Somebody the graph does not know: the row after the last user. An edit may give them a history.
    pub fn newcomer(&self) -> UserId {
        UserId(self.users() as u32)
    }

    /// The edited graph, built anew: linear in the graph, and the plain meaning of an edit against which fast
    /// re-scoring is tested. It has one user more if the edit gives a newcomer a history.
    pub fn rebuilt(&self, edit: &Edit) -> Result<Graph, EditError> {
        edit.check(self)?;
        let welcomes = edit.added().iter().any(|e| e.user == self.newcomer());
        let edges: Vec<Edge> = self
            .edges()
            .filter(|e| edit.removed().binary_search(e).is_err())
            .chain(edit.added().iter().copied())
            .collect();
        let rebuilt = Graph::new(self.users() + usize::from(welcomes), self.items(), &edges);
        Ok(rebuilt.expect("a checked edit of a sound graph is sound"))
    }
}

/// Edges by user, then item, each once.
fn sorted(edges: &[Edge]) -> Cow<'_, [Edge]> {
    if edges.is_sorted_by(|a, b| a < b) {
        return Cow::Borrowed(edges);
    }
    let mut sorted = edges.to_vec();
    sorted.par_sort_unstable();
    sorted.dedup();
    Cow::Owned(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_outside_are_refused_with_their_place() {
        let error = Graph::new(2, 2, &[Edge::new(0, 0), Edge::new(0, 2)]).unwrap_err();
        assert!(matches!(error, GraphError::Outside { at: 1, item: 2, .. }), "{error}");
    }

    proptest! {
        #[test]
        fn both_directions_hold_the_same_edges(pairs in proptest::collection::vec((0u32..9, 0u32..7), 0..60)) {
            let edges: Vec<Edge> = pairs.iter().map(|&(u, i)| Edge::new(u, i)).collect();
            let graph = Graph::new(9, 7, &edges).unwrap();
            let mut unique = edges;
            unique.sort();
            unique.dedup();
            prop_assert_eq!(graph.edges().collect::<Vec<_>>(), unique.clone());
            let mut flipped: Vec<Edge> = (0..7).flat_map(|i| graph.users_of(ItemId(i)).iter().map(move |&u| Edge::new(u, i))).collect();
            flipped.sort();
            prop_assert_eq!(flipped, unique);
            let again = Graph::of_sides(graph.by_user().clone(), graph.by_item().clone());
            prop_assert_eq!(again.as_ref(), Some(&graph));
            prop_assert_eq!(Graph::of_sides(graph.by_user().clone(), graph.by_user().clone()), None);
        }
    }
}
