//! The API: what clients see.
#![allow(clippy::unwrap_used, reason = "tests and their helpers")]

mod asking;
mod doubles;
mod faults;
mod links;
mod listening;
mod refusing;
mod streaming;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use grease_serve::{ServeOptions, Service};
use grease_testing::folder;
use serde_json::Value;
use tower::ServiceExt as _;

fn serving(options: ServeOptions) -> Router {
    Service::new(&folder().clone().into(), options).router()
}

fn on<R>(future: impl Future<Output = R>) -> R {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// The whole of one answer, which has what every answer has.
fn ask_all(router: &Router, request: Request<Body>) -> (StatusCode, HeaderMap, Vec<u8>) {
    on(async {
        let response = router.clone().oneshot(request).await.unwrap();
        for (name, value) in [("x-content-type-options", "nosniff"), ("x-frame-options", "DENY")] {
            assert_eq!(response.headers()[name], value);
        }
        assert!(response.headers().contains_key("x-request-id"));
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
        let (parts, body) = response.into_parts();
        (parts.status, parts.headers, to_bytes(body, usize::MAX).await.unwrap().to_vec())
    })
}

/// The status and the body of one answer.
fn ask(router: &Router, request: Request<Body>) -> (StatusCode, Vec<u8>) {
    let (status, _, body) = ask_all(router, request);
    (status, body)
}

fn get(router: &Router, path: &str) -> (StatusCode, Value) {
    let (status, body) = ask(router, Request::get(path).body(Body::empty()).unwrap());
    (status, serde_json::from_slice(&body).unwrap())
}

fn posting(path: &str, body: &Value) -> Request<Body> {
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    request.body(Body::from(body.to_string())).unwrap()
}

fn post(router: &Router, path: &str, body: &Value) -> (StatusCode, Value) {
    let (status, body) = ask(router, posting(path, body));
    (status, serde_json::from_slice(&body).unwrap())
}
