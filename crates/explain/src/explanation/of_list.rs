//! What a whole list rests on.

use grease_graph::{ItemId, UserId};

use crate::ask::Cited;
use crate::methods::Method;

/// The fewest interactions found after which much of a list is another.
///
/// Only this crate makes them, after asking the recommender.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ListExplanation {
    /// Whose list; [`Graph::newcomer`](grease_graph::Graph::newcomer) for somebody the recommender has never seen.
    pub user: UserId,
    /// Length of the list.
    pub k: usize,
    /// The share of it that has to change.
    pub share: f64,
    pub method: Method,
    /// The list as it is, best first.
    pub before: Vec<ItemId>,
    /// What was found.
    pub(crate) found: Option<Rewritten>,
    /// The most interactions that could be named.
    pub cap: usize,
    /// Interactions that could be named.
    pub citable: usize,
    /// Questions asked of the recommender.
    pub queries: usize,
    pub seed: u64,
}

/// Interactions, and the list without them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    pub(crate) edges: Vec<Cited>,
    pub(crate) after: Vec<ItemId>,
    pub(crate) minimal: Option<bool>,
}

impl ListExplanation {
    /// What was found and checked; none where nothing was.
    pub fn found(&self) -> Option<&Rewritten> {
        self.found.as_ref()
    }

    /// How many items have to change.
    pub fn needed(&self) -> usize {
        needed(self.share, self.before.len())
    }
}

impl Rewritten {
    /// The interactions, strongest first.
    pub fn edges(&self) -> &[Cited] {
        &self.edges
    }

    /// The list without them, best first.
    pub fn after(&self) -> &[ItemId] {
        &self.after
    }

    /// Whether no single one can be spared; none where it was not found out.
    pub fn minimal(&self) -> Option<bool> {
        self.minimal
    }
}

/// So many of a list's items are a share of it, at least one.
pub(crate) fn needed(share: f64, items: usize) -> usize {
    ((share * items as f64 - 1e-9).ceil() as usize).clamp(1, items.max(1))
}
