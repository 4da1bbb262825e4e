//! The API through its router: what clients see.
#![allow(clippy::unwrap_used, reason = "tests and their helpers")]

use std::sync::OnceLock;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use grease::graph::{Graph, SampleOptions, sample};
use grease::models::folder::ModelFolder;
use grease::models::train::{Loss, TrainOptions};
use grease::{Foreign, Record, TrainRequest, prepare};
use grease_serve::{Limits, ServeOptions, Service};
use serde_json::{Value, json};
use tower::ServiceExt as _;

fn folder() -> ModelFolder {
    static FOLDER: OnceLock<ModelFolder> = OnceLock::new();
    let train = || {
        let service = sample(&SampleOptions { users: 80, artists: 60, ..SampleOptions::default() });
        let (loss, dim, batch, learning_rate) = (Loss::Bpr, 16, 256, 0.01);
        let options = TrainOptions { loss, epochs: 30, dim, batch, learning_rate, ..TrainOptions::default() };
        let place = tempfile::tempdir().unwrap();
        let data = prepare(&service.interactions, 0.8, options.seed, None);
        TrainRequest::new(data, options, &place.path().join("model")).run(&mut ()).unwrap().0
    };
    FOLDER.get_or_init(train).clone()
}

fn serving(options: ServeOptions) -> Router {
    Service::new(folder().into(), options).router()
}

/// The status and the body of one answer.
fn ask(router: &Router, request: Request<Body>) -> (StatusCode, Vec<u8>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let response = router.clone().oneshot(request).await.unwrap();
        for (name, value) in [("x-content-type-options", "nosniff"), ("x-frame-options", "DENY")] {
            assert_eq!(response.headers()[name], value);
        }
        assert!(response.headers().contains_key("x-request-id"));
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
        let status = response.status();
        (status, to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec())
    })
}

fn get(router: &Router, path: &str) -> (StatusCode, Value) {
    let (status, body) = ask(router, Request::get(path).body(Body::empty()).unwrap());
    (status, serde_json::from_slice(&body).unwrap())
}

fn post(router: &Router, path: &str, body: &Value) -> (StatusCode, Value) {
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    let (status, body) = ask(router, request.body(Body::from(body.to_string())).unwrap());
    (status, serde_json::from_slice(&body).unwrap())
}

#[test]
fn lists_are_those_of_the_library() {
    let router = serving(ServeOptions::default());
    let (status, list) = get(&router, "/api/users/mira/recommendations?k=5");
    assert_eq!(status, StatusCode::OK);
    let folder = folder();
    let mira = grease::Who::Known(grease::find_user(&folder.data.users, "mira").unwrap());
    let expected = grease::recommend(&folder.model, &mira, 5, &grease::Candidates::default()).unwrap();
    for (said, listed) in list["recommendations"].as_array().unwrap().iter().zip(&expected) {
        assert_eq!(said["item"], folder.data.items.id(listed.item.0));
        assert_eq!(said["rank"], listed.rank);
    }
    let (_, user) = get(&router, "/api/users/mira");
    assert_eq!(
        user["history"].as_array().unwrap().len(),
        mira.history(&Graph::new(80, 60, &folder.data.train).unwrap()).len()
    );
    let (_, model) = get(&router, "/api/model");
    assert_eq!((&model["kind"], &model["users"]), (&json!("lightgcn"), &json!(80)));
}

#[test]
fn explanations_are_records_hold_and_have_pictures() {
    let router = serving(ServeOptions::default());
    let asked = json!({ "user": "mira", "k": 5 });
    let (status, told) = post(&router, "/api/explanations", &asked);
    assert_eq!(status, StatusCode::OK, "{told}");
    let records: Vec<Record> = serde_json::from_value(told["explanations"].clone()).unwrap();
    assert_eq!(records.len(), 10);
    let subject = folder().into();
    let candidates = grease::Candidates::default();
    let verifier = grease::Verifier::new(&subject, &candidates);
    let holds = |record: &Record| matches!(verifier.verify(record), Ok(grease::Verdict::Holds { .. }));
    assert!(records.iter().filter(|record| holds(record)).count() >= 5);
    assert_eq!(post(&router, "/api/explanations", &asked).1, told, "the same again");
    let id = told["ids"][0].as_str().unwrap();
    let (status, svg) =
        ask(&router, Request::get(format!("/api/explanations/{id}.svg")).body(Body::empty()).unwrap());
    assert_eq!(status, StatusCode::OK);
    assert!(svg.starts_with(b"<svg"));
    assert_eq!(get(&router, "/api/explanations/unknown.svg").0, StatusCode::NOT_FOUND);
    let others: Vec<&str> = records.iter().flat_map(|r| &r.edges).map(|edge| edge.user.as_str()).collect();
    assert!(others.iter().all(|user| *user == "mira"), "with scope own nobody else appears");
}

