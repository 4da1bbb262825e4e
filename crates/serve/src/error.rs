//! What is said to a client that cannot be answered.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use grease::explain::ExplainError;
use grease::graph::{Catalogue, ScoreError};
use grease::{AskedError, LookupError, RequestError, WhatIfError};
use serde_json::json;

use crate::compute::NotComputed;

/// Why there is no answer. None of these tells anything about the machine the service runs on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ApiError {
    /// The request makes no sense.
    #[error("{0}")]
    Bad(String),
    /// Nobody and nothing has this name.
    #[error("{0}")]
    Unknown(String),
    /// There is nothing at this address.
    #[error("there is nothing here; /api/model is a way in")]
    NoSuchPage,
    /// The token is missing or wrong.
    #[error("this service wants a token: send it as `Authorization: Bearer TOKEN`")]
    Unauthorised,
    /// People cannot be searched for here.
    #[error("people cannot be searched for on this service")]
    NoUserSearch,
    /// As many wait already as may.
    #[error("too many are waiting; try again in a moment")]
    Full,
    /// It took too long.
    #[error("this took too long and was given up")]
    TimedOut,
    /// The recommender behind the service failed.
    #[error("the recommender did not answer")]
    Recommender,
    /// A bug.
    #[error("something went wrong here; it was logged")]
    Broken,
}

impl ApiError {
    /// Of imagining another history, with names instead of rows.
    pub(crate) fn what_if(error: WhatIfError, items: &Catalogue) -> Self {
        match error {
            WhatIfError::Score(error) => error.into(),
            error => Self::Bad(error.named(items)),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Bad(_) => StatusCode::BAD_REQUEST,
            Self::Unknown(_) | Self::NoSuchPage => StatusCode::NOT_FOUND,
            Self::Unauthorised => StatusCode::UNAUTHORIZED,
            Self::NoUserSearch => StatusCode::FORBIDDEN,
            Self::Full | Self::TimedOut => StatusCode::SERVICE_UNAVAILABLE,
            Self::Recommender => StatusCode::BAD_GATEWAY,
            Self::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// A word for programs.
    fn code(&self) -> &'static str {
        match self {
            Self::Bad(_) => "bad_request",
            Self::Unknown(_) => "unknown",
            Self::NoSuchPage => "not_found",
            Self::Unauthorised => "unauthorised",
            Self::NoUserSearch => "no_user_search",
            Self::Full => "busy",
            Self::TimedOut => "timed_out",
            Self::Recommender => "recommender",
            Self::Broken => "internal",
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({ "error": { "code": self.code(), "message": self.to_string() } });
        let mut response = (self.status(), Json(body)).into_response();
        let headers = response.headers_mut();
        if matches!(self, Self::Full | Self::TimedOut) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self == Self::Unauthorised {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<NotComputed> for ApiError {
    fn from(why: NotComputed) -> Self {
        match why {
            NotComputed::Full => Self::Full,
            NotComputed::TimedOut => Self::TimedOut,
            NotComputed::Broken => Self::Broken,
        }
    }
}

impl From<LookupError> for ApiError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Unknown { .. } => Self::Unknown(error.to_string()),
            error => Self::Bad(error.to_string()),
        }
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Lookup(error) => error.into(),
            error => Self::Bad(error.to_string()),
        }
    }
}

impl From<ScoreError> for ApiError {
    fn from(error: ScoreError) -> Self {
        match error {
            // What it said may be about the machine it runs on.
            ScoreError::Failed(said) | ScoreError::Refused(said) => {
                tracing::error!(said, "the recommender did not answer");
                Self::Recommender
            }
            error => Self::Bad(error.to_string()),
        }
    }
}

impl From<ExplainError> for ApiError {
    fn from(error: ExplainError) -> Self {
        match error {
            ExplainError::Score(error) => error.into(),
            error => Self::Bad(error.to_string()),
        }
    }
}

impl From<AskedError> for ApiError {
    fn from(error: AskedError) -> Self {
        match error {
            AskedError::Explain(error) => error.into(),
            error => Self::Bad(error.to_string()),
        }
    }
}
