//! A list for other programs: names instead of rows.

use grease_graph::{Catalogue, Listed};
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