#[test]
fn what_if_agrees_with_the_explanation() {
    let router = serving(ServeOptions::default());
    let asked = json!({ "user": "mira", "k": 5, "goals": ["counterfactual"] });
    let (_, told) = post(&router, "/api/explanations", &asked);
    let all = told["explanations"].as_array().unwrap();
    let one = all.iter().find(|record| record["status"] == "verified").unwrap();
    let remove: Vec<&Value> = one["edges"].as_array().unwrap().iter().map(|edge| &edge["item"]).collect();
    let (status, imagined) =
        post(&router, "/api/what-if", &json!({ "user": "mira", "remove": remove, "k": 5 }));
    assert_eq!(status, StatusCode::OK);
    let moved =
        imagined["before"].as_array().unwrap().iter().find(|moved| moved["item"] == one["item"]).unwrap();
    assert_eq!(moved["rank_after"], one["rank_after"]);
}

#[test]
fn searching_finds_by_id_and_title() {
    let router = serving(ServeOptions::default());
    let (_, found) = get(&router, "/api/users?query=MIR");
    assert_eq!(found["users"][0]["id"], "mira");
    let (_, found) = get(&router, "/api/items?query=the&limit=3");
    assert_eq!(found["items"].as_array().unwrap().len(), 3);
    assert!(found["all"].as_u64().unwrap() > 3);
    let closed = serving(ServeOptions { user_search: false, ..ServeOptions::default() });
    assert_eq!(get(&closed, "/api/users?query=mira").0, StatusCode::FORBIDDEN);
    assert_eq!(get(&closed, "/api/users/mira").0, StatusCode::OK);
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let limits = Limits { k: 20, items: 3, ..Limits::default() };
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
fn another_model_takes_over_between_two_requests() {
    let service = Service::new(folder().into(), ServeOptions::default());
    let router = service.router();
    let asked = json!({ "user": "mira", "k": 5 });
    let before = post(&router, "/api/explanations", &asked).1;
    let data = folder().data;
    let graph = Graph::new(data.users.len(), data.items.len(), &data.train).unwrap();
    let double = Box::new(grease::graph::doubles::CoNeighbours::new(graph));
    service.replace(Foreign::new(data, double, "double", ["paths"]).into());
    assert_eq!(get(&router, "/api/model").1["kind"], "double");
    let after = post(&router, "/api/explanations", &asked).1;
    assert_ne!(
        before["explanations"][0]["model"], after["explanations"][0]["model"],
        "nothing is remembered of the other"
    );
}

/// A recommender that takes its time.
struct Slow(grease::graph::doubles::CoNeighbours);

impl grease::graph::Recommender for Slow {
    fn graph(&self) -> &Graph {
        self.0.graph()
    }

    fn score(
        &self,
        user: grease::graph::UserId,
        profile: grease::graph::Profile,
        edits: &[grease::graph::Edit],
        out: &mut [f32],
    ) -> Result<(), grease::graph::ScoreError> {
        std::thread::sleep(Duration::from_millis(300));
        self.0.score(user, profile, edits, out)
    }
}

#[test]
fn who_comes_too_late_is_told_to_come_again() {
    let data = folder().data;
    let graph = Graph::new(data.users.len(), data.items.len(), &data.train).unwrap();
    let slow = Slow(grease::graph::doubles::CoNeighbours::new(graph));
    let foreign = Foreign::new(data, Box::new(slow), "double", ["slow"]);
    let limits = Limits { threads: 1, queue: 1, timeout: Duration::from_millis(500), ..Limits::default() };
    let router = Service::new(foreign.into(), ServeOptions { limits, ..ServeOptions::default() }).router();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answers = runtime.block_on(async {
        let ask = |after: u64| {
            let router = router.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(after)).await;
                let request = Request::get("/api/users/mira/recommendations").body(Body::empty()).unwrap();
                let response = router.oneshot(request).await.unwrap();
                (response.status().as_u16(), response.headers().contains_key(header::RETRY_AFTER))
            }
        };
        let (first, second, third, fourth) = tokio::join!(ask(0), ask(50), ask(100), ask(150));
        [first, second, third, fourth]
    });
    assert_eq!(answers[0], (200, false));
    assert_eq!(answers[3], (503, true), "two are computed, one waits, and the fourth is told to come again");
    let (_, metrics) = ask(&router, Request::get("/metrics").body(Body::empty()).unwrap());
    let metrics = String::from_utf8(metrics).unwrap();
    let refused = "grease_requests_total{route=\"/api/users/{id}/recommendations\",status=\"503\"}";
    assert!(metrics.contains(refused) && metrics.contains("\ngrease_refused_total 1\n"), "{metrics}");
    assert_eq!(get(&router, "/no/such\"page").0, StatusCode::NOT_FOUND);
    let (_, metrics) = ask(&router, Request::get("/metrics").body(Body::empty()).unwrap());
    let metrics = String::from_utf8(metrics).unwrap();
    assert!(metrics.contains("route=\"other\"") && !metrics.contains("such"), "{metrics}");
}
