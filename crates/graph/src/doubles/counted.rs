//! A recommender that counts what it is asked and the time the answers take.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{Edit, Profile, Recommender, ScoreError, UserId};

/// Passes everything on to another.
#[derive(Debug)]
pub struct Counted<R> {
    inner: R,
    so_far: Mutex<Count>,
}

/// What was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub edits: usize,
    /// The time that took.
    pub took: Duration,
}

impl<R> Counted<R> {
    /// Nothing asked yet.
    pub fn new(inner: R) -> Self {
        Self { inner, so_far: Mutex::default() }
    }

    /// What was asked since the last time somebody wanted to know.
    pub fn take(&self) -> Count {
        std::mem::take(&mut self.so_far.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<R: Recommender> Recommender for Counted<R> {
    crate::as_it_is!(self => self.inner);

    fn is_given_up(&self) -> bool {
        self.inner.is_given_up()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        let started = Instant::now();
        let scored = self.inner.score(user, profile, edits, out);
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.edits += edits.len();
        so_far.took += started.elapsed();
        scored
    }
}
