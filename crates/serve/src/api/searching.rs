//! `/api/users?query=` and `/api/items?query=`

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::{Extension, Json};
use grease::graph::{Catalogue, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::caller::Caller;
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::responses::{Always, Computed};
use crate::shared::Shared;

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Search {
    /// A part of an id or a title, in any case; nothing finds the first of all.
    #[serde(default)]
    query: String,
    /// The most to be found; never more than 200.
    #[serde(default = "usual")]
    limit: usize,
}

fn usual() -> usize {
    20
}

/// More than anybody reads.
const MOST: usize = 200;

/// People that were found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FoundPeople {
    /// Those whose id begins with the query first.
    users: Vec<Person>,
    /// How many there are in all.
    all: usize,
}

/// Somebody.
#[derive(Debug, Serialize, ToSchema)]
struct Person {
    id: String,
    /// How much is known of them.
    interactions: usize,
}

/// Items that were found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FoundItems {
    /// Those whose id or title begins with the query first.
    items: Vec<Item>,
    /// How many there are in all.
    all: usize,
}

/// An item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Item {
    /// Its id.
    item: String,
    /// Its title, where one is known.
    title: Option<String>,
}

impl Item {
    pub(crate) fn new(items: &Catalogue, row: u32) -> Self {
        Self { item: items.id(row).to_owned(), title: items.title(row).map(str::to_owned) }
    }
}

/// People by a part of their id
///
/// 403 where the service was started with `--no-user-search`, and with a signed link.
#[utoipa::path(get, path = "/api/users", tag = "People and items", params(Search), responses((status = 200, description = "who was found", body = FoundPeople), Always, Computed))]
pub(crate) async fn users(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    search: Result<Query<Search>, QueryRejection>,
) -> Result<Json<FoundPeople>, ApiError> {
    if !shared.options.user_search || caller.must_be_trusted().is_err() {
        return Err(ApiError::NoUserSearch);
    }
    let Query(search) = search?;
    let find_people = move |_: &Shared, loaded: &Loaded| {
        let (users, graph) = (&loaded.subject().data().users, loaded.subject().recommender().graph());
        let found = users.search(&search.query, search.limit.min(MOST));
        let person = |row: u32| Person {
            id: users.id(row).to_owned(),
            interactions: graph.items_of(UserId(row)).len(),
        };
        Ok(FoundPeople { users: found.rows.into_iter().map(person).collect(), all: found.all })
    };
    shared.compute(find_people).await.map(Json)
}

/// Items by a part of their id or title
#[utoipa::path(get, path = "/api/items", tag = "People and items", params(Search), responses((status = 200, description = "what was found", body = FoundItems), Always, Computed))]
pub(crate) async fn items(
    State(shared): State<Arc<Shared>>,
    search: Result<Query<Search>, QueryRejection>,
) -> Result<Json<FoundItems>, ApiError> {
    let Query(search) = search?;
    let find_items = move |_: &Shared, loaded: &Loaded| {
        let items = &loaded.subject().data().items;
        let found = items.search(&search.query, search.limit.min(MOST));
        let item = |row: u32| Item::new(items, row);
        Ok(FoundItems { items: found.rows.into_iter().map(item).collect(), all: found.all })
    };
    shared.compute(find_items).await.map(Json)
}
