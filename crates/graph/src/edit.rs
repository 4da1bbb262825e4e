//! A graph minus some edges plus some others, as a value: an edit is an argument, never a mutation.

use crate::{Edge, Graph, ItemId, UserId};

/// Interactions to imagine away and interactions to imagine there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Edit {
    removed: Vec<Edge>,
    added: Vec<Edge>,
}

/// Why an edit makes no sense on a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It removes what is not there.
    #[error("the edit removes an interaction that is not there (user row {}, item row {})", .0.user.0, .0.item.0)]
    NotThere(Edge),
    /// It adds what is there.
    #[error("the edit adds an interaction that is already there (user row {}, item row {})", .0.user.0, .0.item.0)]
    AlreadyThere(Edge),
    /// It names a row that does not exist.
    #[error("the edit names a row that does not exist (user row {}, item row {})", .0.user.0, .0.item.0)]
    Outside(Edge),
}

impl Edit {
    /// The edit that changes nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// An edit from both parts; order and repetition do not matter.
    pub fn new(removed: impl IntoIterator<Item = Edge>, added: impl IntoIterator<Item = Edge>) -> Self {
        Self { removed: sorted(removed), added: sorted(added) }
    }

    /// Removes these.
    pub fn removing(edges: impl IntoIterator<Item = Edge>) -> Self {
        Self::new(edges, [])
    }

    /// Adds these.
    pub fn adding(edges: impl IntoIterator<Item = Edge>) -> Self {
        Self::new([], edges)
    }

    /// Gives `user` a history: what a newcomer brings, or what somebody adds to theirs.
    pub fn history(user: UserId, items: impl IntoIterator<Item = u32>) -> Self {
        Self::adding(items.into_iter().map(|item| Edge::new(user.0, item)))
    }

    /// What is imagined away, sorted.
    pub fn removed(&self) -> &[Edge] {
        &self.removed
    }

    /// What is imagined there, sorted.
    pub fn added(&self) -> &[Edge] {
        &self.added
    }

    /// The items it puts into somebody's history.
    pub fn gained(&self, user: UserId) -> impl Iterator<Item = ItemId> {
        self.added.iter().filter(move |edge| edge.user == user).map(|edge| edge.item)
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }

    /// Whether it makes sense on `graph`: removes only what is there, adds only what is not, names only rows that exist
    /// (or the newcomer's).
    pub fn check(&self, graph: &Graph) -> Result<(), EditError> {
        for &edge in &self.removed {
            if !graph.has(edge) {
                return Err(EditError::NotThere(edge));
            }
        }
        for &edge in &self.added {
            if edge.user > graph.newcomer() || edge.item.row() >= graph.items() {
                return Err(EditError::Outside(edge));
            }
            if graph.has(edge) {
                return Err(EditError::AlreadyThere(edge));
            }
        }
        Ok(())
    }
}

fn sorted(edges: impl IntoIterator<Item = Edge>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = edges.into_iter().collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_make_no_sense_are_refused() {
        let graph = Graph::new(2, 2, &[Edge::new(0, 0), Edge::new(1, 1)]).unwrap();
        assert_eq!(
            Edit::removing([Edge::new(0, 1)]).check(&graph),
            Err(EditError::NotThere(Edge::new(0, 1)))
        );
        assert_eq!(
            Edit::removing([Edge::new(9, 1)]).check(&graph),
            Err(EditError::NotThere(Edge::new(9, 1)))
        );
        assert_eq!(
            Edit::adding([Edge::new(0, 0)]).check(&graph),
            Err(EditError::AlreadyThere(Edge::new(0, 0)))
        );
        assert_eq!(Edit::adding([Edge::new(0, 2)]).check(&graph), Err(EditError::Outside(Edge::new(0, 2))));
        assert_eq!(Edit::adding([Edge::new(3, 0)]).check(&graph), Err(EditError::Outside(Edge::new(3, 0))));
        assert_eq!(Edit::history(graph.newcomer(), [0, 1]).check(&graph), Ok(()));
    }

    #[test]
    fn rebuilding_takes_away_adds_and_welcomes() {
        let graph = Graph::new(2, 3, &[Edge::new(0, 0), Edge::new(0, 1), Edge::new(1, 1)]).unwrap();
        let edit = Edit::new([Edge::new(0, 1)], [Edge::new(1, 2), Edge::new(2, 0)]);
        let rebuilt = graph.rebuilt(&edit).unwrap();
        assert_eq!(rebuilt.users(), 3);
        let edges: Vec<Edge> = rebuilt.edges().collect();
        assert_eq!(edges, [Edge::new(0, 0), Edge::new(1, 1), Edge::new(1, 2), Edge::new(2, 0)]);
        assert_eq!(graph.len(), 3, "the graph itself is as it was");
    }
}
