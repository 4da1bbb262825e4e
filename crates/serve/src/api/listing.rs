//! `/api/users/{id}` and their recommendations

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use grease::{Candidates, NamedList, recommend};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::searching::Item;
use super::{check_k, find_whom, usual_k};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::openapi::{Always, Computed};
use crate::service::Shared;

/// Somebody, and what they did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Somebody {
    id: String,
    /// What the recommender knows they chose, listened to, watched.
    history: Vec<Item>,
}

/// How long a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Length {
    /// Length of the list; 10 unless it is said.
    #[serde(default = "usual_k")]
    k: usize,
}

/// Somebody's history
#[utoipa::path(get, path = "/api/users/{id}", tag = "People and items", params(("id" = String, Path, description = "Their id")), responses((status = 200, description = "their history", body = Somebody), Always, Computed))]
pub(crate) async fn user(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Somebody>, ApiError> {
    let Path(id) = id?;
    let look = move |shared: &Shared, loaded: &Loaded| {
        let data = loaded.data();
        let who = find_whom(data, &caller, &shared.options, Some(&id), None)?;
        let history = who.history(loaded.recommender().graph());
        Ok(Somebody { id, history: history.iter().map(|&row| Item::new(&data.items, row)).collect() })
    };
    shared.compute(look).await.map(Json)
}

/// Somebody's list
///
/// As `grease recommend --format json` has it.
#[utoipa::path(get, path = "/api/users/{id}/recommendations", tag = "Lists", params(("id" = String, Path, description = "Their id"), Length), responses((status = 200, description = "their list, best first", body = NamedList), Always, Computed))]
pub(crate) async fn recommendations(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
    length: Result<Query<Length>, QueryRejection>,
) -> Result<Json<NamedList>, ApiError> {
    let (Path(id), Query(Length { k })) = (id?, length?);
    check_k(k, &shared.options.limits)?;
    let list = move |shared: &Shared, loaded: &Loaded| {
        let data = loaded.data();
        let who = find_whom(data, &caller, &shared.options, Some(&id), None)?;
        let listed = recommend(loaded.recommender(), &who, k, &Candidates::default())?;
        Ok(NamedList::new(Some(&id), k, &listed, &data.items))
    };
    shared.compute(list).await.map(Json)
}
