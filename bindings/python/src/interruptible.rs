//! A recommender that gives up once somebody pressed Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grease::graph::{Edit, Profile, Recommender, ScoreError, UserId};

/// Passes everything on, until it is interrupted.
pub(crate) struct Interruptible {
    pub(crate) inner: Arc<dyn Recommender>,
    pub(crate) interrupted: Arc<AtomicBool>,
}

impl Recommender for Interruptible {
    grease::graph::as_it_is!(self => self.inner);

    fn is_given_up(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        if self.is_given_up() {
            return Err(ScoreError::Cancelled);
        }
        self.inner.score(user, profile, edits, out)
    }

    fn score_each(&self, users: &[UserId], out: &mut [f32]) -> Result<(), ScoreError> {
        if self.is_given_up() {
            return Err(ScoreError::Cancelled);
        }
        self.inner.score_each(users, out)
    }
}
