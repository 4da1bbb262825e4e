//! Why an item is on somebody's list: factual and counterfactual explanations, certified on the recommender itself.
//!
//! ```text
//! Task -Person::ask_list-> list -SharedAnswers::ask-> what single interactions do -Pair::explain, item by item and goal by goal->
//!     Method::attempts -Attempt::propose-> Proposal -certify-> Found -Certifier::check-> Certificate -> Explanation
//! ```
//!
//! That is all there is to the usual scope, the person's own interactions. Beyond it, and for methods that need one, a
//! neighbourhood is cut out and a surrogate fitted between the second and the third step, which says what edges of others are
//! worth a question; of a recommender that cannot be asked, its word is all there is, and called a guess.
//!
//! Later modules use earlier ones, never the other way round: `paper_options`, `task`, `ask`, `surrogate`, `find`, `methods`, `explanation`,
//! `explainer`. The explainer cannot see inside a model: this crate knows [`Recommender`](grease_graph::Recommender) and nothing else.

mod ask;
mod explainer;
mod explanation;
mod find;
mod methods;
mod paper_options;
mod surrogate;
mod task;

pub use ask::{Change, Cited, Evicted};
pub use explainer::{ExplainError, Explainer, Importance, Items, Ordered};
pub use explanation::{
    Explanation, Instead, ListExplanation, Minimum, Outcome, Reason, ReasonCode, Rewritten, Status,
    UnknownReason, Weaker,
};
pub use find::Certificate;
pub use methods::{
    About, Ask, GivenMethod, ItemStanding, Method, MethodError, MethodName, UnfitName, UnknownMethod,
    Unproposed,
};
pub use paper_options::{PaperFeatures, PaperFit, PaperLoss, PaperOptions, PaperRivals, UnfitPaperOption};
pub use surrogate::{NeighbourhoodSize, SurrogateView};
pub use task::{Caps, Goal, ProfileChoice, Rigour, Scope, Task};

/// Parts of a [`Task`], from where lists are made.
pub use grease_graph::{Candidates, Who};
