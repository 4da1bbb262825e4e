//! What every request passes and every answer carries: who asks, an id, headers, a line in the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::caller::Caller;
use crate::error::ApiError;
use crate::page;
use crate::shared::Shared;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// No inline script, no frame, nothing from elsewhere; and nothing here for pages from elsewhere.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Beyond the time to compute: for the request to come in, and the answer to go out.
const ON_THE_WAY: Duration = Duration::from_secs(5);

/// Finds out who asks, numbers the request, logs it, and sets the headers of the answer.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers(), &shared.started);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>().cloned();
    // The page itself tells nothing; it asks for the token.
    let is_open = matches!(path.as_str(), "/healthz" | "/readyz" | "/openapi.json") || page::has(&path);
    let caller = match is_open {
        true => Ok(Caller::Trusted),
        false => Caller::of(request.headers(), &shared.options),
    };
    let mut response = match caller {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            let most = shared.options.limits.timeout + ON_THE_WAY;
            let answer = tokio::time::timeout(most, next.run(request)).await;
            answer.unwrap_or_else(|_| ApiError::SlowRequest.into_response())
        }
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    let status = response.status();
    shared.metrics.count(route.as_ref().map(MatchedPath::as_str), status, began.elapsed());
    let ms = began.elapsed().as_secs_f64() * 1e3;
    tracing::info!(id = id.to_str().unwrap_or(""), %method, path, status = status.as_u16(), ms, "answered");
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// The client's own id, where it sent a harmless one, so that both logs tell of one thing; else one of ours.
fn request_id(headers: &HeaderMap, started: &str) -> HeaderValue {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let is_harmless = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        (1..=64).contains(&bytes.len())
            && bytes.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if let Some(theirs) = headers.get(&REQUEST_ID).filter(is_harmless) {
        return theirs.clone();
    }
    let ours = format!("{started}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    HeaderValue::try_from(ours).unwrap_or(HeaderValue::from_static("none"))
}
