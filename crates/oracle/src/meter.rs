//! What asking an oracle took.

use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::Serialize;

/// What asking an oracle took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OracleReport {
    /// What the oracle calls itself.
    pub name: String,
    /// Which version of it.
    pub version: Option<String>,
    /// Edits whose scores were wanted.
    pub questions: u64,
    /// Share of the questions that did not reach the oracle, because the same was asked before or just then.
    pub from_memory: f64,
    /// Requests that were answered, the hello not counted.
    pub requests: u64,
    /// How long an answer took, where there was one.
    pub latency_ms: Option<Latency>,
    /// Requests sent again to a service that was busy or out of reach.
    pub retries: u64,
    /// Processes started anew because the one before ended or did not answer.
    pub restarts: u64,
}

/// Milliseconds a request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    pub mean: f64,
    /// Half of the requests took at most so long.
    pub median: f64,
    /// All but one in a hundred took at most so long.
    pub p99: f64,
}

/// Counts while an oracle is asked; shared with whoever wants the report at the end.
#[derive(Debug)]
pub struct Meter {
    /// Name and version, once the oracle has said them.
    introduced: OnceLock<(String, Option<String>)>,
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    questions: u64,
    reached: u64,
    requests: u64,
    spent: Duration,
    /// Requests by time, in steps of [`STEP`].
    times: [u32; STEPS],
    retries: u64,
    restarts: u64,
}

/// Each step of the histogram is this much longer than the one before: figures are within 1 %.
const STEP: f64 = 1.02;
/// From a microsecond to half an hour.
const STEPS: usize = 1_100;

impl Meter {
    pub(crate) fn new() -> Self {
        let counts = Counts {
            questions: 0,
            reached: 0,
            requests: 0,
            spent: Duration::ZERO,
            times: [0; STEPS],
            retries: 0,
            restarts: 0,
        };
        Self { introduced: OnceLock::new(), counts: Mutex::new(counts) }
    }

    pub(crate) fn introduce(&self, name: &str, version: Option<&str>) {
        self.introduced.get_or_init(|| (name.to_owned(), version.map(str::to_owned)));
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn asked(&self, questions: usize, reached: usize) {
        let mut counts = self.counts();
        counts.questions += questions as u64;
        counts.reached += reached as u64;
    }

    pub(crate) fn request(&self, took: Duration) {
        let mut counts = self.counts();
        counts.requests += 1;
        counts.spent += took;
        let step = ((took.as_secs_f64() * 1e6).max(1.0).ln() / STEP.ln()) as usize;
        counts.times[step.min(STEPS - 1)] += 1;
    }

    pub(crate) fn retry(&self) {
        self.counts().retries += 1;
    }

    pub(crate) fn restart(&self) {
        self.counts().restarts += 1;
    }

    /// What was counted so far.
    pub fn report(&self) -> OracleReport {
        let (name, version) = self.introduced.get().cloned().unwrap_or_default();
        let counts = self.counts();
        let latency = (counts.requests > 0).then(|| Latency {
            mean: counts.spent.as_secs_f64() * 1e3 / counts.requests as f64,
            median: counts.within(0.5),
            p99: counts.within(0.99),
        });
        let share =
            |part: u64| if counts.questions == 0 { 0.0 } else { part as f64 / counts.questions as f64 };
        OracleReport {
            name,
            version,
            questions: counts.questions,
            from_memory: share(counts.questions.saturating_sub(counts.reached)),
            requests: counts.requests,
            latency_ms: latency,
            retries: counts.retries,
            restarts: counts.restarts,
        }
    }
}

impl Counts {
    /// Milliseconds within which this share of the requests was answered.
    fn within(&self, share: f64) -> f64 {
        let wanted = (share * self.requests as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let step = self.times.iter().position(|&count| {
            seen += u64::from(count);
            seen >= wanted
        });
        STEP.powf(step.unwrap_or(STEPS) as f64 + 0.5) / 1e3
    }
}

impl fmt::Display for OracleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted =
            |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        write!(
            f,
            "{}, {:.0} % answered from memory, {}",
            counted(self.questions, "question", "questions"),
            100.0 * self.from_memory,
            counted(self.requests, "request", "requests")
        )?;
        if let Some(Latency { mean, median, p99 }) = self.latency_ms {
            write!(f, " of {mean:.2} ms (median {median:.2}, p99 {p99:.2})")?;
        }
        for (count, one, more) in [(self.retries, "retry", "retries"), (self.restarts, "restart", "restarts")]
        {
            if count > 0 {
                write!(f, ", {}", counted(count, one, more))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_says_what_was_counted() {
        let meter = Meter::new();
        meter.introduce("m", Some("1"));
        assert_eq!(meter.report().latency_ms, None);
        meter.asked(10, 4);
        (1..=100).for_each(|ms| meter.request(Duration::from_millis(ms)));
        meter.retry();
        meter.restart();
        let report = meter.report();
        assert_eq!((report.questions, report.requests, report.retries, report.restarts), (10, 100, 1, 1));
        assert!((report.from_memory - 0.6).abs() < 1e-9);
        let Latency { mean, median, p99 } = report.latency_ms.unwrap();
        assert!((mean - 50.5).abs() < 1e-6, "{mean}");
        assert!((median / 50.0 - 1.0).abs() < 0.02 && (p99 / 99.0 - 1.0).abs() < 0.02, "{median} {p99}");
        let said = report.to_string();
        assert!(
            said.starts_with("10 questions, 60 % answered from memory, 100 requests of 50.50 ms"),
            "{said}"
        );
    }
}
