//! What is said to a client that cannot be answered.

use std::fmt::Display;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use grease::graph::Field;
use grease::{Refusal, RefusalKind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::compute::NotComputed;

/// Why there is no answer. None of these tells anything about the machine the service runs on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ApiError {
    /// The request makes no sense, or nobody and nothing has this name.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// The body is longer than this service reads.
    #[error("the body is longer than this service reads")]
    TooLarge,
    /// The body is not said to be JSON.
    #[error("this wants JSON: send it with `Content-Type: application/json`")]
    NotJson,
    /// The request did not come to its end.
    #[error("the request did not come to its end in time")]
    SlowRequest,
    /// There is nothing at this address.
    #[error("there is nothing here; /docs says what there is")]
    NoSuchPage,
    /// The address is right, the method is not.
    #[error("this address does not take requests of this method; /docs says which")]
    WrongMethod,
    /// The token is missing or wrong.
    #[error("this service wants a token: send it as `Authorization: Bearer TOKEN`")]
    Unauthorised,
    /// The pass was one.
    #[error("this link is no longer valid; ask whoever gave it to you for a new one")]
    Expired,
    /// The pass is for somebody else.
    #[error("this link is for one person only")]
    NotYours,
    /// It was asked by a name that may be anybody's.
    #[error(
        "this service answers at localhost and by address; to be asked by name it wants a token, or --without-token"
    )]
    WrongHost,
    /// People cannot be searched for here.
    #[error("people cannot be searched for on this service")]
    NoUserSearch,
    /// As many wait already as may.
    #[error("too many are waiting; try again in a moment")]
    Full,
    /// It took too long.
    #[error("this took too long and was given up")]
    TimedOut,
    /// Not yet.
    #[error("the service is starting")]
    Starting,
    /// No more.
    #[error("the service is stopping")]
    Stopping,
    /// The recommender behind the service failed.
    #[error("the recommender did not answer")]
    Recommender,
    /// A bug.
    #[error("something went wrong here; it was logged")]
    Broken,
}

/// What every answer that is none looks like.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    error: Said,
}

/// An error in a word and in a sentence.
#[derive(Debug, Serialize, ToSchema)]
struct Said {
    /// A word for programs.
    #[schema(example = "unknown")]
    code: &'static str,
    /// A sentence for people.
    #[schema(example = "unknown user 'mirra'; did you mean 'mira'?")]
    message: String,
    /// Names that were perhaps meant, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near: Vec<String>,
    /// What was asked for wrongly, where it is one field.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
}

impl ApiError {
    /// The request makes no sense.
    pub(crate) fn bad(message: impl Display) -> Self {
        Self::Refused(Box::new(Refusal::usage(message)))
    }

    /// Nobody and nothing has this name.
    pub(crate) fn unknown(message: impl Display) -> Self {
        Self::Refused(Box::new(Refusal::new(RefusalKind::Unknown, message)))
    }

    /// As it is told.
    pub(crate) fn body(&self) -> ErrorBody {
        let (near, field) = match self {
            Self::Refused(refusal) => (refusal.near.clone(), refusal.field.map(Field::name)),
            _ => (Vec::new(), None),
        };
        ErrorBody { error: Said { code: self.code(), message: self.to_string(), near, field } }
    }

    fn status(&self) -> StatusCode {
        self.status_and_code().0
    }

    fn code(&self) -> &'static str {
        self.status_and_code().1
    }

    fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Refused(refusal) if refusal.kind == RefusalKind::Unknown => {
                (StatusCode::NOT_FOUND, "unknown")
            }
            Self::Refused(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Self::NotJson => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json"),
            Self::SlowRequest => (StatusCode::REQUEST_TIMEOUT, "slow_request"),
            Self::NoSuchPage => (StatusCode::NOT_FOUND, "not_found"),
            Self::WrongMethod => (StatusCode::METHOD_NOT_ALLOWED, "wrong_method"),
            Self::Unauthorised => (StatusCode::UNAUTHORIZED, "unauthorised"),
            Self::Expired => (StatusCode::UNAUTHORIZED, "expired"),
            Self::NotYours => (StatusCode::FORBIDDEN, "not_yours"),
            Self::WrongHost => (StatusCode::FORBIDDEN, "wrong_host"),
            Self::NoUserSearch => (StatusCode::FORBIDDEN, "no_user_search"),
            Self::Full => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Self::TimedOut => (StatusCode::SERVICE_UNAVAILABLE, "timed_out"),
            Self::Starting => (StatusCode::SERVICE_UNAVAILABLE, "starting"),
            Self::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
            Self::Recommender => (StatusCode::BAD_GATEWAY, "recommender"),
            Self::Broken => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status(), Json(self.body())).into_response();
        let headers = response.headers_mut();
        if self.status() == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.status() == StatusCode::UNAUTHORIZED {
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

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal.kind {
            RefusalKind::Usage | RefusalKind::Unknown | RefusalKind::Ambiguous => {
                Self::Refused(Box::new(refusal))
            }
            // It was not asked to the end.
            RefusalKind::Cancelled => Self::TimedOut,
            // What it said may be about the machine it runs on.
            RefusalKind::Recommender | RefusalKind::Declined => {
                tracing::error!(said = refusal.message, "the recommender did not answer");
                Self::Recommender
            }
            RefusalKind::Data | RefusalKind::Model | RefusalKind::Method | RefusalKind::Unexpected => {
                tracing::error!(said = refusal.message, "something went wrong");
                Self::Broken
            }
        }
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::NotJson,
            _ => Self::bad(rejection.body_text()),
        }
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::bad(rejection.body_text())
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> Self {
        Self::bad(rejection.body_text())
    }
}
