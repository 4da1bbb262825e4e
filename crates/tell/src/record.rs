//! An explanation as other programs read it: ids and titles instead of rows, pseudonyms instead of other people.

use grease_explain::{Change, Evicted, Goal, NeighbourhoodSize, Scope, Status, SurrogateView};
use grease_graph::Profile;
use serde::{Deserialize, Serialize};

use crate::reason::SaidReason;

/// The version of the format.
pub const SCHEMA: &str = "grease.explanation/1";

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
    /// Rank where the search began: after eviction, profile as used.
    pub rank_start: usize,
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
