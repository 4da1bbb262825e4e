//! Interactions of a data set: a list of them, or those of a graph that holds them anyway.

use std::borrow::Cow;
use std::sync::Arc;

use crate::{Edge, Graph, GraphError};

/// Some interactions, by user, then item where they are a graph's.
#[derive(Debug, Clone)]
pub enum Edges {
    /// As they were listed.
    Listed(Vec<Edge>),
    /// All of a graph's: nothing is held twice.
    Of(Arc<Graph>),
}

impl Edges {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Listed(edges) => edges.len(),
            Self::Of(graph) => graph.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One after another.
    pub fn iter(&self) -> impl Iterator<Item = Edge> + '_ {
        let (listed, graph) = match self {
            Self::Listed(edges) => (&edges[..], None),
            Self::Of(graph) => (&[][..], Some(graph.edges())),
        };
        listed.iter().copied().chain(graph.into_iter().flatten())
    }

    /// As a list, which is made where there is none.
    pub fn listed(&self) -> Cow<'_, [Edge]> {
        match self {
            Self::Listed(edges) => Cow::Borrowed(edges),
            Self::Of(graph) => Cow::Owned(graph.edges().collect()),
        }
    }

    /// The graph of so many users and items with these interactions: the one that has them, or one that is made.
    pub fn graph(&self, users: usize, items: usize) -> Result<Arc<Graph>, GraphError> {
        match self {
            Self::Of(graph) if (graph.users(), graph.items()) == (users, items) => Ok(Arc::clone(graph)),
            _ => Ok(Arc::new(Graph::new(users, items, &self.listed())?)),
        }
    }

    /// As a list of one's own.
    pub fn into_vec(self) -> Vec<Edge> {
        match self {
            Self::Listed(edges) => edges,
            Self::Of(graph) => graph.edges().collect(),
        }
    }
}

impl Default for Edges {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<Edge>> for Edges {
    fn from(edges: Vec<Edge>) -> Self {
        Self::Listed(edges)
    }
}

/// Wherever they are held.
impl PartialEq for Edges {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Edges {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graphs_interactions_are_those_it_was_made_of() {
        let listed = vec![Edge::new(0, 1), Edge::new(2, 0), Edge::new(2, 1)];
        let graph = Edges::Of(Arc::new(Graph::new(3, 2, &listed).unwrap()));
        let edges = Edges::from(listed.clone());
        assert_eq!((&graph, graph.len(), graph.is_empty()), (&edges, 3, false));
        assert_eq!((&*graph.listed(), &*edges.listed()), (&listed[..], &listed[..]));
        for edges in [&graph, &edges] {
            assert_eq!(edges.graph(3, 2).unwrap().edges().collect::<Vec<_>>(), listed);
            assert_eq!(edges.graph(4, 2).unwrap().users(), 4);
            assert!(edges.graph(2, 2).is_err());
        }
        assert_eq!((graph.into_vec(), edges.into_vec()), (listed.clone(), listed));
        assert_ne!(Edges::default(), Edges::from(vec![Edge::new(0, 0)]));
    }
}
