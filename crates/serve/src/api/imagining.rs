//! `/api/what-if`

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::{Extension, Json};
use grease::{NamedWhatIf, Question};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{ask, check_items, check_k, usual_k};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::responses::{Always, Computed, Posted};
use crate::shared::Shared;

/// Whose history, and what is changed about it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "user": "mira", "remove": ["velvet-harbour"], "k": 10 }))]
pub(crate) struct WhatIfRequest {
    /// Somebody the recommender knows; or else give a history.
    user: Option<String>,
    /// What somebody new did, by id or title: at least one item.
    history: Option<Vec<String>>,
    /// What is imagined away, of their history.
    #[serde(default)]
    remove: Vec<String>,
    /// What is imagined there.
    #[serde(default)]
    add: Vec<String>,
    /// Length of the lists.
    #[serde(default = "usual_k")]
    k: usize,
}

/// A list as it is, and as it would be
///
/// With a rank and a score for both, for every item on either.
#[utoipa::path(post, path = "/api/what-if", tag = "Lists", request_body = WhatIfRequest, responses((status = 200, description = "both lists", body = NamedWhatIf), Always, Computed, Posted))]
pub(crate) async fn what_if(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    change: Result<Json<WhatIfRequest>, JsonRejection>,
) -> Result<Json<NamedWhatIf>, ApiError> {
    let Json(WhatIfRequest { user, history, remove, add, k }) = change?;
    let limits = &shared.options.limits;
    check_k(k, limits)?;
    check_items(remove.len() + add.len() + history.as_ref().map_or(0, Vec::len), limits)?;
    let question = Question { user, history, k, ..Question::default() };
    let both = move |shared: &Shared, loaded: &Loaded| {
        ask(shared, &caller, &question, || loaded.subject().what_if(&question, &remove, &add))
    };
    shared.compute(both).await.map(Json)
}
