//! `/api/explanations`

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use grease::explain::Method;
use grease::{Asked, SearchRequest, find_who};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{check_items, check_k};
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::options::Limits;
use crate::service::Shared;

/// Whose list, and which items of it; beside how it is searched.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct About {
    user: Option<String>,
    history: Option<Vec<String>>,
    items: Option<Vec<String>>,
    method: Method,
}

const ABOUT: [&str; 4] = ["user", "history", "items", "method"];

/// Explanations of a list, or of some of its items.
pub(crate) async fn explain(
    State(shared): State<Arc<Shared>>,
    body: Result<Json<Map<String, Value>>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(body) = body?;
    let loaded = shared.loaded();
    // Of another model the answer may be another.
    let key = format!("{} {}", loaded.subject().model_hash(), Value::Object(body.clone()));
    if let Some(told) = shared.store.recall(&key) {
        return Ok(Json(&*told).into_response());
    }
    let (asked, method) = read(body, &loaded, &shared.options.limits)?;
    let records = shared.compute.run(move || {
        // Other people's ids are never given out.
        let told = loaded.explaining(method, |explainer| asked.records(explainer, loaded.subject(), false));
        Ok::<_, ApiError>(told.ok_or(ApiError::Broken)??)
    });
    let records = records.await??;
    Ok(Json(&*shared.store.keep(&key, records)).into_response())
}

fn read(body: Map<String, Value>, loaded: &Loaded, limits: &Limits) -> Result<(Asked, Method), ApiError> {
    let (about, search): (Map<_, _>, Map<_, _>) =
        body.into_iter().partition(|(name, _)| ABOUT.contains(&name.as_str()));
    let bad = |error: serde_json::Error| ApiError::Bad(error.to_string());
    let about: About = serde_json::from_value(about.into()).map_err(bad)?;
    let search: SearchRequest = serde_json::from_value(search.into()).map_err(bad)?;
    let data = loaded.data();
    check_k(search.k, limits)?;
    let named =
        [&about.history, &about.items, &search.candidates].into_iter().flatten().map(Vec::len).sum::<usize>();
    check_items(named + search.exclude.len() + search.never_cite.len(), limits)?;
    if search.queries > limits.queries {
        let said = format!("queries is {}; this service asks at most {}", search.queries, limits.queries);
        return Err(ApiError::Bad(said));
    }
    let who = find_who(data, about.user.as_deref(), about.history.as_deref())?;
    Ok((Asked::new(search, who, about.items.as_deref(), data)?, about.method))
}

/// `ID.svg`: the picture of an explanation that was given lately.
pub(crate) async fn picture(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let gone = || {
        ApiError::Unknown("there is no such picture, or not any more: ask for the explanation again".into())
    };
    let record = name.strip_suffix(".svg").and_then(|id| shared.store.find(id)).ok_or_else(gone)?;
    let svg = grease::picture(&record, &shared.loaded().data().words);
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}
