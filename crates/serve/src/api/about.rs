//! `/api/model`, and how the service is.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use grease::explain::Method;
use grease::graph::{Access, Words};
use serde::Serialize;
use utoipa::ToSchema;

use crate::caller::Caller;
use crate::error::ApiError;
use crate::responses::{Always, Probed};
use crate::shared::Shared;

/// What is served, and within which limits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Model {
    /// Such as `lightgcn`.
    kind: String,
    /// Hash of the model, as in every explanation.
    model: String,
    /// Hash of the data, as in every explanation.
    data: String,
    /// How many people it knows.
    users: usize,
    /// How many items it knows.
    items: usize,
    /// How many interactions it knows.
    interactions: usize,
    words: Words,
    /// Whether explanations are checked with the recommender itself; a frozen one can only be imitated.
    verified: bool,
    abilities: Abilities,
    /// How explanations can be searched for with this recommender.
    methods: Vec<Method>,
    /// Whether people can be searched for.
    user_search: bool,
    /// The one person the caller may ask about, with a signed link.
    person: Option<String>,
    limits: MostOf,
}

/// What the recommender can be asked.
#[derive(Debug, Serialize, ToSchema)]
struct Abilities {
    /// To set aside what it learned about a person.
    neutral: bool,
    /// About people it has never seen.
    newcomers: bool,
    /// What other people's interactions do.
    others: bool,
}

/// The most that may be asked for.
#[derive(Debug, Serialize, ToSchema)]
struct MostOf {
    /// Length of a list.
    k: usize,
    /// Items named in one request.
    items: usize,
    /// Questions to the recommender for one explanation.
    queries: usize,
    /// Edits tried for one list to prove that nothing smaller does it.
    prove: usize,
}

/// What is served, and within which limits
#[utoipa::path(get, path = "/api/model", tag = "The recommender", responses((status = 200, description = "what is served", body = Model), Always))]
pub(crate) async fn model(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
) -> Json<Model> {
    let loaded = shared.loaded();
    let subject = loaded.subject();
    let recommender = subject.recommender();
    let (graph, abilities) = (recommender.graph(), recommender.abilities());
    let limits = &shared.options.limits;
    let person = caller.person().map(str::to_owned);
    Json(Model {
        kind: subject.kind().to_owned(),
        model: subject.model_hash().to_owned(),
        data: subject.data_hash().to_owned(),
        users: graph.users(),
        items: graph.items(),
        interactions: graph.len(),
        words: subject.words().clone(),
        verified: recommender.access() != Access::Frozen,
        abilities: Abilities {
            neutral: abilities.neutral,
            newcomers: abilities.newcomers,
            others: abilities.others,
        },
        methods: subject.methods().collect(),
        user_search: shared.options.user_search && person.is_none(),
        person,
        limits: MostOf { k: limits.k, items: limits.items, queries: limits.queries, prove: limits.prove },
    })
}

/// Whether the process lives
///
/// Wants no token.
#[utoipa::path(get, path = "/healthz", tag = "The service", security(()), responses((status = 200, description = "it does", body = String, content_type = "text/plain")))]
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// Whether requests should be sent here
///
/// Not before the first list was made, not while the recommender fails, not once the service is stopping. Wants no token.
#[utoipa::path(get, path = "/readyz", tag = "The service", security(()), responses((status = 200, description = "they should", body = String, content_type = "text/plain"), Probed))]
pub(crate) async fn readiness(State(shared): State<Arc<Shared>>) -> Result<&'static str, ApiError> {
    shared.check_readiness().map(|()| "ready\n")
}

/// What was answered so far, for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "The service", responses((status = 200, description = "counters and gauges", body = String, content_type = "text/plain"), Always))]
pub(crate) async fn metrics(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
) -> Result<impl IntoResponse, ApiError> {
    caller.must_be_trusted()?;
    let work = shared.loaded().subject().recommender().work();
    Ok((
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4")],
        shared.metrics.text(shared.busy(), shared.cache.contents(), work),
    ))
}
