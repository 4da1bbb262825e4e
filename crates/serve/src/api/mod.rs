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

use crate::error::ApiError;
use crate::options::Limits;

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
