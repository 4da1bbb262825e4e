//! Whether a recommender answers.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::ApiError;

/// What a recommender did last.
pub(crate) struct Readiness(AtomicU8);

const STARTING: u8 = 0;
const READY: u8 = 1;
const FAILING: u8 = 2;

impl Readiness {
    /// Nothing was asked yet.
    pub(crate) fn starting() -> Self {
        Self(AtomicU8::new(STARTING))
    }

    /// It answered, or it did not.
    pub(crate) fn learn(&self, answered: bool) {
        self.0.store(if answered { READY } else { FAILING }, Ordering::SeqCst);
    }

    /// Whether it would answer now, as far as is known.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        match self.0.load(Ordering::SeqCst) {
            READY => Ok(()),
            FAILING => Err(ApiError::Recommender),
            _ => Err(ApiError::Starting),
        }
    }
}
