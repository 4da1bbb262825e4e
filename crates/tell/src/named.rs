//! Lists for other programs: names instead of rows.

use grease_graph::{Catalogue, Listed, Moved, WhatIf};
use serde::Serialize;

/// One person's list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NamedList {
    /// Whose; none for somebody new.
    pub user: Option<String>,
    /// How long it was to be.
    pub k: usize,
    /// Best first.
    pub recommendations: Vec<Recommendation>,
}

/// A place on a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Recommendation {
    /// From 1.
    pub rank: usize,
    /// The item's id.
    pub item: String,
    /// Its title, where one is known.
    pub title: Option<String>,
    /// The recommender's score.
    pub score: f32,
}

impl NamedList {
    /// With the names of these items.
    pub fn new(user: Option<&str>, k: usize, listed: &[Listed], items: &Catalogue) -> Self {
        let place = |listed: &Listed| Recommendation {
            rank: listed.rank,
            item: items.id(listed.item.0).to_owned(),
            title: items.title(listed.item.0).map(str::to_owned),
            score: listed.score,
        };
        Self { user: user.map(str::to_owned), k, recommendations: listed.iter().map(place).collect() }
    }
}

/// The lists with and without a change, for other programs: names instead of rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NamedWhatIf {
    /// The list as it is, best first.
    pub before: Vec<NamedMoved>,
    /// The list as it would be, best first.
    pub after: Vec<NamedMoved>,
}

/// An item on either list, by name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NamedMoved {
    /// Its id.
    pub item: String,
    /// Its title, where one is known.
    pub title: Option<String>,
    /// As in [`Moved`].
    pub rank_before: Option<usize>,
    /// As in [`Moved`].
    pub rank_after: Option<usize>,
    /// As in [`Moved`].
    pub score_before: f32,
    /// As in [`Moved`].
    pub score_after: f32,
}

impl NamedWhatIf {
    /// With the names of these items.
    pub fn new(imagined: &WhatIf, items: &Catalogue) -> Self {
        let named = |moved: &Moved| NamedMoved {
            item: items.id(moved.item.0).to_owned(),
            title: items.title(moved.item.0).map(str::to_owned),
            rank_before: moved.rank_before,
            rank_after: moved.rank_after,
            score_before: moved.score_before,
            score_after: moved.score_after,
        };
        Self {
            before: imagined.before.iter().map(named).collect(),
            after: imagined.after.iter().map(named).collect(),
        }
    }
}
