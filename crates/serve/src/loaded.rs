//! The recommender that is served, with an explainer for every method.

use std::sync::Arc;

use grease::explain::{Explainer, Method};
use grease::graph::{Edit, Profile, Recommender, ScoreError, UserId};
use grease::models::folder::Dataset;
use grease::{Candidates, Subject, Who, recommend};

use crate::compute::is_abandoned;
use crate::readiness::Readiness;

/// A recommender that stops answering once nobody waits, and of which is known whether it answered last.
struct Served {
    inner: Arc<dyn Recommender>,
    readiness: Readiness,
}

/// What is served, and explainers of it: they keep what they learn about it.
pub(crate) struct Loaded {
    subject: Subject,
    served: Arc<Served>,
    explainers: Vec<Explainer>,
}

impl Loaded {
    /// Ready to be asked.
    pub(crate) fn with(subject: Subject) -> Self {
        let served = Arc::new(Served { inner: subject.shared(), readiness: Readiness::starting() });
        let explainers = Method::ALL.map(|method| Explainer::new(served.clone(), method)).into();
        Self { subject, served, explainers }
    }

    /// What is served.
    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Whether it answers.
    pub(crate) fn readiness(&self) -> &Readiness {
        &self.served.readiness
    }

    /// Whom and what it scores.
    pub(crate) fn data(&self) -> &Dataset {
        self.subject().data()
    }

    /// The recommender, which stops answering once nobody waits.
    pub(crate) fn recommender(&self) -> &dyn Recommender {
        &self.served
    }

    /// Asks for one list: the first question is the slowest.
    pub(crate) fn warm_up(&self) -> Result<(), ScoreError> {
        if self.recommender().graph().users() > 0 {
            recommend(self.recommender(), &Who::Known(UserId(0)), 1, &Candidates::default())?;
        }
        Ok(())
    }

    /// The explainer of a method.
    pub(crate) fn explainer(&self, method: Method) -> Option<&Explainer> {
        self.explainers.iter().find(|explainer| explainer.method() == method)
    }
}

impl Recommender for Served {
    grease::graph::as_it_is!(self => self.inner);

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
