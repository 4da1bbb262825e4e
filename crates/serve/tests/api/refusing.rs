//! What is refused, and how.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use grease_serve::{Limits, ServeOptions};
use serde_json::json;

use crate::{ask, ask_all, get, post, posting, serving};

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let limits = Limits { k: 20, items: 3, prove: 500, ..Limits::default() };
    let router = serving(ServeOptions { limits, ..ServeOptions::default() });
    let cases = [
        (json!({}), 400, "say for whom"),
        (json!({ "user": "mira", "history": [] }), 400, "say for whom"),
        (json!({ "user": "mirra" }), 404, "did you mean 'mira'"),
        (json!({ "user": "mira", "k": 0 }), 400, "at least one place"),
        (json!({ "user": "mira", "k": 21 }), 400, "at most 20"),
        (json!({ "user": "mira", "k": -1 }), 400, "invalid value"),
        (json!({ "user": "mira", "scope": "all" }), 400, "unknown variant"),
        (json!({ "user": "mira", "secret": 1 }), 400, "unknown field"),
        (json!({ "user": "mira", "queries": 100_000 }), 400, "at most 1000"),
        (json!({ "user": "mira", "prove": 501 }), 400, "prove is 501; this service allows at most 500"),
        (json!({ "user": "mira", "items": ["a", "b", "c", "d"] }), 400, "at most 3"),
        (json!({ "user": "mira", "items": ["no such thing"] }), 404, "unknown item"),
        (json!({ "user": "mira", "scope": "hops" }), 400, "not defined for scope hops"),
        (json!([1]), 400, "invalid type"),
    ];
    for (body, status, said) in cases {
        let (got, answer) = post(&router, "/api/explanations", &body);
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!(got.as_u16(), status, "{body}: {message}");
        assert!(message.contains(said), "{body}: {message}");
    }
    for (path, status) in [
        ("/api/users/nobody", 404),
        ("/api/users/mira/recommendations?k=x", 400),
        ("/api/users/mira/recommendations?k=99", 400),
        ("/api/users/%2e%2e%2fetc", 404),
        ("/nowhere", 404),
    ] {
        assert_eq!(get(&router, path).0.as_u16(), status, "{path}");
    }
    let first = get(&router, "/api/users/mira/recommendations?k=1").1["recommendations"][0].clone();
    let (status, refused) =
        post(&router, "/api/what-if", &json!({ "user": "mira", "remove": [first["item"]] }));
    let message = refused["error"]["message"].as_str().unwrap();
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(message.starts_with(first["title"].as_str().unwrap()), "in names, not in rows: {message}");
    let long = post(&router, "/api/what-if", &json!({ "user": "x".repeat(100_000) }));
    assert!(long.0.is_client_error(), "{long:?}");
    // Of somebody of whom nothing is known there is no list, rather than one by row number.
    let item = &first["item"];
    for (body, field) in [
        (json!({ "history": [] }), "history"),
        (json!({ "history": [], "add": [item] }), "history"),
        (json!({ "history": [item], "remove": [item] }), "remove"),
    ] {
        let (status, refused) = post(&router, "/api/what-if", &body);
        assert_eq!((status, &refused["error"]["field"]), (StatusCode::BAD_REQUEST, &json!(field)), "{body}");
    }
}

#[test]
fn who_has_no_token_gets_nothing_but_health() {
    let router = serving(ServeOptions { token: Some("open sesame".into()), ..ServeOptions::default() });
    assert_eq!(get(&router, "/api/model").0, StatusCode::UNAUTHORIZED);
    let with = |token: &str| {
        let request = Request::get("/api/model").header(header::AUTHORIZATION, format!("Bearer {token}"));
        ask(&router, request.body(Body::empty()).unwrap()).0
    };
    assert_eq!(with("open sesam"), StatusCode::UNAUTHORIZED);
    assert_eq!(with("open sesamf"), StatusCode::UNAUTHORIZED);
    assert_eq!(with("open sesame"), StatusCode::OK);
    assert_eq!(ask(&router, Request::get("/healthz").body(Body::empty()).unwrap()).0, StatusCode::OK);
}

#[test]
fn bodies_that_are_too_long_or_no_json_are_not_read() {
    let limits = Limits { body: 1000, ..Limits::default() };
    let router = serving(ServeOptions { limits, ..ServeOptions::default() });
    let long = posting("/api/what-if", &json!({ "user": "x".repeat(2000) }));
    assert_eq!(ask(&router, long).0, StatusCode::PAYLOAD_TOO_LARGE);
    let form = Request::post("/api/what-if").body(Body::from("user=mira")).unwrap();
    assert_eq!(ask(&router, form).0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let broken = Request::post("/api/explanations").header(header::CONTENT_TYPE, "application/json");
    let (status, body) = ask(&router, broken.body(Body::from("{\"user\": ")).unwrap());
    assert_eq!(status, StatusCode::BAD_REQUEST, "{}", String::from_utf8_lossy(&body));
    let deep = "[".repeat(900);
    let deep =
        Request::post("/api/what-if").header(header::CONTENT_TYPE, "application/json").body(Body::from(deep));
    assert_eq!(ask(&router, deep.unwrap()).0, StatusCode::BAD_REQUEST);
}

#[test]
fn other_methods_are_refused_with_those_that_work() {
    let router = serving(ServeOptions::default());
    let delete = Request::delete("/api/what-if").body(Body::empty()).unwrap();
    let (status, headers, body) = ask_all(&router, delete);
    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(headers[header::ALLOW], "POST");
    assert!(String::from_utf8_lossy(&body).contains("wrong_method"));
}

#[test]
fn pages_from_elsewhere_cannot_ask() {
    let router = serving(ServeOptions::default());
    let preflight = Request::options("/api/what-if")
        .header(header::ORIGIN, "https://example.org")
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST");
    let simple = Request::get("/api/model").header(header::ORIGIN, "https://example.org");
    for request in [preflight, simple] {
        let (_, headers, _) = ask_all(&router, request.body(Body::empty()).unwrap());
        assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
        assert_eq!(headers["cross-origin-resource-policy"], "same-origin");
    }
    // Nor by having their own name lead here.
    let rebound = Request::get("/api/model").header(header::HOST, "example.org").body(Body::empty()).unwrap();
    let (status, body) = ask(&router, rebound);
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(String::from_utf8_lossy(&body).contains("wrong_host"));
}

#[test]
fn a_harmless_request_id_comes_back_and_no_other() {
    let router = serving(ServeOptions::default());
    let sent = |id: &str| {
        let request = Request::get("/healthz").header("x-request-id", id).body(Body::empty()).unwrap();
        ask_all(&router, request).1["x-request-id"].to_str().unwrap().to_owned()
    };
    assert_eq!(sent("order-7.a_B"), "order-7.a_B");
    for odd in ["a b", "<script>", &"x".repeat(65), ""] {
        assert_ne!(sent(odd), odd);
    }
    assert_ne!(sent("a b"), sent("a b"), "each has its own");
}

#[test]
fn where_people_cannot_be_searched_for_nobody_is_suggested() {
    let closed = serving(ServeOptions { user_search: false, ..ServeOptions::default() });
    for (status, answer) in [
        get(&closed, "/api/users/mirra"),
        get(&closed, "/api/users/mirra/recommendations"),
        post(&closed, "/api/what-if", &json!({ "user": "mirra" })),
        post(&closed, "/api/explanations", &json!({ "user": "mirra" })),
    ] {
        assert_eq!(status, StatusCode::NOT_FOUND);
        assert_eq!(answer["error"]["message"], "unknown user 'mirra'");
    }
}
