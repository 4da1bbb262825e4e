//! Explanations as server-sent events: each as soon as it is found.

use std::convert::Infallible;

use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use serde_json::json;

use crate::cache::Answer;
use crate::compute::Parts;
use crate::error::ApiError;

/// Whether a client asks for events.
pub(crate) fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|value| value.split(','));
    kinds.any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/event-stream"))
}

/// What is known already, at once.
pub(crate) fn remembered(all: &[Answer]) -> Response {
    let count = all.len();
    let events = all.iter().map(explanation).chain([end(count)]).map(Ok).collect::<Vec<_>>();
    answer(stream::iter(events))
}

/// What is being looked for. Until there is something to tell, there may be an error with a status of its own.
pub(crate) async fn as_they_come(mut parts: Parts<Answer, ApiError>) -> Result<Response, ApiError> {
    let first = parts.next().await.transpose()?;
    let begin = Some(Coming { count: 0, next: first, parts });
    Ok(answer(stream::unfold(begin, async |coming| {
        let (event, more) = coming?.event().await;
        Some((Ok(event), more))
    })))
}

/// What is still to be sent.
struct Coming {
    /// How many were.
    count: usize,
    /// The next, where it is known already.
    next: Option<Answer>,
    parts: Parts<Answer, ApiError>,
}

impl Coming {
    /// The next event; with the last, nothing is left.
    async fn event(mut self) -> (Event, Option<Self>) {
        let next = match self.next.take() {
            Some(known) => Ok(Some(known)),
            None => self.parts.next().await.transpose(),
        };
        match next {
            Ok(Some(next)) => (explanation(&next), Some(Self { count: self.count + 1, ..self })),
            Ok(None) => (end(self.count), None),
            Err(error) => (event("error", &error.body()), None),
        }
    }
}

fn explanation(answer: &Answer) -> Event {
    event("explanation", answer)
}

fn end(count: usize) -> Event {
    event("end", &json!({ "count": count }))
}

/// JSON has no line breaks of its own, so each event is one line of data.
fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).data(serde_json::to_string(data).unwrap_or_default())
}

fn answer(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}
