//! `/api/what-if`

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::{Extension, Json};
use grease::{Candidates, NamedWhatIf, find_items, what_if as imagine};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{check_items, check_k, find_whom, usual_k};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::openapi::{Always, Computed, Posted};
use crate::service::Shared;

/// Whose history, and what is changed about it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "user": "mira", "remove": ["velvet-harbour"], "k": 10 }))]
pub(crate) struct WhatIfRequest {
    /// Somebody the recommender knows; or else give a history.
    user: Option<String>,
    /// What somebody new did, by id or title.
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
    let both = move |shared: &Shared, loaded: &Loaded| {
        let data = loaded.data();
        let who = find_whom(data, &caller, &shared.options, user.as_deref(), history.as_deref())?;
        let (remove, add) = (find_items(data, &remove)?, find_items(data, &add)?);
        let imagined = imagine(loaded.recommender(), &who, &remove, &add, k, &Candidates::default())
            .map_err(|error| ApiError::what_if(error, &data.items))?;
        Ok(NamedWhatIf::new(&imagined, &data.items))
    };
    shared.compute(both).await.map(Json)
}
