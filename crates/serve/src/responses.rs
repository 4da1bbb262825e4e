//! The answers that are none, as the OpenAPI document lists them.

use std::collections::BTreeMap;

use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::error::ErrorBody;

/// Answers that every address may give.
pub(crate) struct Always;

/// Answers where something is looked up or computed.
pub(crate) struct Computed;

/// Answers where something is sent.
pub(crate) struct Posted;

/// Answers of a service that does not want to be asked.
pub(crate) struct Probed;

type Answers = BTreeMap<String, RefOr<Response>>;

impl IntoResponses for Always {
    fn responses() -> Answers {
        errors(&[
            ("401", "There is no token, a wrong one, or a link whose time is over"),
            ("403", "It is not the caller's to ask"),
            ("408", "The request did not come to its end in time"),
            ("500", "A bug"),
        ])
    }
}

impl IntoResponses for Computed {
    fn responses() -> Answers {
        errors(&[
            ("400", "The request makes no sense"),
            ("404", "Nobody and nothing has this name"),
            ("502", "The recommender did not answer"),
            ("503", "Too many are waiting, or it took too long: try again after `Retry-After` seconds"),
        ])
    }
}

impl IntoResponses for Posted {
    fn responses() -> Answers {
        errors(&[
            ("413", "The body is longer than this service reads"),
            ("415", "The body is not said to be JSON"),
        ])
    }
}

impl IntoResponses for Probed {
    fn responses() -> Answers {
        errors(&[("502", "The recommender did not answer"), ("503", "The service is starting or stopping")])
    }
}

fn errors(said: &[(&str, &str)]) -> Answers {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(ErrorBody::name()))).build();
    let answer = |said: &str| {
        ResponseBuilder::new().description(said).content("application/json", content.clone()).build()
    };
    said.iter().map(|&(status, said)| (status.to_owned(), answer(said).into())).collect()
}
