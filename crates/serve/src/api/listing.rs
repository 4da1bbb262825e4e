//! `/api/users/{id}` and their recommendations

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use grease::{Candidates, NamedList, Who, find_user, recommend};
use serde::Deserialize;
use serde_json::{Value, json};

use super::check_k;
use crate::error::ApiError;
use crate::service::Shared;

/// Somebody, and what they did.
pub(crate) async fn user(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let loaded = shared.loaded();
    let data = loaded.data();
    let user = find_user(&data.users, &id)?;
    let item = |&row: &u32| json!({ "item": data.items.id(row), "title": data.items.title(row) });
    let history: Vec<Value> = loaded.recommender().graph().items_of(user).iter().map(item).collect();
    Ok(Json(json!({ "id": data.users.id(user.0), "history": history })))
}

/// How long a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Length {
    #[serde(default = "usual")]
    k: usize,
}

fn usual() -> usize {
    10
}

/// Somebody's list, as `grease recommend --format json` has it.
pub(crate) async fn recommendations(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    length: Result<Query<Length>, QueryRejection>,
) -> Result<Json<NamedList>, ApiError> {
    let Query(Length { k }) = length?;
    check_k(k, &shared.options.limits)?;
    let loaded = shared.loaded();
    let user = find_user(&loaded.data().users, &id)?;
    let asked = Arc::clone(&loaded);
    let work = move || recommend(asked.recommender(), &Who::Known(user), k, &Candidates::default());
    let listed = shared.compute.run_quick(work).await??;
    Ok(Json(NamedList::new(Some(&id), k, &listed, &loaded.data().items)))
}
