//! What was read: who touched what, with the names of both.

use serde::{Deserialize, Serialize};

use crate::{Catalogue, Edge};

/// Interaction data, clean: every edge refers to existing rows, edges are sorted and unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interactions {
    /// The users' ids (and titles, rarely).
    pub users: Catalogue,
    /// The items' ids and titles.
    pub items: Catalogue,
    /// Every interaction, or those of the training part where the data came already split.
    pub edges: Vec<Edge>,
    /// The held-out part, where the data came already split.
    pub given_test: Option<Vec<Edge>>,
    /// How to speak about this data.
    pub words: Words,
}

/// Words of the domain, so that sentences sound right: "listeners listened to artists".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Words {
    /// One user: "listener".
    pub person: String,
    /// What they did, past tense: "listened to".
    pub did: String,
    /// One item: "artist".
    pub item: String,
    /// Several items: "artists".
    pub items: String,
}

impl Default for Words {
    fn default() -> Self {
        Self { person: "person".into(), did: "chose".into(), item: "item".into(), items: "items".into() }
    }
}
