//! Explanations as server-sent events.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use futures_util::StreamExt as _;
use grease_serve::{Limits, ServeOptions, Service};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::doubles::{Temper, with};
use crate::{ask, ask_all, on, post, posting, serving};

fn streaming(body: &Value) -> Request<Body> {
    let mut request = posting("/api/explanations", body);
    request.headers_mut().insert(header::ACCEPT, "text/event-stream".parse().unwrap());
    request
}

/// Name and data of each event.
fn events(text: &str) -> Vec<(String, Value)> {
    let blocks = text.split("\n\n").filter(|block| !block.is_empty() && !block.starts_with(':'));
    let event = |block: &str| {
        let (name, data) = block.split_once('\n').unwrap();
        let data = data.strip_prefix("data: ").unwrap();
        (name.strip_prefix("event: ").unwrap().to_owned(), serde_json::from_str(data).unwrap())
    };
    blocks.map(event).collect()
}

fn stream(router: &Router, body: &Value) -> (StatusCode, Vec<(String, Value)>) {
    let (status, headers, text) = ask_all(router, streaming(body));
    if status == StatusCode::OK {
        assert_eq!(headers[header::CONTENT_TYPE], "text/event-stream");
        return (status, events(std::str::from_utf8(&text).unwrap()));
    }
    (status, vec![("error".into(), serde_json::from_slice(&text).unwrap())])
}

#[test]
fn events_tell_what_the_answer_at_once_tells() {
    let asked = json!({ "user": "mira", "k": 4 });
    let (status, streamed) = stream(&serving(ServeOptions::default()), &asked);
    assert_eq!(status, StatusCode::OK);
    let router = serving(ServeOptions::default());
    let (_, told) = post(&router, "/api/explanations", &asked);
    let (end, explanations) = streamed.split_last().unwrap();
    assert_eq!(*end, ("end".to_owned(), json!({ "count": 8 })));
    assert_eq!(explanations.len(), 8);
    for (at, (name, one)) in explanations.iter().enumerate() {
        assert_eq!(name, "explanation");
        assert_eq!((&one["id"], &one["explanation"]), (&told["ids"][at], &told["explanations"][at]));
    }
    let (_, again) = stream(&router, &asked);
    assert_eq!(again, streamed, "what is remembered is streamed, too");
    let picture = format!("/api/explanations/{}.svg", told["ids"][7].as_str().unwrap());
    assert_eq!(ask(&router, Request::get(picture).body(Body::empty()).unwrap()).0, StatusCode::OK);
}

#[test]
fn what_makes_no_sense_has_a_status_and_is_no_stream() {
    let router = serving(ServeOptions::default());
    for (asked, expected) in [(json!({ "user": "nobody" }), 404), (json!({ "user": "mira", "k": 0 }), 400)] {
        let (status, answer) = stream(&router, &asked);
        assert_eq!(status.as_u16(), expected);
        assert!(answer[0].1["error"]["message"].is_string());
    }
}

#[test]
fn a_failure_on_the_way_is_the_last_event() {
    let mut half_told = 0;
    for after in 1..60 {
        let router = Service::new(&with(Temper::Fails(after)).0, ServeOptions::default()).router();
        let (status, told) = stream(&router, &json!({ "user": "mira", "k": 3 }));
        let (last, before) = told.split_last().unwrap();
        assert!(before.iter().all(|(name, _)| name == "explanation"));
        match last.0.as_str() {
            "end" => assert_eq!(last.1["count"], before.len()),
            "error" => {
                assert_eq!(last.1["error"]["code"], "recommender");
                assert_eq!(status == StatusCode::OK, !before.is_empty());
                half_told += usize::from(!before.is_empty());
            }
            other => panic!("{other}"),
        }
    }
    assert!(half_told > 0, "none failed on the way, so nothing was tested");
}

#[test]
fn who_closes_the_connection_has_the_search_given_up() {
    let (slow, asked) = with(Temper::Slow(Duration::from_millis(5)));
    let limits = Limits { threads: 1, ..Limits::default() };
    let router = Service::new(&slow, ServeOptions { limits, ..ServeOptions::default() }).router();
    let whole = json!({ "user": "mira", "k": 20, "goals": ["counterfactual", "factual"] });
    on(async {
        let response = router.clone().oneshot(streaming(&whole)).await.unwrap();
        let mut body = response.into_body().into_data_stream();
        assert!(body.next().await.unwrap().unwrap().starts_with(b"event: explanation"));
    });
    let by_then = asked.load(Ordering::SeqCst);
    // The one thread is free again as soon as it asks its next question.
    let began = Instant::now();
    let (status, _) = post(&router, "/api/what-if", &json!({ "user": "mira" }));
    assert_eq!(status, StatusCode::OK);
    let more = asked.load(Ordering::SeqCst) - by_then;
    assert!(more < 10, "{more} questions were asked for nobody, in {:?}", began.elapsed());
}
