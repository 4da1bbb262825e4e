//! For whom a list is made.

use std::collections::BTreeSet;

use crate::{Edge, Edit, Graph, ItemId, UserId};

/// For whom a list is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// Somebody the model was trained with.
    Known(UserId),
    /// Somebody the model has never seen, by the items they bring; order and repetition do not matter.
    Newcomer(Vec<ItemId>),
}

impl Who {
    /// The row to ask the recommender about.
    pub fn row(&self, graph: &Graph) -> UserId {
        match self {
            Who::Known(user) => *user,
            Who::Newcomer(_) => graph.newcomer(),
        }
    }

    /// The rows of their history, ascending; empty for a user the graph does not have.
    pub fn history(&self, graph: &Graph) -> Vec<u32> {
        match self {
            Who::Known(user) if user.row() >= graph.users() => Vec::new(),
            Who::Known(user) => graph.items_of(*user).to_vec(),
            Who::Newcomer(items) => {
                let rows: BTreeSet<u32> = items.iter().map(|item| item.0).collect();
                rows.into_iter().collect()
            }
        }
    }

    /// The edit that makes them as they are, but with `removed` imagined away and `added` imagined there.
    ///
    /// A newcomer is an edit themselves: taking one of their interactions away is not adding it.
    pub fn edit(&self, graph: &Graph, removed: &[Edge], added: &[Edge]) -> Edit {
        match self {
            Who::Known(_) => Edit::new(removed.iter().copied(), added.iter().copied()),
            Who::Newcomer(_) => {
                let newcomer = graph.newcomer();
                let brought = self.history(graph).into_iter().map(|item| Edge::new(newcomer.0, item));
                let kept = brought.filter(|edge| !removed.contains(edge)).chain(added.iter().copied());
                Edit::new(removed.iter().copied().filter(|edge| edge.user != newcomer), kept)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomers_interaction_is_taken_away_by_not_adding_it() {
        let graph = Graph::new(2, 4, &[Edge::new(0, 0), Edge::new(1, 1)]).unwrap();
        let new = Who::Newcomer(vec![ItemId(3), ItemId(1), ItemId(3)]);
        let edit = new.edit(&graph, &[Edge::new(2, 1), Edge::new(0, 0)], &[Edge::new(2, 2)]);
        assert_eq!(edit, Edit::new([Edge::new(0, 0)], [Edge::new(2, 2), Edge::new(2, 3)]));
        let known = Who::Known(UserId(1));
        assert_eq!(known.edit(&graph, &[Edge::new(1, 1)], &[]), Edit::removing([Edge::new(1, 1)]));
    }
}
