//! The handlers: names in, JSON out.

pub(crate) mod about;
pub(crate) mod explaining;
pub(crate) mod imagining;
pub(crate) mod listing;
pub(crate) mod resting;
pub(crate) mod searching;

use grease::graph::Field;
use grease::{Question, Refusal};

use crate::caller::Caller;
use crate::error::ApiError;
use crate::options::Limits;
use crate::shared::Shared;

/// The usual length of a list.
const USUAL_K: usize = 10;

fn usual_k() -> usize {
    USUAL_K
}

/// Asks on behalf of this caller, where they may ask about the person in question.
fn ask<R>(
    shared: &Shared,
    caller: &Caller,
    question: &Question,
    work: impl FnOnce() -> Result<R, Refusal>,
) -> Result<R, ApiError> {
    if let Some(user) = &question.user {
        caller.may_ask_about(user)?;
    }
    work().map_err(|refusal| match refusal.field {
        // Where people cannot be searched for, nobody is suggested either.
        Some(Field::User) if !shared.options.user_search => Refusal { near: Vec::new(), ..refusal }.into(),
        _ => refusal.into(),
    })
}

/// A list is as long as it may be, and as there are items.
fn check_k(k: usize, limits: &Limits) -> Result<(), ApiError> {
    match k {
        0 => Err(ApiError::bad("k is 0, but a list has at least one place")),
        k if k > limits.k => {
            Err(ApiError::bad(format!("k is {k}; this service makes lists of at most {}", limits.k)))
        }
        _ => Ok(()),
    }
}

fn check_items(count: usize, limits: &Limits) -> Result<(), ApiError> {
    match count > limits.items {
        true => Err(ApiError::bad(format!("{count} items were named; at most {} may be", limits.items))),
        false => Ok(()),
    }
}
