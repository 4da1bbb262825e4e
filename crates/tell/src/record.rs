//! An explanation as other programs read it: ids and titles instead of rows, pseudonyms instead of other people.

use grease_explain::{
    Change, Evicted, Goal, Minimum, NeighbourhoodSize, Scope, Status, SurrogateView, Weaker,
};
use grease_graph::Profile;
use serde::{Deserialize, Serialize};

use crate::reason::SaidReason;

/// The version of the format that is written.
pub const SCHEMA: &str = "grease.explanation/2";
/// All that are read: in the first, some fields are not there.
const READ: [&str; 2] = ["grease.explanation/1", SCHEMA];

/// Whether records of this version are read.
pub fn is_read(schema: &str) -> bool {
    READ.contains(&schema)
}

/// One explanation, whole: one object of JSON, one row of a table, and all that a sentence or a picture needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: String,
    /// The person's id; "newcomer" where `history` is given.
    pub user: String,
    /// What a newcomer brought, by id; `None` for somebody the model knows.
    pub history: Option<Vec<String>>,
    /// The explained item's id.
    pub item: String,
    /// Its title.
    pub item_title: Option<String>,
    /// Length of the list.
    pub k: usize,
    /// What is shown.
    pub goal: Goal,
    /// Which edges could be cited.
    pub scope: Scope,
    /// How the learned profile was read.
    pub profile: Profile,
    /// Who found it.
    pub method: String,
    /// What was checked.
    pub status: Status,
    /// Why nothing was found: a code, a colon, and what to do about it.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub reason: Option<SaidReason>,
    /// The interactions cited, strongest first.
    pub edges: Vec<CitedEdge>,
    /// What was taken away before a factual search.
    pub evicted: Option<Evicted>,
    /// Rank on the unedited graph, profile kept.
    pub rank_before: usize,
    /// Margin there; `None` where fewer than k others compete.
    pub margin_before: Option<f32>,
    /// Rank where the search began: after eviction, profile as used; `None` where ties decide.
    pub rank_start: Option<usize>,
    /// Rank with the explanation applied.
    pub rank_after: Option<usize>,
    /// Margin with the explanation applied.
    pub margin_after: Option<f32>,
    /// The best item on the list afterwards that was not on it before.
    pub replaced_by: Option<String>,
    /// Its title.
    pub replaced_by_title: Option<String>,
    /// Whether no single edge can be spared.
    pub minimal: Option<bool>,
    /// Whether no smaller set does it.
    #[serde(default)]
    pub minimum: Option<Minimum>,
    /// Edits tried only to prove that.
    #[serde(default)]
    pub proof_queries: Option<usize>,
    /// How many places beyond the list's end the item was asked to fall, or to be within it.
    #[serde(default)]
    pub firm: Option<usize>,
    /// Where the item stands for the person known by the cited edges alone; for explanations that are both factual and
    /// counterfactual.
    #[serde(default)]
    pub alone: Option<Alone>,
    /// How often such an explanation holds for a model trained again.
    #[serde(default)]
    pub holds_when_retrained: Option<Retrained>,
    /// Where none was found: the answer to a weaker question.
    #[serde(default)]
    pub instead: Option<Instead>,
    /// Share of the score the learned profile carries, 0 to 1.
    pub profile_share: Option<f32>,
    /// Questions asked of the recommender, amortised over the list.
    pub queries: f32,
    /// What the surrogate itself thinks.
    pub surrogate: Option<SurrogateView>,
    /// What it was fitted on.
    pub neighbourhood: Option<NeighbourhoodSize>,
    /// The seed.
    pub seed: u64,
    /// Hash of the model.
    pub model: String,
    /// Hash of the data.
    pub data: String,
    /// The explanation in plain words.
    pub sentence: String,
}

/// Where an item stands for somebody known by a few interactions alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Alone {
    pub rank: usize,
    /// `None` where fewer than k others compete.
    pub margin: Option<f32>,
}

/// A share that was measured, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Retrained {
    pub share: f32,
    pub low: f32,
    pub high: f32,
}

/// The answer to a weaker question, checked as any other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Instead {
    pub question: Weaker,
    /// How the learned profile was read.
    pub profile: Profile,
    pub edges: Vec<CitedEdge>,
    pub rank_after: usize,
    pub margin_after: Option<f32>,
    pub minimal: Option<bool>,
}

/// One interaction of an explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CitedEdge {
    /// What is done to it.
    pub change: Change,
    /// Whose: the person's id, or a pseudonym such as "other-1".
    pub user: String,
    /// With which item, by id.
    pub item: String,
    /// The item's title.
    pub title: Option<String>,
}
