//! What every request passes and every answer carries: a token, an id, headers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;
use crate::service::Shared;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// No inline script, no frame, nothing from elsewhere.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Checks the token, numbers the request, logs it, and sets the headers of the answer.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let began = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>().cloned();
    // The page itself tells nothing; it asks for the token.
    let is_open = matches!(path.as_str(), "/healthz" | "/readyz" | "/" | "/app.js" | "/style.css");
    let mut response = match &shared.options.token {
        Some(token) if !is_open && !carries(&request, token) => ApiError::Unauthorised.into_response(),
        _ => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.insert(REQUEST_ID, HeaderValue::from(id));
    shared.metrics.count(route.as_ref().map(MatchedPath::as_str), response.status(), began.elapsed());
    tracing::info!(id, %method, path, status = response.status().as_u16(), ms = began.elapsed().as_secs_f64() * 1e3);
    response
}

/// Compared whole, whatever the first difference, so that nothing can be learned from how long it takes.
fn carries(request: &Request, token: &str) -> bool {
    let sent = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(sent) = sent.and_then(|value| value.strip_prefix("Bearer ")) else { return false };
    let differs = sent.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    sent.len() == token.len() && differs == 0
}
