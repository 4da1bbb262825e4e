//! The handlers: names in, JSON out.

pub(crate) mod about;
pub(crate) mod explaining;
pub(crate) mod imagining;
pub(crate) mod listing;
pub(crate) mod searching;

use grease::models::folder::Dataset;
use grease::{LookupError, RequestError, Sort, Who, find_who};

use crate::caller::Caller;
use crate::error::ApiError;
use crate::options::{Limits, ServeOptions};

/// The usual length of a list.
const USUAL_K: usize = 10;

fn usual_k() -> usize {
    USUAL_K
}

/// Whom it is about, where this caller may ask about them: a user, or the history of somebody new.
fn find_whom(
    data: &Dataset,
    caller: &Caller,
    options: &ServeOptions,
    user: Option<&str>,
    history: Option<&[String]>,
) -> Result<Who, ApiError> {
    if let Some(user) = user {
        caller.may_ask_about(user)?;
    }
    find_who(data, user, history).map_err(|error| match error {
        // Where people cannot be searched for, nobody is suggested either.
        RequestError::Lookup(LookupError::Unknown { sort: Sort::User, name, .. }) if !options.user_search => {
            LookupError::Unknown { sort: Sort::User, name, near: Vec::new() }.into()
        }
        error => error.into(),
    })
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
