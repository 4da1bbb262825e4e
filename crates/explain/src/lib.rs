//! Why an item is on somebody's list: factual and counterfactual explanations, certified on the recommender itself.
//!
//! ```text
//! Task -> neighbourhood -> Surrogate -search-> Proposal -certify-> Explanation
//! ```
//!
//! The explainer cannot see inside a model: this crate knows [`Recommender`](grease_graph::Recommender) and nothing else.

mod case;
mod certify;
mod desk;
mod effects;
mod explainer;
mod explanation;
mod guess;
mod guided;
mod judged;
mod ledger;
mod methods;
mod neighbourhood;
mod rules;
pub mod search;
mod stand_in;
mod standing;
pub mod surrogate;
mod task;
mod walk;

pub use explainer::{ExplainError, Explainer, Items};
pub use explanation::{
    Change, Cited, Evicted, Explanation, NeighbourhoodSize, Reason, Status, SurrogateView,
};
pub use methods::{Method, UnknownMethod};
pub use neighbourhood::Neighbourhood;
pub use standing::Standing;
pub use task::{Caps, Goal, ProfileChoice, Rigour, Scope, Task};

/// Parts of a [`Task`], from where lists are made.
pub use grease_graph::{Candidates, Who};
