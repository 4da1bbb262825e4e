//! `/api/model` and `/metrics`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use grease::explain::Method;
use grease::graph::Access;
use serde_json::{Value, json};

use crate::service::Shared;

/// What is served, and within which limits.
pub(crate) async fn model(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let loaded = shared.loaded();
    let (subject, recommender) = (loaded.subject(), loaded.recommender());
    let (graph, abilities) = (recommender.graph(), recommender.abilities());
    let limits = &shared.options.limits;
    Json(json!({
        "kind": subject.kind(),
        "model": subject.model_hash(),
        "data": subject.data_hash(),
        "users": graph.users(),
        "items": graph.items(),
        "interactions": graph.len(),
        "words": loaded.data().words,
        "verified": recommender.access() != Access::Frozen,
        "abilities": {
            "neutral": abilities.neutral, "newcomers": abilities.newcomers, "others": abilities.others,
        },
        "methods": Method::ALL.map(Method::name),
        "user_search": shared.options.user_search,
        "limits": { "k": limits.k, "items": limits.items, "queries": limits.queries },
    }))
}

/// For Prometheus.
pub(crate) async fn metrics(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4")],
        shared.metrics.text(shared.compute.busy(), shared.store.remembered()),
    )
}
