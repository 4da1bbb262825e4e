//! Making load, and what came of it.
//!
//! Every connection has a thread that sleeps until its next request is due or answered: some hundreds of them cost next to
//! nothing. In an *open* loop requests are due at fixed times, whether or not earlier ones were answered, and a latency counts from
//! when its request was due: a server that stalls is charged for all who would have asked meanwhile. In a *closed* loop each
//! connection asks as soon as it was answered.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::client::Client;
use super::server::{Server, own_cpu};

/// A thread that only asks needs little.
const STACK: usize = 128 * 1024;

/// When requests are made.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pace {
    /// So many a second.
    Open(f64),
    /// As fast as they are answered.
    Closed,
}

/// One answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// Of the request with this number.
    pub(super) number: u64,
    /// None: the connection broke.
    pub(super) status: Option<u16>,
    /// Since it was due.
    pub(super) took: Duration,
}

/// What came of some load.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) answers: Vec<Answer>,
    /// How long it took, to the last answer.
    pub(super) seconds: f64,
    /// Processor time a second, of the server and of this program: 2 are two cores.
    pub(super) server_cpu: Option<f64>,
    pub(super) own_cpu: Option<f64>,
    /// The first error of a connection, if any.
    pub(super) error: Option<String>,
}

/// Makes load for a while; `request` makes the one with a number.
pub(super) fn load(
    server: &Server,
    connections: usize,
    pace: Pace,
    lasting: Duration,
    request: impl Fn(u64) -> Vec<u8> + Sync,
) -> Outcome {
    let next = AtomicU64::new(0);
    let cpu =
        |began: Option<Duration>, now: Option<Duration>| Some(now?.saturating_sub(began?).as_secs_f64());
    let (server_began, own_began, began) = (server.cpu(), own_cpu(), Instant::now());
    let mut outcome = Outcome::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..connections)
            .filter_map(|_| {
                let ask = || work(server.address, &next, pace, began, lasting, &request);
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, ask).ok()
            })
            .collect();
        if workers.len() < connections {
            outcome.error = Some(format!("only {} of {connections} threads could be started", workers.len()));
        }
        for worker in workers {
            match worker.join() {
                Ok((answers, error)) => {
                    outcome.answers.extend(answers);
                    outcome.error = outcome.error.take().or(error);
                }
                Err(_) => outcome.error = Some("a thread that made load panicked".to_owned()),
            }
        }
    });
    outcome.seconds = began.elapsed().as_secs_f64();
    outcome.server_cpu = cpu(server_began, server.cpu()).map(|cpu| cpu / outcome.seconds);
    outcome.own_cpu = cpu(own_began, own_cpu()).map(|cpu| cpu / outcome.seconds);
    outcome
}

fn work(
    address: SocketAddr,
    next: &AtomicU64,
    pace: Pace,
    began: Instant,
    lasting: Duration,
    request: &(impl Fn(u64) -> Vec<u8> + Sync),
) -> (Vec<Answer>, Option<String>) {
    let mut client = Client::new(address);
    let (mut answers, mut error) = (Vec::new(), None);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let due = match pace {
            Pace::Open(rate) => began + Duration::from_secs_f64(number as f64 / rate),
            Pace::Closed => Instant::now(),
        };
        if due >= began + lasting {
            return (answers, error);
        }
        let request = request(number);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let status = match client.ask(&request) {
            Ok((status, _)) => Some(status),
            Err(broken) => {
                error.get_or_insert(broken.to_string());
                None
            }
        };
        answers.push(Answer { number, status, took: due.elapsed() });
    }
}

impl Outcome {
    /// Latencies of the answers that were asked for, in ascending order and milliseconds.
    pub(super) fn latencies(&self) -> Vec<f64> {
        self.latencies_of(|_| true)
    }

    /// The same of requests with some numbers only.
    pub(super) fn latencies_of(&self, wanted: impl Fn(u64) -> bool) -> Vec<f64> {
        let answered = self.answers.iter().filter(|a| a.status == Some(200) && wanted(a.number));
        let mut sorted: Vec<f64> = answered.map(|answer| answer.took.as_secs_f64() * 1e3).collect();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// How many answers of each status; none is a broken connection.
    pub(super) fn statuses(&self) -> BTreeMap<Option<u16>, usize> {
        let mut counts = BTreeMap::new();
        self.answers.iter().for_each(|answer| *counts.entry(answer.status).or_default() += 1);
        counts
    }

    /// Answers of 200 a second.
    pub(super) fn rate(&self) -> f64 {
        self.latencies().len() as f64 / self.seconds
    }

    /// What the two processes needed.
    pub(super) fn cpu_text(&self) -> String {
        let cores = |cpu: Option<f64>| cpu.map_or("?".to_owned(), |cpu| format!("{cpu:.2}"));
        format!("server {} cores, load {}", cores(self.server_cpu), cores(self.own_cpu))
    }
}

/// The latency that this part of all does not exceed; of ascending ones.
pub(super) fn percentile(ascending: &[f64], part: f64) -> f64 {
    let place = (part * ascending.len() as f64).ceil() as usize;
    ascending.get(place.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// The slope of a line through points, by least squares; none through fewer than two.
pub(super) fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let together: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (spread > 0.0).then(|| together / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_latencies_that_were_measured() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([0.5, 0.95, 0.99, 1.0].map(|part| percentile(&hundred, part)), [50.0, 95.0, 99.0, 100.0]);
        assert_eq!(percentile(&[7.0], 0.5), 7.0);
        assert!(percentile(&[], 0.5).is_nan());
    }

    #[test]
    fn a_line_has_its_slope() {
        assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), Some(2.0));
        assert_eq!(slope(&[(0.0, 1.0)]), None);
    }

    #[test]
    fn only_answers_of_200_have_a_latency_that_counts() {
        let answer = |status, ms| Answer { number: ms, status, took: Duration::from_millis(ms) };
        let answers = vec![answer(Some(200), 4), answer(Some(503), 1), answer(None, 9), answer(Some(200), 2)];
        let outcome = Outcome { answers, seconds: 2.0, ..Outcome::default() };
        assert_eq!(outcome.latencies(), [2.0, 4.0]);
        assert_eq!(outcome.latencies_of(|number| number > 3), [4.0]);
        assert_eq!(outcome.rate(), 1.0);
        assert_eq!(outcome.statuses(), BTreeMap::from([(None, 1), (Some(200), 2), (Some(503), 1)]));
    }
}
