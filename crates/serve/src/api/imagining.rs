//! `/api/what-if`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use grease::{Candidates, NamedWhatIf, find_items, find_who, what_if as imagine};
use serde::Deserialize;

use super::{check_items, check_k};
use crate::error::ApiError;
use crate::service::Shared;

/// Whose history, and what is changed about it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    user: Option<String>,
    history: Option<Vec<String>>,
    #[serde(default)]
    remove: Vec<String>,
    #[serde(default)]
    add: Vec<String>,
    #[serde(default = "usual")]
    k: usize,
}

fn usual() -> usize {
    10
}

/// Their list as it is, and as it would be.
pub(crate) async fn what_if(
    State(shared): State<Arc<Shared>>,
    change: Result<Json<Change>, JsonRejection>,
) -> Result<Json<NamedWhatIf>, ApiError> {
    let Json(Change { user, history, remove, add, k }) = change?;
    let loaded = shared.loaded();
    let (limits, data) = (&shared.options.limits, loaded.data());
    check_k(k, limits)?;
    check_items(remove.len() + add.len() + history.as_ref().map_or(0, Vec::len), limits)?;
    let who = find_who(data, user.as_deref(), history.as_deref())?;
    let (remove, add) = (find_items(data, &remove)?, find_items(data, &add)?);
    let asked = Arc::clone(&loaded);
    let work = move || imagine(asked.recommender(), &who, &remove, &add, k, &Candidates::default());
    let imagined = shared.compute.run_quick(work).await?;
    let imagined = imagined.map_err(|error| ApiError::what_if(error, &data.items))?;
    Ok(Json(imagined.named(&data.items)))
}
