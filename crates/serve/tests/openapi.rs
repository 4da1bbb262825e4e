//! The OpenAPI document says what is true, and `docs/api.md` says what it says.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use grease_serve::{Limits, openapi, reference};
use serde_json::Value;

/// Every `$ref` below.
fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get("$ref").and_then(Value::as_str));
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn everything_it_refers_to_is_there_and_everything_there_is_referred_to() {
    let document = openapi(&Limits::default());
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    let found: BTreeSet<&str> =
        found.into_iter().filter_map(|path| path.strip_prefix("#/components/schemas/")).collect();
    let there: BTreeSet<&str> =
        document["components"]["schemas"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found, there);
}

#[test]
fn every_operation_has_a_summary_a_description_of_each_answer_and_a_tag() {
    let document = openapi(&Limits::default());
    for (path, methods) in document["paths"].as_object().unwrap() {
        for operation in methods.as_object().unwrap().values() {
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{path}");
            for answer in operation["responses"].as_object().unwrap().values() {
                assert_ne!(answer["description"], "", "{path}");
            }
        }
    }
}

#[test]
fn the_limits_of_the_service_stand_in_it() {
    let document = openapi(&Limits { k: 7, ..Limits::default() });
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Question"]["properties"]["k"]["maximum"], 7);
    assert_eq!(schemas["WhatIfRequest"]["properties"]["k"]["maximum"], 7);
    let parameters = &document["paths"]["/api/users/{id}/recommendations"]["get"]["parameters"];
    let k = parameters.as_array().unwrap().iter().find(|parameter| parameter["name"] == "k").unwrap();
    assert_eq!(k["schema"]["maximum"], 7);
    assert_eq!(schemas["Record"]["properties"]["k"].get("maximum"), None, "answers are not requests");
}

#[test]
fn the_reference_in_docs_is_made_from_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    if std::env::var_os("GREASE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, reference()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written == reference(),
        "docs/api.md is out of date: run `GREASE_UPDATE_DOCS=1 cargo test -p grease-serve --test openapi`"
    );
}
