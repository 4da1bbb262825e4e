//! The recommender that is served.

use std::sync::Arc;

use grease::graph::{Edit, Profile, Recommender, ScoreError, UserId};
use grease::{Candidates, Refusal, Subject, Who};

use crate::compute::is_abandoned;
use crate::readiness::Readiness;

/// A recommender that stops answering once nobody waits, and of which is known whether it answered last.
struct Served {
    inner: Arc<dyn Recommender>,
    readiness: Arc<Readiness>,
}

/// What is served, and whether it answers.
pub(crate) struct Loaded {
    subject: Subject,
    readiness: Arc<Readiness>,
}

impl Loaded {
    /// Ready to be asked.
    pub(crate) fn with(subject: &Subject) -> Self {
        let readiness = Arc::new(Readiness::starting());
        let served = Served { inner: Arc::clone(subject.recommender()), readiness: Arc::clone(&readiness) };
        Self { subject: subject.asked_through(Arc::new(served)), readiness }
    }

    /// What is served; it stops answering once nobody waits.
    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Whether it answers.
    pub(crate) fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Asks for one list: the first question is the slowest.
    pub(crate) fn warm_up(&self) -> Result<(), Refusal> {
        if self.subject.recommender().graph().users() > 0 {
            self.subject.list_for(&Who::Known(UserId(0)), 1, &Candidates::default())?;
        }
        Ok(())
    }
}

impl Recommender for Served {
    grease::graph::as_it_is!(self => self.inner);

    fn is_given_up(&self) -> bool {
        is_abandoned()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        if is_abandoned() {
            return Err(ScoreError::Cancelled);
        }
        let result = self.inner.score(user, profile, edits, out);
        match &result {
            Ok(()) => self.readiness.learn(true),
            Err(ScoreError::Failed(_) | ScoreError::Refused(_)) => self.readiness.learn(false),
            // What it cannot be asked says nothing about whether it answers.
            Err(_) => {}
        }
        result
    }
}
