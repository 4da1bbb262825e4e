//! What clients send: bodies and signed links.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use grease_serve::{Limits, LinkKey, ServeOptions, Service};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

use crate::subject::subject;

const TOKEN: &str = "sesame";
const KEY: &[u8] = b"a key for the fuzzer";

/// A request: a line with the method and the address, and then the body.
pub fn request(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let Some((method, address)) = std::str::from_utf8(line).ok().and_then(|line| line.split_once(' ')) else {
        return false;
    };
    let request = Request::builder().method(method).uri(address);
    let request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    let request = request.header(header::CONTENT_TYPE, "application/json");
    let Ok(request) = request.body(Body::from(body.to_vec())) else { return false };
    let status = answer(request);
    assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR);
    status == StatusCode::OK
}

/// A pass for one person never opens another's page, whatever is done to it.
pub fn pass(bytes: &[u8]) -> bool {
    let [theirs, other] = ["ada", "bob"].map(|user| {
        let request = Request::get(format!("/api/users/{user}"));
        let request = request.header(header::AUTHORIZATION, [b"Bearer ", bytes].concat());
        request.body(Body::empty()).ok().map(answer)
    });
    assert_ne!(other, Some(StatusCode::OK));
    theirs == Some(StatusCode::OK)
}

/// A pass that is a good one for a hundred years.
pub fn good_pass() -> String {
    let key = LinkKey::new(KEY).expect("it is long enough");
    key.sign("ada", SystemTime::UNIX_EPOCH + Duration::from_secs(5_000_000_000))
}

fn answer(request: Request<Body>) -> StatusCode {
    static SERVICE: OnceLock<(Runtime, Router)> = OnceLock::new();
    let (runtime, router) = SERVICE.get_or_init(|| {
        let limits =
            Limits { threads: 1, queries: 20, alternatives: 1, hops: 2, remembered: 16, ..Limits::default() };
        let options = ServeOptions {
            token: Some(TOKEN.into()),
            link_key: LinkKey::new(KEY).ok(),
            limits,
            ..ServeOptions::default()
        };
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        (runtime, Service::new(subject(), options).router())
    });
    runtime.block_on(async {
        let response = router.clone().oneshot(request).await.expect("routers do not fail");
        let status = response.status();
        let _ = to_bytes(response.into_body(), usize::MAX).await;
        status
    })
}
