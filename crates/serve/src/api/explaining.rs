//! `/api/explanations`

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use grease::explain::Method;
use grease::{Asked, Record, SearchRequest};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{check_items, check_k, find_whom};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::events::{self, wants_events};
use crate::loaded::Loaded;
use crate::openapi::{Always, Computed, ExplanationRequest, Posted};
use crate::options::{Limits, ServeOptions};
use crate::service::Shared;
use crate::store::{Question, Store, Told};

/// Whose list, and which items of it; beside how it is searched.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct About {
    /// Somebody the recommender knows; or else give a history.
    user: Option<String>,
    /// What somebody new did, by id or title.
    history: Option<Vec<String>>,
    /// Some of the list, by id or title; all of it unless they are named. With the goal `why_not`, items that are not on it.
    items: Option<Vec<String>>,
    /// How it is searched for.
    method: Method,
}

const ABOUT: [&str; 4] = ["user", "history", "items", "method"];

/// Explanations, as everywhere, and in the same order the ids of their pictures.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Explanations {
    /// Of the pictures: `/api/explanations/{id}.svg`.
    ids: Vec<String>,
    /// For each item every goal that was asked for, and after each its alternatives.
    #[schema(value_type = Vec<Record>)]
    explanations: Vec<Box<RawValue>>,
}

impl FromIterator<Told> for Explanations {
    fn from_iter<I: IntoIterator<Item = Told>>(all: I) -> Self {
        let (ids, explanations) = all.into_iter().map(|told| (told.id, told.explanation)).unzip();
        Self { ids, explanations }
    }
}

/// Explanations of a list, or of some of its items
///
/// With `Accept: text/event-stream` they come as server-sent events, each as soon as it is found: `explanation` events
/// whose data is `{"id": …, "explanation": …}`, then one `end` with their `count`; or an `error`, as everywhere. A client that
/// closes the connection has the search given up.
#[utoipa::path(post, path = "/api/explanations", tag = "Why", request_body = ExplanationRequest, responses((status = 200, description = "for each item every goal", content((Explanations = "application/json"), (String = "text/event-stream"))), Always, Computed, Posted))]
pub(crate) async fn explain(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Result<Json<Map<String, Value>>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(body) = body?;
    let loaded = shared.loaded();
    let question = Question::new(loaded.subject().model_hash(), &Value::Object(body.clone()).to_string());
    let (about, search) = read(body, &shared.options.limits)?;
    // Before anything is remembered for somebody else.
    about.user.as_deref().map_or(Ok(()), |user| caller.may_ask_about(user))?;
    let as_events = wants_events(&headers);
    if let Some(told) = shared.store.recall(&question) {
        return Ok(match as_events {
            true => events::remembered(&told),
            false => Json(told.into_iter().collect::<Explanations>()).into_response(),
        });
    }
    let mut parts = shared.search(loaded, move |shared, loaded, hand_over| {
        let (asked, method) = resolve(&about, search, loaded, &caller, &shared.options)?;
        search_for(&asked, method, loaded, &shared.store, &question, hand_over)
    })?;
    if as_events {
        return events::as_they_come(parts).await;
    }
    let mut all = Vec::new();
    while let Some(told) = parts.next().await {
        all.push(told?);
    }
    Ok(Json(all.into_iter().collect::<Explanations>()).into_response())
}

/// What was asked, within the limits; names are not looked up yet.
fn read(body: Map<String, Value>, limits: &Limits) -> Result<(About, SearchRequest), ApiError> {
    let (about, search): (Map<_, _>, Map<_, _>) =
        body.into_iter().partition(|(name, _)| ABOUT.contains(&name.as_str()));
    let bad = |error: serde_json::Error| ApiError::Bad(error.to_string());
    let about: About = serde_json::from_value(about.into()).map_err(bad)?;
    let search: SearchRequest = serde_json::from_value(search.into()).map_err(bad)?;
    check_k(search.k, limits)?;
    let named =
        [&about.history, &about.items, &search.candidates].into_iter().flatten().map(Vec::len).sum::<usize>();
    check_items(named + search.exclude.len() + search.never_cite.len(), limits)?;
    let most = |name: &str, asked: usize, most: usize| match asked > most {
        true => Err(ApiError::Bad(format!("{name} is {asked}; this service allows at most {most}"))),
        false => Ok(()),
    };
    most("queries", search.queries, limits.queries)?;
    most("alternatives", search.alternatives, limits.alternatives)?;
    most("goals", search.goals.len(), limits.goals)?;
    most("hops", search.hops, limits.hops)?;
    Ok((about, search))
}

/// Rows instead of names.
fn resolve(
    about: &About,
    search: SearchRequest,
    loaded: &Loaded,
    caller: &Caller,
    options: &ServeOptions,
) -> Result<(Asked, Method), ApiError> {
    let data = loaded.data();
    let who = find_whom(data, caller, options, about.user.as_deref(), about.history.as_deref())?;
    Ok((Asked::new(search, who, about.items.as_deref(), data)?, about.method))
}

/// Hands over what is found, and remembers it.
fn search_for(
    asked: &Asked,
    method: Method,
    loaded: &Loaded,
    store: &Store,
    question: &Question,
    hand_over: &mut dyn FnMut(Told),
) -> Result<(), ApiError> {
    let mut ids = Vec::new();
    let mut unwritten = None;
    let mut tell = |record: Record| match store.keep(question, ids.len(), &record) {
        Ok(told) => {
            ids.push(told.id.clone());
            hand_over(told);
        }
        Err(error) => unwritten = Some(error),
    };
    // Other people's ids are never given out.
    let explainer = loaded.explainer(method).ok_or(ApiError::Broken)?;
    asked.tell_each(explainer, loaded.subject(), false, &mut tell)?;
    if let Some(error) = unwritten {
        tracing::error!(%error, "an explanation could not be written as JSON");
        return Err(ApiError::Broken);
    }
    store.finish(question, ids);
    Ok(())
}

/// The picture of an explanation that was given lately
#[utoipa::path(get, path = "/api/explanations/{picture}", tag = "Why", params(("picture" = String, Path, description = "`ID.svg`", example = "0a1b2c3d4e5f60718293a4b5.svg")), responses((status = 200, description = "the picture", body = String, content_type = "image/svg+xml"), Always, Computed))]
pub(crate) async fn picture(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path(name) = name?;
    let gone = || {
        ApiError::Unknown("there is no such picture, or not any more: ask for the explanation again".into())
    };
    let record = name.strip_suffix(".svg").and_then(|id| shared.store.find(id)).ok_or_else(gone)?;
    // Somebody new is nobody in particular.
    if record.history.is_none() {
        caller.may_ask_about(&record.user)?;
    }
    let svg = grease::picture(&record, &shared.loaded().data().words);
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, &policy(&svg))];
    Ok((headers, svg).into_response())
}

/// A picture that is looked at alone may use the style it carries, and nothing else.
fn policy(svg: &str) -> String {
    let style = svg
        .split_once("<style>")
        .and_then(|(_, rest)| rest.split_once("</style>"))
        .map_or("", |(style, _)| style);
    let hash = STANDARD.encode(Sha256::digest(style));
    format!("default-src 'none'; style-src 'sha256-{hash}'; frame-ancestors 'none'")
}
