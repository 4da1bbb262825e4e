//! The handlers: names in, JSON out.

mod about;
mod explaining;
mod imagining;
mod listing;
mod searching;

pub(crate) use about::{metrics, model};
pub(crate) use explaining::{explain, picture};
pub(crate) use imagining::what_if;
pub(crate) use listing::{recommendations, user};
pub(crate) use searching::{items, users};

use axum::extract::rejection::{JsonRejection, QueryRejection};
use grease::graph::ItemId;
use grease::models::folder::Dataset;
use grease::{LookupError, Who, find_item, find_user};

use crate::error::ApiError;
use crate::options::Limits;

/// For whom: a user, or the history of somebody new.
fn who(data: &Dataset, user: Option<&str>, history: Option<&[String]>) -> Result<Who, ApiError> {
    match (user, history) {
        (Some(user), None) => Ok(Who::Known(find_user(&data.users, user)?)),
        (None, Some(history)) => Ok(Who::Newcomer(rows(data, history)?)),
        _ => Err(ApiError::Bad("say for whom: `user`, or the `history` of somebody new".to_owned())),
    }
}

fn rows(data: &Dataset, names: &[String]) -> Result<Vec<ItemId>, LookupError> {
    names.iter().map(|name| find_item(&data.items, name)).collect()
}

/// A list is as long as it may be, and as there are items.
fn check_k(k: usize, limits: &Limits) -> Result<(), ApiError> {
    match k {
        0 => Err(ApiError::Bad("k is 0, but a list has at least one place".to_owned())),
        k if k > limits.k => {
            Err(ApiError::Bad(format!("k is {k}; this service makes lists of at most {}", limits.k)))
        }
        _ => Ok(()),
    }
}

fn check_items(count: usize, limits: &Limits) -> Result<(), ApiError> {
    match count > limits.items {
        true => Err(ApiError::Bad(format!("{count} items were named; at most {} may be", limits.items))),
        false => Ok(()),
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        Self::Bad(rejection.body_text())
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::Bad(rejection.body_text())
    }
}
