//! Signed links: one person's page.

use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use grease_serve::{LinkKey, ServeOptions};
use serde_json::{Value, json};

use crate::{ask, posting, serving};

const KEY: &[u8] = b"a key for these tests";

fn given_out() -> Router {
    let link_key = Some(LinkKey::new(KEY).unwrap());
    serving(ServeOptions { token: Some("the whole house".into()), link_key, ..ServeOptions::default() })
}

fn pass(user: &str) -> String {
    LinkKey::new(KEY).unwrap().sign(user, SystemTime::now() + Duration::from_secs(60))
}

fn asked(router: &Router, mut request: Request<Body>, bearer: &str) -> (u16, Value) {
    let bearer = format!("Bearer {bearer}").parse().unwrap();
    request.headers_mut().insert(header::AUTHORIZATION, bearer);
    let (status, body) = ask(router, request);
    (status.as_u16(), serde_json::from_slice(&body).unwrap_or_default())
}

fn getting(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

#[test]
fn a_link_opens_what_is_about_its_person() {
    let (router, pass) = (given_out(), pass("mira"));
    let (_, model) = asked(&router, getting("/api/model"), &pass);
    assert_eq!((&model["person"], &model["user_search"]), (&json!("mira"), &json!(false)));
    let own = asked(&router, getting("/api/users/mira"), &pass).1["history"][0]["item"].clone();
    for request in [
        getting("/api/users/mira/recommendations"),
        getting("/api/items?query=a"),
        posting("/api/what-if", &json!({ "user": "mira", "remove": [own] })),
        posting("/api/what-if", &json!({ "history": [own] })),
    ] {
        let path = request.uri().clone();
        assert_eq!(asked(&router, request, &pass).0, 200, "{path}");
    }
    let (status, told) =
        asked(&router, posting("/api/explanations", &json!({ "user": "mira", "k": 2 })), &pass);
    assert_eq!(status, 200);
    let picture = format!("/api/explanations/{}.svg", told["ids"][0].as_str().unwrap());
    assert_eq!(asked(&router, getting(&picture), &pass).0, 200);
}

#[test]
fn a_link_opens_nothing_about_anybody_else_not_even_whether_they_exist() {
    let (router, pass) = (given_out(), pass("mira"));
    let theo = json!({ "user": "theo", "k": 2 });
    let (status, told) = asked(&router, posting("/api/explanations", &theo), "the whole house");
    assert_eq!(status, 200, "who has the token may");
    let picture = format!("/api/explanations/{}.svg", told["ids"][0].as_str().unwrap());
    let nobody = json!({ "user": "nobody at all" });
    for request in [
        getting("/api/users/theo"),
        getting("/api/users/theo/recommendations"),
        getting("/api/users/nobody"),
        getting(&picture),
        posting("/api/explanations", &theo),
        posting("/api/explanations", &nobody),
        posting("/api/what-if", &json!({ "user": "theo" })),
        posting("/api/what-if", &nobody),
        getting("/metrics"),
    ] {
        let path = request.uri().clone();
        let (status, answer) = asked(&router, request, &pass);
        assert_eq!((status, &answer["error"]["code"]), (403, &json!("not_yours")), "{path}");
    }
    assert_eq!(asked(&router, getting("/api/users"), &pass).0, 403);
}

#[test]
fn who_has_neither_token_nor_link_gets_nothing() {
    let router = given_out();
    let over = LinkKey::new(KEY).unwrap().sign("mira", SystemTime::now());
    let forged =
        LinkKey::new(b"some other secret").unwrap().sign("mira", SystemTime::now() + Duration::from_secs(60));
    let cases = [
        (over.as_str(), "expired"),
        (forged.as_str(), "unauthorised"),
        ("", "unauthorised"),
        ("a.b.c", "unauthorised"),
    ];
    for (bearer, code) in cases {
        let (status, answer) = asked(&router, getting("/api/users/mira"), bearer);
        assert_eq!((status, &answer["error"]["code"]), (401, &json!(code)), "{bearer}");
    }
    assert_eq!(ask(&router, getting("/api/model")).0, StatusCode::UNAUTHORIZED);
    assert_eq!(ask(&router, getting("/")).0, StatusCode::OK, "the page itself tells nothing");
}
