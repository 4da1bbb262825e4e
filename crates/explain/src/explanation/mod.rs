//! What was found, and what was checked about it.

mod instead;
mod of_list;
mod reason;

pub use instead::{Instead, Weaker};
pub(crate) use of_list::needed;
pub use of_list::{ListExplanation, Rewritten};
pub use reason::{Reason, ReasonCode, UnknownReason};

use grease_graph::{ItemId, Profile, UserId};
use serde::{Deserialize, Serialize};

use crate::ask::{Cited, Evicted};
use crate::find::{Certificate, Checked};
use crate::methods::Method;
use crate::surrogate::{NeighbourhoodSize, SurrogateView};
use crate::task::{Goal, Scope};

/// What came of a search.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It holds on the recommender itself.
    Verified(Certificate),
    /// A method's own answer that the recommender denies; only for methods run uncertified.
    Refuted(Certificate),
    /// A factual explanation that holds with nothing put back: the learned profile alone carries the item.
    Trivial(Certificate),
    /// What a surrogate thinks does it, strongest first; the recommender cannot be asked.
    Guess(Vec<Cited>),
    /// Nothing.
    NotFound(Reason),
}

impl Outcome {
    /// Edges of what holds.
    pub(crate) fn size(&self) -> usize {
        match self {
            Outcome::Verified(certificate) => certificate.edges().len(),
            _ => 0,
        }
    }

    fn certificate(&self) -> Option<&Certificate> {
        match self {
            Outcome::Verified(known) | Outcome::Refuted(known) | Outcome::Trivial(known) => Some(known),
            Outcome::Guess(_) | Outcome::NotFound(_) => None,
        }
    }
}

impl From<Checked> for Outcome {
    fn from(checked: Checked) -> Self {
        match checked {
            Checked::Holds(certificate) => Outcome::Verified(certificate),
            Checked::Denied(certificate) => Outcome::Refuted(certificate),
            Checked::Unsure(ranks) => Outcome::NotFound(Reason::AnswersDiffer { ranks }),
        }
    }
}

/// How far an explanation can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Checked on the recommender itself.
    Verified,
    /// A method's own answer that the recommender denies; only for methods run uncertified.
    Refuted,
    /// A factual explanation that holds with nothing put back: the learned profile alone carries the item.
    Trivial,
    /// The recommender cannot be asked.
    Unverified,
    /// None was found, see the reason.
    NotFound,
}

/// What is known about smaller sets of the interactions that may be cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Minimum {
    /// None of them does it: all were tried, or ruled out by a bound.
    Proved,
    /// None was found.
    Searched,
}

/// Why an item is on somebody's list, with what was checked about it.
///
/// Only this crate makes them, after asking the recommender.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// Whose list; [`Graph::newcomer`](grease_graph::Graph::newcomer) for somebody the recommender has never seen.
    pub user: UserId,
    pub item: ItemId,
    /// Length of the list.
    pub k: usize,
    pub goal: Goal,
    /// Which edges could be cited.
    pub scope: Scope,
    /// How the person's learned row was read.
    pub profile: Profile,
    pub method: Method,
    /// Set once, by the search: a certificate cannot be moved from one outcome to another.
    pub(crate) outcome: Outcome,
    /// What was taken away before a factual search.
    pub evicted: Option<Evicted>,
    /// Rank on the unedited graph, profile kept.
    pub rank_before: usize,
    /// Margin there; infinite where fewer than k others compete.
    pub margin_before: f32,
    /// Rank where the search began: after eviction, profile as used; none where ties decide.
    pub rank_start: Option<usize>,
    /// Share of the score the learned profile carries, 0 to 1.
    pub profile_share: Option<f32>,
    /// Questions asked of the recommender, with the share of those asked once for the person.
    pub queries: f32,
    /// What is known about smaller sets, where one was found.
    pub minimum: Option<Minimum>,
    /// Edits tried only to prove that.
    pub proof_queries: Option<usize>,
    /// The answer to a weaker question, where the one asked has none.
    pub instead: Option<Instead>,
    /// How firmly it had to hold: see [`Task::firm`](crate::Task::firm).
    pub firm: usize,
    /// The surrogate's view, where one was fitted.
    pub surrogate: Option<SurrogateView>,
    /// What the surrogate was fitted on.
    pub neighbourhood: Option<NeighbourhoodSize>,
    pub seed: u64,
}

impl Explanation {
    /// What was found, and what was checked about it.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// What was checked.
    pub fn status(&self) -> Status {
        match self.outcome {
            Outcome::Verified(_) => Status::Verified,
            Outcome::Refuted(_) => Status::Refuted,
            Outcome::Trivial(_) => Status::Trivial,
            Outcome::Guess(_) => Status::Unverified,
            Outcome::NotFound(_) => Status::NotFound,
        }
    }

    /// The edges, strongest first; none where nothing was found.
    pub fn edges(&self) -> &[Cited] {
        match &self.outcome {
            Outcome::Guess(edges) => edges,
            outcome => outcome.certificate().map_or(&[], Certificate::edges),
        }
    }

    /// Rank with the explanation applied, where that was asked.
    pub fn rank_after(&self) -> Option<usize> {
        self.outcome.certificate().map(Certificate::rank_after)
    }

    /// Margin with the explanation applied, where that was asked.
    pub fn margin_after(&self) -> Option<f32> {
        self.outcome.certificate().map(Certificate::margin_after)
    }

    /// The best item on the list afterwards that was not on it before.
    pub fn replaced_by(&self) -> Option<ItemId> {
        self.outcome.certificate().and_then(Certificate::replaced_by)
    }

    /// Whether no single edge can be spared; `None` where it was not found out.
    pub fn minimal(&self) -> Option<bool> {
        self.outcome.certificate().and_then(Certificate::minimal)
    }

    /// The item's rank and margin for the person known by the cited edges alone (of the parts, by those that are enough); only where
    /// they have to be both enough and needed.
    pub fn alone(&self) -> Option<(usize, f32)> {
        let parts = self.instead.as_ref().and_then(Instead::enough);
        let of_parts = parts.map(|enough| (enough.rank_after(), enough.margin_after()));
        self.outcome.certificate().and_then(Certificate::alone).or(of_parts)
    }

    /// Why nothing was found.
    pub fn reason(&self) -> Option<Reason> {
        match self.outcome {
            Outcome::NotFound(reason) => Some(reason),
            _ => None,
        }
    }

    /// The same with nothing found: what a surrogate found is beyond what the task allows.
    pub(crate) fn given_up(self) -> Self {
        let rank = self.surrogate.map(|view| view.rank_before);
        Self {
            outcome: Outcome::NotFound(Reason::SurrogateFoundNone { rank }),
            surrogate: self.surrogate.map(|view| SurrogateView { rank_after: None, ..view }),
            ..self
        }
    }
}
