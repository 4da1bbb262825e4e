//! What was found, and what was checked about it.

use std::fmt;

use grease_graph::{Edge, ItemId, Profile, UserId};
use serde::{Deserialize, Serialize};

use crate::{Goal, Scope};

/// What is done to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Taken away: counterfactual and why not.
    Removed,
    /// Put back after the eviction: factual.
    Kept,
    /// Imagined there: why not.
    Added,
}

/// An edge of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cited {
    /// What is done to it.
    pub change: Change,
    /// Which.
    pub edge: Edge,
}

/// What is taken away before a factual search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Evicted {
    /// All interactions of the person.
    Own,
    /// All interactions of the person and of the item.
    Target,
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

/// Why nothing was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// The questions the task allows were used up.
    OutOfBudget {
        /// Questions asked.
        asked: usize,
    },
    /// As many edges as allowed do not do it.
    CapReached {
        /// The most edges allowed.
        cap: usize,
        /// The rank that came closest.
        best_rank: usize,
    },
    /// Every edge there is does not do it.
    NothingSuffices {
        /// How many edges could be cited.
        edges: usize,
        /// The rank that came closest.
        best_rank: usize,
    },
    /// With all own interactions gone the item is still on the list: the learned profile carries it.
    CarriedByProfile {
        /// The rank without any own interaction.
        rank: usize,
    },
    /// Method `paper`: the surrogate itself sees no way.
    SurrogateFoundNone {
        /// Where it ranks the item before any edit, if it sees it at all.
        rank: Option<usize>,
    },
    /// The person has no interaction that may be cited.
    NoHistory,
    /// The item has no interactions.
    ItemWithoutInteractions,
    /// The item is not on the list to begin with (as the profile was read).
    AlreadyOutside {
        /// Its rank.
        rank: usize,
    },
    /// The item is on the list already: there is no "why not".
    AlreadyInside {
        /// Its rank.
        rank: usize,
    },
    /// Fewer candidates than places: the item cannot leave the list.
    FewerCandidatesThanPlaces,
}

impl Reason {
    /// A name that stays the same.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::OutOfBudget { .. } => "out_of_budget",
            Reason::CapReached { .. } => "cap_reached",
            Reason::NothingSuffices { .. } => "nothing_suffices",
            Reason::CarriedByProfile { .. } => "carried_by_profile",
            Reason::SurrogateFoundNone { .. } => "surrogate_found_none",
            Reason::NoHistory => "no_history",
            Reason::ItemWithoutInteractions => "item_without_interactions",
            Reason::AlreadyOutside { .. } => "already_outside",
            Reason::AlreadyInside { .. } => "already_inside",
            Reason::FewerCandidatesThanPlaces => "fewer_candidates_than_places",
        }
    }
}

/// The code, a colon, and what to do about it.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code())?;
        match self {
            Reason::OutOfBudget { asked } => {
                write!(f, "{asked} questions to the recommender did not suffice; allow more")
            }
            Reason::CapReached { cap, best_rank } => {
                write!(f, "the best attempt with {cap} interactions reaches rank {best_rank}; allow more interactions")
            }
            Reason::NothingSuffices { edges, best_rank } => write!(
                f,
                "none of the {edges} interactions that may be cited, nor all of them, is enough (best rank {best_rank}); try a wider scope"
            ),
            Reason::CarriedByProfile { rank } => write!(
                f,
                "with all of the person's interactions gone the item still has rank {rank}; try the neutral profile"
            ),
            Reason::SurrogateFoundNone { rank: Some(rank) } => {
                write!(f, "the stand-in model, which ranks the item {rank}, sees no way; try method grease")
            }
            Reason::SurrogateFoundNone { rank: None } => {
                f.write_str("the item is outside what the stand-in model sees; try method grease")
            }
            Reason::NoHistory => f.write_str("the person has no interactions that may be cited"),
            Reason::ItemWithoutInteractions => {
                f.write_str("nobody in the training data has interacted with the item; try scope own")
            }
            Reason::AlreadyOutside { rank } => {
                write!(f, "the item has rank {rank}, outside the list, before anything is changed; ask why not instead")
            }
            Reason::AlreadyInside { rank } => write!(f, "the item is on the list already, at rank {rank}; ask why"),
            Reason::FewerCandidatesThanPlaces => {
                f.write_str("there are no more candidates than places on the list, so nothing can leave it; ask for a shorter list")
            }
        }
    }
}

/// What the surrogate itself thinks, beside what the recommender says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SurrogateView {
    /// The item's rank before any edit.
    pub rank_before: usize,
    /// The item's rank after the edit.
    pub rank_after: Option<usize>,
    /// Spearman correlation of predicted and real score changes over held-out edits.
    pub fidelity: Option<f32>,
}

/// The part of the graph a surrogate was fitted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NeighbourhoodSize {
    /// Users in it.
    pub users: usize,
    /// Items in it.
    pub items: usize,
    /// Interactions in it.
    pub edges: usize,
    /// Interactions left out because there were too many; the strongest were kept.
    pub left_out: usize,
}

/// Why an item is on somebody's list, with what was checked about it.
///
/// Only this crate makes them, after asking the recommender.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// Whose list; [`Graph::newcomer`](grease_graph::Graph::newcomer) for somebody the recommender has never seen.
    pub user: UserId,
    /// What is explained.
    pub item: ItemId,
    /// Length of the list.
    pub k: usize,
    /// What it shows.
    pub goal: Goal,
    /// Which edges could be cited.
    pub scope: Scope,
    /// How the person's learned row was read.
    pub profile: Profile,
    /// Who found it.
    pub method: &'static str,
    /// What was checked.
    pub status: Status,
    /// Why nothing was found.
    pub reason: Option<Reason>,
    /// The edges, strongest first.
    pub edges: Vec<Cited>,
    /// What was taken away before a factual search.
    pub evicted: Option<Evicted>,
    /// Rank on the unedited graph, profile kept.
    pub rank_before: usize,
    /// Margin there; infinite where fewer than k others compete.
    pub margin_before: f32,
    /// Rank where the search began: after eviction, profile as used.
    pub rank_start: usize,
    /// Rank with the explanation applied.
    pub rank_after: Option<usize>,
    /// Margin with the explanation applied.
    pub margin_after: Option<f32>,
    /// The best item on the list afterwards that was not on it before.
    pub replaced_by: Option<ItemId>,
    /// Whether no single edge can be spared; `None` where it was not found out.
    pub minimal: Option<bool>,
    /// Share of the score the learned profile carries, 0 to 1.
    pub profile_share: Option<f32>,
    /// Questions asked of the recommender, with the share of those asked once for the person.
    pub queries: f32,
    /// The surrogate's view, where one was fitted.
    pub surrogate: Option<SurrogateView>,
    /// What the surrogate was fitted on.
    pub neighbourhood: Option<NeighbourhoodSize>,
    /// The seed.
    pub seed: u64,
}

impl Explanation {
    /// The same with nothing found: what a surrogate found is beyond what the task allows.
    pub(crate) fn given_up(self) -> Self {
        let rank = self.surrogate.map(|view| view.rank_before);
        Self {
            status: Status::NotFound,
            reason: Some(Reason::SurrogateFoundNone { rank }),
            edges: Vec::new(),
            rank_after: None,
            margin_after: None,
            replaced_by: None,
            minimal: None,
            surrogate: self.surrogate.map(|view| SurrogateView { rank_after: None, ..view }),
            ..self
        }
    }
}
