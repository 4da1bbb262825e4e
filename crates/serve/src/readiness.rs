//! Whether requests should be sent here.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::ApiError;

/// Whether requests should be sent here.
pub(crate) struct Readiness(AtomicU8);

const STARTING: u8 = 0;
const READY: u8 = 1;
const FAILING: u8 = 2;
const STOPPING: u8 = 3;

impl Readiness {
    /// Nothing was computed yet.
    pub(crate) fn starting() -> Self {
        Self(AtomicU8::new(STARTING))
    }

    /// No more requests are wanted; nothing changes that.
    pub(crate) fn stop(&self) {
        self.0.store(STOPPING, Ordering::SeqCst);
    }

    /// What the recommender did last: it answered, or it did not.
    pub(crate) fn learn(&self, answered: bool) {
        let now = if answered { READY } else { FAILING };
        let unless_stopping = |before| (before != STOPPING).then_some(now);
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, unless_stopping);
    }

    /// Whether requests should be sent here.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        match self.0.load(Ordering::SeqCst) {
            READY => Ok(()),
            FAILING => Err(ApiError::Recommender),
            STOPPING => Err(ApiError::Stopping),
            _ => Err(ApiError::Starting),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_when_the_recommender_answers_and_until_it_stops() {
        let readiness = Readiness::starting();
        assert_eq!(readiness.check(), Err(ApiError::Starting));
        readiness.learn(true);
        assert_eq!(readiness.check(), Ok(()));
        readiness.learn(false);
        assert_eq!(readiness.check(), Err(ApiError::Recommender));
        readiness.learn(true);
        readiness.stop();
        readiness.learn(true);
        assert_eq!(readiness.check(), Err(ApiError::Stopping));
    }
}
