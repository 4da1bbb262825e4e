//! Explanations as server-sent events: each as soon as it is found.

use std::convert::Infallible;

use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use serde_json::json;

use crate::compute::Parts;
use crate::error::ApiError;
use crate::store::Told;

/// Whether a client asks for events.
pub(crate) fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|value| value.split(','));
    kinds.any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/event-stream"))
}

/// What is known already, at once.
pub(crate) fn remembered(all: Vec<Told>) -> Response {
    let count = all.len();
    let events = all.iter().map(explanation).chain([end(count)]).map(Ok).collect::<Vec<_>>();
    answer(stream::iter(events))
}

/// What is being looked for. Until there is something to tell, there may be an error with a status of its own.
pub(crate) async fn as_they_come(mut parts: Parts<Told, ApiError>) -> Result<Response, ApiError> {
    let first = parts.next().await.transpose()?;
    let begin = Coming::Told { count: 0, next: first, parts };
    Ok(answer(stream::unfold(begin, async |coming| coming.event().await)))
}

/// What is still to be sent.
enum Coming {
    /// The next that is known, then those that are found.
    Told { count: usize, next: Option<Told>, parts: Parts<Told, ApiError> },
    /// Nothing.
    Nothing,
}

impl Coming {
    async fn event(self) -> Option<(Result<Event, Infallible>, Self)> {
        let Self::Told { count, next, mut parts } = self else { return None };
        let told = match next {
            Some(told) => Ok(Some(told)),
            None if count == 0 => Ok(None),
            None => parts.next().await.transpose(),
        };
        Some(match told {
            Ok(Some(told)) => (Ok(explanation(&told)), Self::Told { count: count + 1, next: None, parts }),
            Ok(None) => (Ok(end(count)), Self::Nothing),
            Err(error) => (Ok(event("error", &error.body())), Self::Nothing),
        })
    }
}

fn explanation(told: &Told) -> Event {
    event("explanation", told)
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
