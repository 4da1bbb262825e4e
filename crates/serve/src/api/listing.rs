//! `/api/users/{id}` and their recommendations

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use grease::graph::Recommender as _;
use grease::{NamedList, Question};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::searching::Item;
use super::{ask, check_k, usual_k};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::responses::{Always, Computed};
use crate::shared::Shared;

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
        let (subject, question) = (loaded.subject(), Question::of(&id));
        let who = ask(shared, &caller, &question, || subject.who(&question))?;
        let history = who.history(subject.recommender().graph());
        let item = |&row: &u32| Item::new(&subject.data().items, row);
        Ok(Somebody { id, history: history.iter().map(item).collect() })
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
    let question = Question { k, ..Question::of(&id) };
    let list = move |shared: &Shared, loaded: &Loaded| {
        ask(shared, &caller, &question, || loaded.subject().list(&question))
    };
    shared.compute(list).await.map(Json)
}
