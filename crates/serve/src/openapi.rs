//! Every address, and the OpenAPI document that describes them: both come from the handlers themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use serde_json::{Value, json};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, LicenseBuilder};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::{about, explaining, imagining, listing, resting, searching};
use crate::error::ErrorBody;
use crate::options::Limits;
use crate::shared::Shared;

const ABOUT: &str = "Why a recommender put an item in somebody's list, checked with the recommender itself.\n\n\
    Errors are `{\"error\": {\"code\": …, \"message\": …}}` with a fitting status. When too many wait the answer is 503 with \
    `Retry-After`. Every answer has an `x-request-id`, the client's own where it sent one. With scope own nobody but the person \
    appears in an explanation; other people's ids are never given out. Pages from elsewhere cannot ask: there are no CORS headers.";

/// What the addresses are about, in this order.
const TAGS: [(&str, &str); 5] = [
    ("The recommender", "What is served."),
    ("People and items", "Who and what there is."),
    ("Lists", "What somebody is recommended, and what they would be."),
    ("Why", "Explanations and their pictures."),
    ("The service", "For those who run it."),
];

/// Every address but those of the page.
pub(crate) fn addresses() -> OpenApiRouter<Arc<Shared>> {
    OpenApiRouter::new()
        .routes(routes!(about::model))
        .routes(routes!(searching::users))
        .routes(routes!(searching::items))
        .routes(routes!(listing::user))
        .routes(routes!(listing::recommendations))
        .routes(routes!(explaining::explain))
        .routes(routes!(explaining::picture))
        .routes(routes!(resting::list))
        .routes(routes!(imagining::what_if))
        .routes(routes!(about::health))
        .routes(routes!(about::readiness))
        .routes(routes!(about::metrics))
}

/// The document itself, at an address of its own.
pub(crate) fn document<S: Clone + Send + Sync + 'static>(limits: &Limits) -> Router<S> {
    let text = openapi(limits).to_string();
    let answer = async move || ([(header::CONTENT_TYPE, "application/json")], text.clone());
    Router::new().route("/openapi.json", get(answer))
}

/// The OpenAPI document of a service with these limits.
pub fn openapi(limits: &Limits) -> Value {
    let (_, mut document) = addresses().split_for_parts();
    let license = LicenseBuilder::new().name("MIT OR Apache-2.0").build();
    document.info = InfoBuilder::new()
        .title("GREASE")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(license))
        .build();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "The token of the service, or the pass of a signed link; only where the service wants one.",
        ))
        .build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(bearer));
    let mut schemas = vec![(ErrorBody::name().into_owned(), ErrorBody::schema())];
    ErrorBody::schemas(&mut schemas);
    components.schemas.extend(schemas);
    let tag = |&(name, said): &(&str, &str)| TagBuilder::new().name(name).description(Some(said)).build();
    document.tags = Some(TAGS.iter().map(tag).collect());
    document.security =
        Some(vec![SecurityRequirement::default(), SecurityRequirement::new("token", Vec::<String>::new())]);
    let mut document = json!(document);
    speak_plainly(&mut document);
    bound(
        &mut document,
        &BTreeMap::from([
            ("k", (1, limits.k)),
            ("queries", (0, limits.queries)),
            ("prove", (0, limits.prove)),
            ("alternatives", (0, limits.alternatives)),
            ("firm", (1, limits.k)),
            ("hops", (0, limits.hops)),
        ]),
    );
    document
}

/// Descriptions come from the code's documentation, whose references lead nowhere here.
fn speak_plainly(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(said)) = object.get_mut("description") {
                *said = plain(said);
            }
            object.values_mut().for_each(speak_plainly);
        }
        Value::Array(values) => values.iter_mut().for_each(speak_plainly),
        _ => {}
    }
}

/// ``[`Caps::add`](Self::add)`` is called `Caps::add`.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("[`") {
        let (before, link) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = link.find("`]") else {
            rest = link;
            break;
        };
        out.push_str(&link[1..=end]);
        rest = &link[end + 2..];
        if let Some(target) = rest.strip_prefix('(').and_then(|more| more.split_once(')')) {
            rest = target.1;
        }
    }
    out + rest
}

/// Requests are bounded as this service bounds them.
fn bound(document: &mut Value, bounds: &BTreeMap<&str, (usize, usize)>) {
    let set = |schema: &mut Value, (least, most): (usize, usize)| {
        let is_number = |kind: &Value| kind == "integer" || *kind == json!(["integer", "null"]);
        if schema.get("type").is_some_and(is_number) {
            schema["minimum"] = least.into();
            schema["maximum"] = most.into();
        }
    };
    for request in ["WhatIfRequest", "Question"] {
        let properties = &mut document["components"]["schemas"][request]["properties"];
        for (name, &bounds) in bounds {
            if let Some(schema) = properties.get_mut(*name) {
                set(schema, bounds);
            }
        }
    }
    let operations = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    let operations = operations.flat_map(|path| path.as_object_mut()).flat_map(|path| path.values_mut());
    let parameters =
        operations.filter_map(|operation| operation.get_mut("parameters")?.as_array_mut()).flatten();
    for parameter in parameters {
        if let Some(&bounds) = parameter["name"].as_str().and_then(|name| bounds.get(name)) {
            set(&mut parameter["schema"], bounds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_the_code_become_names() {
        assert_eq!(
            plain("as [`add`](Self::add) and [`Task::hops`] say, [x](y)"),
            "as `add` and `Task::hops` say, [x](y)"
        );
        assert_eq!(plain("an open [`end"), "an open [`end");
    }
}
