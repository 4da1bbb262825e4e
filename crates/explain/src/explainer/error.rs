//! Why there is no answer at all.

use grease_graph::{ItemId, ScoreError};

use crate::methods::{Method, MethodError, MethodName, UnknownMethod, told};
use crate::paper_options::UnfitPaperOption;

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExplainError {
    /// The recommender refused or failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Lists have places.
    #[error("k is 0, but a list has at least one place")]
    NoPlaces,
    /// At least just past the edge.
    #[error("firm is 0, but 1 is the least: just past the edge of the list")]
    NotFirm,
    /// Nothing gets further up than the first place.
    #[error(
        "firm {firm} asks for more places than a list of {k} has: what gets in can come {k} places up at most"
    )]
    TooFirm { firm: usize, k: usize },
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
    /// What is enough and needed is one's own.
    #[error("goal joint cites the person's own interactions; use scope own")]
    JointBeyondOwn,
    /// Both at once reads the profile both ways.
    #[error(
        "goal joint keeps the profile for what is needed and sets it aside for what is enough; leave the profile at auto"
    )]
    JointProfile,
    /// The paper has it as future work.
    #[error("method paper has no explanations that are both factual and counterfactual; use method grease")]
    JointByPaper,
    /// A guess of two things at once would be worth nothing.
    #[error("goal joint needs a recommender that can be asked about edited histories; this one is frozen")]
    JointOfFrozen,
    /// A share is a part of the whole.
    #[error("a share of {0} of the list cannot change: it is more than 0 and at most 1")]
    NoShare(f64),
    /// A list rests on what its owner did.
    #[error(
        "a list is explained by the person's own interactions, as it is; use scope own, and leave the profile at auto"
    )]
    ListBeyondOwn,
    /// Nothing could be checked.
    #[error(
        "a list as a whole can be explained only where the recommender can be asked about edited histories; this one is frozen"
    )]
    ListOfFrozen,
    /// What a person could do is their own.
    #[error("why-not explanations cite the person's own interactions; use scope own")]
    WhyNotBeyondOwn,
    /// It has no order to follow.
    #[error(
        "method {0} has no order of its own to follow: only {ordered} can be run in order",
        ordered = told(Method::has_an_order)
    )]
    NoOrder(Method),
    /// It says where to look, and not how much anything matters.
    #[error("method {0} does not say how much each interaction matters: {sharing} do", sharing = told(Method::has_shares))]
    NoShares(Method),
    /// Nobody could be asked.
    #[error(
        "how much interactions matter can be said only where the recommender can be asked about edited histories; this one is frozen"
    )]
    SharesOfFrozen,
    /// It learns from histories.
    #[error("method {0} knows the person's own interactions alone; use scope own")]
    BeyondHistories(Method),
    /// It looks inside.
    #[error(
        "method {method} needs a recommender that {what}; this one does not. Use another method, such as leave-one-out"
    )]
    Lacking {
        method: Method,
        /// What the recommender would have to do.
        what: &'static str,
    },
    /// The paper does not ask it.
    #[error("method paper has no why-not explanations; use method grease")]
    WhyNotByPaper,
    /// Nothing is called that here.
    #[error(transparent)]
    Unknown(#[from] UnknownMethod),
    /// The recommender cannot be asked about what a method from outside proposes.
    #[error(
        "what method {0} proposes has to be asked of the recommender, and this one is frozen; method grease guesses by a stand-in model"
    )]
    GivenOfFrozen(MethodName),
    /// A method from outside failed, or proposed what cannot be.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// Method `paper` cannot be run so.
    #[error(transparent)]
    Paper(#[from] UnfitPaperOption),
}
