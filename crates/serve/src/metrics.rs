//! What was answered, for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;

/// Counts while requests are answered.
#[derive(Default)]
pub(crate) struct Metrics {
    answers: Mutex<BTreeMap<u16, u64>>,
    micros: AtomicU64,
}

impl Metrics {
    pub(crate) fn count(&self, status: StatusCode, took: Duration) {
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner).entry(status.as_u16()).or_default() += 1;
        self.micros.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
    }

    /// In the text form Prometheus reads.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(
            "# HELP grease_requests_total Requests answered, by status.\n# TYPE grease_requests_total counter\n",
        );
        for (status, count) in self.answers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(text, "grease_requests_total{{status=\"{status}\"}} {count}");
        }
        let seconds = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = write!(
            text,
            "# HELP grease_request_seconds_total Time spent answering.\n# TYPE grease_request_seconds_total counter\n\
             grease_request_seconds_total {seconds}\n"
        );
        text
    }
}
