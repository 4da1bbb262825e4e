//! What was answered and how busy it is here, for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use grease::graph::Work;

use crate::cache::Contents;
use crate::compute::Busy;

/// The upper ends of the histogram's buckets, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// What stands for all addresses there are none of: what clients make up is nobody's label.
const ELSEWHERE: &str = "other";

/// Counts while requests are answered.
#[derive(Default)]
pub(crate) struct Metrics {
    /// By route as it was declared: `/api/users/{id}`.
    routes: Mutex<BTreeMap<String, Answers>>,
}

/// Of one route.
#[derive(Debug, Default)]
struct Answers {
    by_status: BTreeMap<u16, u64>,
    /// Each counts what is not in one before it.
    buckets: [u64; BUCKETS.len()],
    seconds: f64,
}

impl Metrics {
    /// `route` is none where nothing is.
    pub(crate) fn count(&self, route: Option<&str>, status: StatusCode, took: Duration) {
        let (route, seconds) = (route.unwrap_or(ELSEWHERE), took.as_secs_f64());
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if !routes.contains_key(route) {
            routes.insert(route.to_owned(), Answers::default());
        }
        let Some(answers) = routes.get_mut(route) else { return };
        *answers.by_status.entry(status.as_u16()).or_default() += 1;
        answers.seconds += seconds;
        if let Some(bucket) = BUCKETS.iter().position(|end| seconds <= *end) {
            answers.buckets[bucket] += 1;
        }
    }

    /// In the text form Prometheus reads.
    pub(crate) fn text(&self, busy: Busy, remembered: Contents, work: Option<Work>) -> String {
        let mut text = String::new();
        self.tell_requests(&mut text);
        let waiting = [("{lane=\"quick\"}", busy.quick as u64), ("{lane=\"long\"}", busy.long as u64)];
        tell(&mut text, "grease_queue_length", "gauge", "Requests that wait to be computed.", &waiting);
        let one = |count: u64| [("", count)];
        for (name, kind, help, count) in [
            ("grease_running", "gauge", "Requests that are being computed.", busy.running),
            (
                "grease_refused_total",
                "counter",
                "Requests refused, as too many waited or for too long.",
                busy.refused,
            ),
            (
                "grease_abandoned_total",
                "counter",
                "Requests given up, as they took too long or nobody waited any more.",
                busy.abandoned,
            ),
            ("grease_remembered", "gauge", "Explanations that are remembered.", remembered.records as u64),
            (
                "grease_remembered_hits_total",
                "counter",
                "Explanations asked for that were remembered.",
                remembered.hits,
            ),
            (
                "grease_remembered_misses_total",
                "counter",
                "Explanations asked for that were not.",
                remembered.misses,
            ),
        ] {
            tell(&mut text, name, kind, help, &one(count));
        }
        if let Some(Work { local, products, whole, .. }) = work {
            let answers =
                [("{path=\"local\"}", local), ("{path=\"product\"}", products), ("{path=\"whole\"}", whole)];
            let help =
                "Edits the model answered: about some items, by one product over all, over the whole graph.";
            tell(&mut text, "grease_answers_total", "counter", help, &answers);
        }
        text
    }

    fn tell_requests(&self, text: &mut String) {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        head(text, "grease_requests_total", "counter", "Requests answered, by route and status.");
        for (route, answers) in routes.iter() {
            for (status, count) in &answers.by_status {
                let _ =
                    writeln!(text, "grease_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
            }
        }
        head(text, "grease_request_seconds", "histogram", "Time from a request to its answer, by route.");
        for (route, answers) in routes.iter() {
            let all: u64 = answers.by_status.values().sum();
            let mut within = 0;
            for (end, count) in BUCKETS.iter().zip(answers.buckets) {
                within += count;
                let _ = writeln!(
                    text,
                    "grease_request_seconds_bucket{{route=\"{route}\",le=\"{end}\"}} {within}"
                );
            }
            let seconds = answers.seconds;
            let _ = write!(
                text,
                "grease_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {all}\n\
                 grease_request_seconds_sum{{route=\"{route}\"}} {seconds}\n\
                 grease_request_seconds_count{{route=\"{route}\"}} {all}\n"
            );
        }
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// A metric without a histogram: its head once, then its values by label.
fn tell(text: &mut String, name: &str, kind: &str, help: &str, values: &[(&str, u64)]) {
    head(text, name, kind, help);
    for (labels, value) in values {
        let _ = writeln!(text, "{name}{labels} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> String {
        let metrics = Metrics::default();
        let list = Some("/api/users/{id}/recommendations");
        metrics.count(list, StatusCode::OK, Duration::from_micros(800));
        metrics.count(list, StatusCode::OK, Duration::from_millis(5));
        metrics.count(list, StatusCode::SERVICE_UNAVAILABLE, Duration::from_secs(30));
        metrics.count(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let busy = Busy { quick: 2, long: 3, running: 1, refused: 4, abandoned: 5 };
        let work = Work { local: 9, products: 10, whole: 11, ..Work::default() };
        metrics.text(busy, Contents { records: 6, hits: 7, misses: 8 }, Some(work))
    }

    #[test]
    fn requests_are_told_by_route_and_status() {
        let told = told();
        for line in [
            "grease_requests_total{route=\"/api/users/{id}/recommendations\",status=\"200\"} 2",
            "grease_requests_total{route=\"/api/users/{id}/recommendations\",status=\"503\"} 1",
            "grease_requests_total{route=\"other\",status=\"404\"} 1",
            "grease_queue_length{lane=\"quick\"} 2",
            "grease_queue_length{lane=\"long\"} 3",
            "grease_running 1",
            "grease_refused_total 4",
            "grease_abandoned_total 5",
            "grease_remembered 6",
            "grease_remembered_hits_total 7",
            "grease_remembered_misses_total 8",
            "grease_answers_total{path=\"local\"} 9",
            "grease_answers_total{path=\"product\"} 10",
            "grease_answers_total{path=\"whole\"} 11",
        ] {
            assert!(told.lines().any(|said| said == line), "{line} is not in\n{told}");
        }
    }

    #[test]
    fn buckets_count_everything_up_to_their_end_and_the_last_everything() {
        let told = told();
        let bucket = |end: &str| {
            let begins = format!(
                "grease_request_seconds_bucket{{route=\"/api/users/{{id}}/recommendations\",le=\"{end}\"}} "
            );
            told.lines().find_map(|line| line.strip_prefix(&begins)).unwrap().parse::<u64>().unwrap()
        };
        assert_eq!(["0.001", "0.0025", "0.005", "1", "10", "+Inf"].map(bucket), [1, 1, 2, 2, 2, 3]);
        assert!(told.contains("grease_request_seconds_count{route=\"/api/users/{id}/recommendations\"} 3\n"));
    }

    #[test]
    fn every_metric_has_one_head_and_stands_behind_it() {
        let told = told();
        assert!(told.ends_with('\n'));
        let mut heads = std::collections::BTreeSet::new();
        let mut family = "";
        for line in told.lines() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["#", "HELP", name, ..] => assert!(heads.insert(name), "{name} has two heads"),
                ["#", "TYPE", name, kind] => {
                    assert!(heads.contains(name) && ["counter", "gauge", "histogram"].contains(&kind));
                    family = name;
                }
                [value, number] => {
                    assert!(value.starts_with(family), "{value} stands under {family}");
                    number.parse::<f64>().unwrap();
                }
                _ => panic!("{line}"),
            }
        }
    }
}
