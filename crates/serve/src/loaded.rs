//! The recommender that is served, with an explainer for every method.

use grease::explain::{Explainer, Method};
use grease::graph::{Edit, Profile, Recommender, ScoreError, UserId};
use grease::models::folder::Dataset;
use grease::{Candidates, Subject, Who, recommend};
use self_cell::self_cell;

use crate::compute::is_abandoned;

/// A recommender that stops answering once nobody waits.
pub(crate) struct Served(Subject);

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
        Self::new(Served(subject), |served| {
            Method::ALL.into_iter().map(|method| Explainer::new(served, method)).collect()
        })
    }

    /// What is served.
    pub(crate) fn subject(&self) -> &Subject {
        &self.borrow_owner().0
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
    grease::graph::as_it_is!(self => self.0.recommender());

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        if is_abandoned() {
            return Err(ScoreError::Failed("nobody waits for the answer any more".into()));
        }
        self.0.recommender().score(user, profile, edits, out)
    }
}
