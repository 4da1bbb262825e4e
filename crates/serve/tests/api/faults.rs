//! A recommender that is slow, fails or breaks, and too many who ask.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use grease_serve::{Limits, ServeOptions, Service};
use tower::ServiceExt as _;

use crate::doubles::{Temper, with};
use crate::{ask, get, on};

const LIST: &str = "/api/users/mira/recommendations";

#[test]
fn who_comes_too_late_is_told_to_come_again() {
    let limits = Limits { threads: 1, queue: 1, patience: Duration::from_secs(20), ..Limits::default() };
    let router = Service::new(
        &with(Temper::Slow(Duration::from_millis(1200))).0,
        ServeOptions { limits, ..ServeOptions::default() },
    )
    .router();
    let answers = on(async {
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
    let metrics = || {
        let (_, metrics) = ask(&router, Request::get("/metrics").body(Body::empty()).unwrap());
        String::from_utf8(metrics).unwrap()
    };
    let refused = "grease_requests_total{route=\"/api/users/{id}/recommendations\",status=\"503\"}";
    assert!(metrics().contains(refused) && metrics().contains("\ngrease_refused_total 1\n"), "{}", metrics());
    assert_eq!(get(&router, "/no/such-page").0, StatusCode::NOT_FOUND);
    assert!(metrics().contains("route=\"other\"") && !metrics().contains("such"), "{}", metrics());
}

#[test]
fn what_takes_too_long_is_given_up() {
    let limits = Limits { timeout: Duration::from_millis(50), ..Limits::default() };
    let (slow, _) = with(Temper::Slow(Duration::from_millis(300)));
    let router = Service::new(&slow, ServeOptions { limits, ..ServeOptions::default() }).router();
    let (status, answer) = get(&router, LIST);
    assert_eq!((status.as_u16(), answer["error"]["code"].as_str()), (503, Some("timed_out")));
}

#[test]
fn a_recommender_that_fails_is_told_without_what_it_said_and_readiness_follows() {
    let (failing, _) = with(Temper::Fails(1));
    let router = Service::new(&failing, ServeOptions::default()).router();
    let readiness = || ask(&router, Request::get("/readyz").body(Body::empty()).unwrap()).0.as_u16();
    assert_eq!(readiness(), 503, "nothing was asked yet");
    for expected in [200, 502, 200, 502] {
        let (status, answer) = get(&router, LIST);
        assert_eq!(status.as_u16(), expected);
        assert!(!answer.to_string().contains("/srv"), "{answer}");
        assert_eq!(readiness(), expected);
        assert_eq!(get(&router, "/api/users/mira").0, StatusCode::OK);
        assert_eq!(readiness(), expected, "who is there is known without asking it");
    }
}

#[test]
fn a_recommender_that_breaks_breaks_one_answer() {
    let (broken, _) = with(Temper::Panics);
    let limits = Limits { threads: 1, ..Limits::default() };
    let router = Service::new(&broken, ServeOptions { limits, ..ServeOptions::default() }).router();
    for _ in 0..3 {
        let (status, answer) = get(&router, LIST);
        assert_eq!(
            (status, answer["error"]["code"].as_str()),
            (StatusCode::INTERNAL_SERVER_ERROR, Some("internal"))
        );
        assert!(!answer.to_string().contains("/srv"), "{answer}");
    }
    assert_eq!(get(&router, "/api/users/mira").0, StatusCode::OK, "the one thread still works");
}
