//! The recommender that is served, with an explainer for every method.

use grease::explain::{Explainer, Method};
use grease::graph::{Edit, Profile, Recommender, ScoreError, UserId};
use grease::models::folder::Dataset;
use grease::{Candidates, Subject, Who, recommend};
use self_cell::self_cell;

use crate::compute::is_abandoned;
use crate::readiness::Readiness;

/// A recommender that stops answering once nobody waits, and of which is known whether it answered last.
pub(crate) struct Served {
    subject: Subject,
    readiness: Readiness,
}

type Explainers<'a> = Vec<Explainer<'a>>;

self_cell!(
    /// Explainers beside the recommender they borrow: they keep what they learn about it.
    pub(crate) struct Loaded {
        owner: Served,
        #[not_covariant]
        dependent: Explainers,
    }
);

impl Loaded {
    /// Ready to be asked.
    pub(crate) fn with(subject: Subject) -> Self {
        Self::new(Served { subject, readiness: Readiness::starting() }, |served| {
            Method::ALL.into_iter().map(|method| Explainer::new(served, method)).collect()
        })
    }

    /// What is served.
    pub(crate) fn subject(&self) -> &Subject {
        &self.borrow_owner().subject
    }

    /// Whether it answers.
    pub(crate) fn readiness(&self) -> &Readiness {
        &self.borrow_owner().readiness
    }

    /// Whom and what it scores.
    pub(crate) fn data(&self) -> &Dataset {
        self.subject().data()
    }

    /// The recommender, which stops answering once nobody waits.
    pub(crate) fn recommender(&self) -> &dyn Recommender {
        self.borrow_owner()
    }

    /// Asks for one list: the first question is the slowest.
    pub(crate) fn warm_up(&self) -> Result<(), ScoreError> {
        if self.recommender().graph().users() > 0 {
            recommend(self.recommender(), &Who::Known(UserId(0)), 1, &Candidates::default())?;
        }
        Ok(())
    }

    /// Does something with the explainer of a method.
    pub(crate) fn explaining<R>(&self, method: Method, work: impl FnOnce(&Explainer<'_>) -> R) -> Option<R> {
        self.with_dependent(|_, explainers| {
            explainers.iter().find(|explainer| explainer.method() == method).map(work)
        })
    }
}

impl Recommender for Served {
    grease::graph::as_it_is!(self => self.subject.recommender());

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
        let result = self.subject.recommender().score(user, profile, edits, out);
        match &result {
            Ok(()) => self.readiness.learn(true),
            Err(ScoreError::Failed(_) | ScoreError::Refused(_)) => self.readiness.learn(false),
            // What it cannot be asked says nothing about whether it answers.
            Err(_) => {}
        }
        result
    }
}
