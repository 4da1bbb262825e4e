//! `/api/users?query=` and `/api/items?query=`

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use grease::graph::{Catalogue, UserId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::service::Shared;

/// What is looked for; an empty query finds the first of all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    #[serde(default)]
    query: String,
    #[serde(default = "usual")]
    limit: usize,
}

fn usual() -> usize {
    20
}

/// More than anybody reads.
const MOST: usize = 200;

/// People by id.
pub(crate) async fn users(
    State(shared): State<Arc<Shared>>,
    search: Result<Query<Search>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    if !shared.options.user_search {
        return Err(ApiError::NoUserSearch);
    }
    let Query(search) = search?;
    let loaded = shared.loaded();
    let (users, graph) = (&loaded.data().users, loaded.recommender().graph());
    let (found, all) = find(users, &search);
    let person = |row: u32| json!({ "id": users.id(row), "interactions": graph.items_of(UserId(row)).len() });
    Ok(Json(json!({ "users": found.into_iter().map(person).collect::<Vec<_>>(), "all": all })))
}

/// Items by id or title.
pub(crate) async fn items(
    State(shared): State<Arc<Shared>>,
    search: Result<Query<Search>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let Query(search) = search?;
    let loaded = shared.loaded();
    let items = &loaded.data().items;
    let (found, all) = find(items, &search);
    let item = |row: u32| json!({ "item": items.id(row), "title": items.title(row) });
    Ok(Json(json!({ "items": found.into_iter().map(item).collect::<Vec<_>>(), "all": all })))
}

/// Rows whose id or title has the query in it, those that begin with it first; and how many there are.
fn find(catalogue: &Catalogue, search: &Search) -> (Vec<u32>, usize) {
    let query = search.query.trim().to_lowercase();
    let (mut begin, mut contain) = (Vec::new(), Vec::new());
    for row in 0..catalogue.len() as u32 {
        let names =
            [Some(catalogue.id(row)), catalogue.title(row)].map(|name| name.unwrap_or("").to_lowercase());
        if names.iter().any(|name| name.starts_with(&query)) {
            begin.push(row);
        } else if names.iter().any(|name| name.contains(&query)) {
            contain.push(row);
        }
    }
    let all = begin.len() + contain.len();
    begin.extend(contain);
    begin.truncate(search.limit.min(MOST));
    (begin, all)
}
