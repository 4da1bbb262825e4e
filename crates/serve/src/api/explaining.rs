//! `/api/explanations`

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use grease::{Question, Record, Refusal, RefusalKind};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{ask, check_items, check_k};
use crate::cache::{Answer, Cache, Key};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::events::{self, wants_events};
use crate::loaded::Loaded;
use crate::options::Limits;
use crate::responses::{Always, Computed, Posted};
use crate::shared::Shared;

/// Explanations, as everywhere, and in the same order the ids of their pictures.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Explanations {
    /// Of the pictures: `/api/explanations/{id}.svg`.
    ids: Vec<String>,
    /// For each item every goal that was asked for, and after each its alternatives.
    #[schema(value_type = Vec<Record>)]
    explanations: Vec<Box<RawValue>>,
}

impl FromIterator<Answer> for Explanations {
    fn from_iter<I: IntoIterator<Item = Answer>>(all: I) -> Self {
        let (ids, explanations) = all.into_iter().map(|answer| (answer.id, answer.explanation)).unzip();
        Self { ids, explanations }
    }
}

/// Explanations of a list, or of some of its items
///
/// With `Accept: text/event-stream` they come as server-sent events, each as soon as it is found: `explanation` events
/// whose data is `{"id": …, "explanation": …}`, then one `end` with their `count`; or an `error`, as everywhere. A client that
/// closes the connection has the search given up.
#[utoipa::path(post, path = "/api/explanations", tag = "Why", request_body = Question, responses((status = 200, description = "for each item every goal", content((Explanations = "application/json"), (String = "text/event-stream"))), Always, Computed, Posted))]
pub(crate) async fn explain(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Result<Json<Map<String, Value>>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(body) = body?;
    let loaded = shared.loaded();
    let key = Key::new(loaded.subject().model_hash(), &Value::Object(body.clone()).to_string());
    let question = read(body, &shared.options.limits)?;
    // Before anything is remembered for somebody else.
    question.user.as_deref().map_or(Ok(()), |user| caller.may_ask_about(user))?;
    let as_events = wants_events(&headers);
    if let Some(known) = shared.cache.recall(&key) {
        return Ok(match as_events {
            true => events::remembered(&known),
            false => Json(known.into_iter().collect::<Explanations>()).into_response(),
        });
    }
    let mut parts = shared.search(loaded, move |shared, loaded, hand_over| {
        ask(shared, &caller, &question, || search(&question, loaded, &shared.cache, &key, hand_over))
    })?;
    if as_events {
        return events::as_they_come(parts).await;
    }
    let mut all = Vec::new();
    while let Some(answer) = parts.next().await {
        all.push(answer?);
    }
    Ok(Json(all.into_iter().collect::<Explanations>()).into_response())
}

/// What was asked, within the limits; names are not looked up yet.
fn read(body: Map<String, Value>, limits: &Limits) -> Result<Question, ApiError> {
    let question: Question =
        serde_json::from_value(body.into()).map_err(|error| ApiError::bad(error.to_string()))?;
    check_k(question.k, limits)?;
    let Question { history, items, candidates, exclude, never_cite, .. } = &question;
    let named = [history, items, candidates].into_iter().flatten().map(Vec::len).sum::<usize>();
    check_items(named + exclude.len() + never_cite.len(), limits)?;
    let most = |name: &str, asked: usize, most: usize| match asked > most {
        true => Err(ApiError::bad(format!("{name} is {asked}; this service allows at most {most}"))),
        false => Ok(()),
    };
    most("queries", question.queries, limits.queries)?;
    most("prove", question.prove.unwrap_or(0), limits.prove)?;
    most("alternatives", question.alternatives, limits.alternatives)?;
    most("firm", question.firm, limits.k)?;
    most("goals", question.goals.len(), limits.goals)?;
    most("hops", question.hops, limits.hops)?;
    // What is usual may be more than is allowed.
    let prove = Some(question.proving().min(limits.prove));
    Ok(Question { prove, ..question })
}

/// Hands over what is found, and remembers it.
fn search(
    question: &Question,
    loaded: &Loaded,
    cache: &Cache,
    key: &Key,
    hand_over: &mut dyn FnMut(Answer),
) -> Result<(), Refusal> {
    let mut ids = Vec::new();
    let mut unwritten = None;
    loaded.subject().explain(question, &mut |record: Record| match cache.keep(key, ids.len(), &record) {
        Ok(answer) => {
            ids.push(answer.id.clone());
            hand_over(answer);
            ControlFlow::Continue(())
        }
        Err(error) => {
            unwritten = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = unwritten {
        return Err(Refusal::new(RefusalKind::Unexpected, error));
    }
    cache.finish(key, ids);
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
    let gone =
        || ApiError::unknown("there is no such picture, or not any more: ask for the explanation again");
    let record = name.strip_suffix(".svg").and_then(|id| shared.cache.find(id)).ok_or_else(gone)?;
    // Somebody new is nobody in particular.
    if record.history.is_none() {
        caller.may_ask_about(&record.user)?;
    }
    let svg = grease::picture(&record, shared.loaded().subject().words());
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
