//! `/api/explanations`

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use grease::explain::{Explanation, Goal, Items, Method, Task};
use grease::graph::ItemId;
use grease::{Names, Record, SearchRequest, Who};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{check_items, check_k, rows, who};
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

/// A request with rows instead of names.
struct Asked {
    task: Task,
    items: Items,
    goals: Vec<Goal>,
    method: Method,
}

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
    let asked = read(body, &loaded, &shared.options.limits)?;
    let records = shared.compute.run(move || records(&loaded, &asked)).await??;
    Ok(Json(&*shared.store.keep(&key, records)).into_response())
}

fn read(body: Map<String, Value>, loaded: &Loaded, limits: &Limits) -> Result<Asked, ApiError> {
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
    let who = who(data, about.user.as_deref(), about.history.as_deref())?;
    let items = match &about.items {
        Some(names) => Items::These(rows(data, names)?),
        None => Items::List,
    };
    Ok(Asked { task: search.task(who, data)?, items, goals: search.goals, method: about.method })
}

fn records(loaded: &Loaded, asked: &Asked) -> Result<Vec<Record>, ApiError> {
    let Asked { task, items, goals, method } = asked;
    let explained = loaded.explaining(*method, |explainer| explainer.explain(task, items, goals));
    let found = explained.ok_or(ApiError::Broken)??;
    if *items != Items::List {
        check_standing(loaded, task, &found)?;
    }
    let newcomer = match &task.who {
        Who::Known(_) => None,
        Who::Newcomer(items) => Some(items.clone()),
    };
    let names = Names { newcomer, ..Names::of(loaded.subject(), &task.never_cite) };
    // Other people's ids are never given out.
    Ok(found.iter().map(|explanation| Record::new(explanation, &names, false)).collect())
}

/// Items that are named must be on the list, or off it where it is asked why they are not.
fn check_standing(loaded: &Loaded, task: &Task, found: &[Explanation]) -> Result<(), ApiError> {
    let wrong = |e: &&Explanation| (e.rank_before <= task.k) == (e.goal == Goal::WhyNot);
    let Some(explanation) = found.iter().find(wrong) else { return Ok(()) };
    let called = |item: ItemId| loaded.data().items.name(item.0).to_owned();
    let (item, rank, k) = (called(explanation.item), explanation.rank_before, task.k);
    Err(ApiError::Bad(match explanation.goal {
        Goal::WhyNot => format!("{item} is in the top {k} already: it has rank {rank}"),
        _ => format!("{item} is not in the top {k}: it has rank {rank}"),
    }))
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
