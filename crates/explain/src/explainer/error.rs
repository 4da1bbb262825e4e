//! Why there is no answer at all.

use grease_graph::{ItemId, ScoreError};

use crate::methods::Method;

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExplainError {
    /// The recommender refused or failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Lists have places.
    #[error("k is 0, but a list has at least one place")]
    NoPlaces,
    /// There is no such item.
    #[error("item row {row} does not exist; there are {items} items")]
    UnknownItem {
        row: u32,
        /// Items there are.
        items: usize,
    },
    /// The item is never on the list.
    #[error("item row {} is in the person's history or excluded, so it is never recommended and there is nothing to explain", .0.0)]
    NotACandidate(ItemId),
    /// Factual explanations begin by taking away what can be put back.
    #[error("a factual explanation is not defined for scope hops")]
    FactualHops,
    /// Too many edges to search through.
    #[error(
        "method exact searches the scopes own and target only: hops has too many interactions to ask about"
    )]
    ExactHops,
    /// What a person could do is their own.
    #[error("why-not explanations cite the person's own interactions; use scope own")]
    WhyNotBeyondOwn,
    /// It has no order to follow.
    #[error(
        "method {0} has no order of its own to follow: only random, personalrank, cosine and leave-one-out can be run in order"
    )]
    NoOrder(Method),
    /// The paper does not ask it.
    #[error("method paper has no why-not explanations; use method grease")]
    WhyNotByPaper,
}
