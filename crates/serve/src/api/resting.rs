//! `/api/list-explanations`

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::{Extension, Json};
use grease::{HALF, ListRecord, Question, list_picture};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ask, check_items, check_k, usual_k};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::responses::{Always, Computed, Posted};
use crate::shared::Shared;

/// Whose list, and how much of it has to change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "user": "mira", "k": 10, "share": 0.5 }))]
pub(crate) struct ListRequest {
    /// Somebody the recommender knows; or else give a history.
    user: Option<String>,
    /// What somebody new did, by id or title: at least one item.
    history: Option<Vec<String>>,
    /// Length of the list.
    #[serde(default = "usual_k")]
    k: usize,
    /// The share of the list that has to change, above 0 and up to 1.
    #[serde(default = "half")]
    share: f64,
    /// The most interactions that may be named.
    max_edges: Option<usize>,
}

fn half() -> f64 {
    HALF
}

/// What a list rests on, and its picture.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListExplained {
    explanation: ListRecord,
    /// The picture, SVG.
    picture: String,
}

/// What a list as a whole rests on
///
/// The fewest interactions found without which at least a share of the list would be another, checked with the recommender.
#[utoipa::path(post, path = "/api/list-explanations", tag = "Why", request_body = ListRequest, responses((status = 200, description = "what it rests on", body = ListExplained), Always, Computed, Posted))]
pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    about: Result<Json<ListRequest>, JsonRejection>,
) -> Result<Json<ListExplained>, ApiError> {
    let Json(ListRequest { user, history, k, share, max_edges }) = about?;
    let limits = &shared.options.limits;
    check_k(k, limits)?;
    check_items(history.as_ref().map_or(0, Vec::len), limits)?;
    let question = Question { user, history, k, max_edges, ..Question::default() };
    let explained = move |shared: &Shared, loaded: &Loaded| {
        ask(shared, &caller, &question, || {
            let explanation = loaded.subject().explain_list(&question, share)?;
            let picture = list_picture(&explanation, loaded.subject().words());
            Ok(ListExplained { explanation, picture })
        })
    };
    shared.compute(explained).await.map(Json)
}
