//! Surrogates: what is fitted once for a recommender, and once for a person's list.

use std::sync::PoisonError;

use grease_graph::{ItemId, Profile, Recommender, ScoreError, Who};

use super::Explainer;
use super::shared::SharedAnswers;
use crate::ask::{Ledger, Person};
use crate::methods::Method;
use crate::surrogate::{
    FeatureChoice, FitOptions, Inputs, Lessons, LocalSurrogate, Neighbourhood, Shown, Surrogate,
};
use crate::task::{Goal, Scope, Task};

/// The seed of what all tasks share: it must not depend on who comes first.
const GLOBAL_SEED: u64 = 1;

/// Interactions from which on method `paper` fits a surrogate as wide as the paper does for Yelp.
const MANY: usize = 500_000;

/// Surrogates of method `paper` that are kept: one a thread is enough for as many threads.
const KEPT: usize = 64;

/// What a surrogate of method `paper` depends on, beside the recommender.
#[derive(Debug, PartialEq)]
pub(super) struct Fit {
    who: Who,
    wanted: Vec<ItemId>,
    hops: usize,
    profile: Profile,
    seed: u64,
}

impl Explainer {
    /// What surrounds the person and the items, where a surrogate or the scope needs it.
    pub(super) fn neighbourhood(
        &self,
        person: &Person<'_>,
        ledger: &Ledger<'_>,
        goals: &[Goal],
    ) -> Option<Neighbourhood> {
        let (scope, wanted) = (person.task.scope, ledger.watched());
        let is_wanted = self.method.wants_surrogate(scope, goals, ledger.is_close());
        if !(is_wanted || scope == Scope::Hops || self.is_frozen()) {
            return None;
        }
        let own: Vec<u32> = person.own.iter().map(|edge| edge.item.0).collect();
        let (hops, limit) = (person.task.hops, Neighbourhood::LIMIT);
        Some(Neighbourhood::around(person.graph(), person.user, &own, wanted, hops, limit))
    }

    /// What a surrogate of this neighbourhood is given, for methods that need one.
    pub(super) fn inputs<'i>(
        &'i self,
        near: Option<&'i Neighbourhood>,
        person: &Person<'_>,
        ledger: &Ledger<'_>,
        goals: &[Goal],
    ) -> Option<Inputs<'i>> {
        let task = person.task;
        let near = near.filter(|_| self.method.wants_surrogate(task.scope, goals, ledger.is_close()))?;
        Some(Inputs::new(near, self.shown(), task.profile.resolve(Goal::Counterfactual, task.scope)))
    }

    /// The surrogate of a person's list, with a few questions to teach or to examine it.
    pub(super) fn surrogate<'i>(
        &self,
        inputs: &'i Inputs<'i>,
        person: &Person<'_>,
        ledger: &mut Ledger<'_>,
        shared: &SharedAnswers,
    ) -> Result<LocalSurrogate<'i>, ScoreError> {
        if self.method == Method::Paper {
            let surrogate = self.as_published(inputs, person.task, ledger.watched())?;
            return LocalSurrogate::as_published(inputs, surrogate, person, ledger);
        }
        let own = shared.of(Goal::Counterfactual).expect("wide searches know the own interactions");
        LocalSurrogate::taught(inputs, person, ledger, &own.effects.edges, self.global()?)
    }

    /// The surrogate of a recommender that cannot be asked: of what it shows, and of its one list.
    pub(super) fn untaught<'i>(
        &self,
        inputs: &'i Inputs<'i>,
        person: &Person<'_>,
        ledger: &Ledger<'_>,
    ) -> Result<LocalSurrogate<'i>, ScoreError> {
        let (start, seed) = (self.global()?, person.task.seed);
        let options = match start {
            Some(_) => FitOptions::local(seed),
            None => FitOptions { seed, ..FitOptions::default() },
        };
        let scores = ledger.contenders_with(person.before);
        LocalSurrogate::untaught(inputs, Lessons { answers: &[], scores: &scores }, &options, start)
    }

    /// What the recommender shows of itself.
    pub(super) fn shown(&self) -> Shown<'_> {
        let choice = if self.method == Method::Paper { FeatureChoice::Output } else { FeatureChoice::Best };
        let recommender = &*self.recommender;
        let scales = || Shown::new(recommender, choice, GLOBAL_SEED).scales();
        Shown::scaled(recommender, choice, *self.scales.get_or_init(scales), GLOBAL_SEED)
    }

    /// A surrogate of the recommender as a whole, to start from; none where it shows nothing to imitate.
    fn global(&self) -> Result<Option<&Surrogate>, ScoreError> {
        if self.recommender.embeddings().is_none() || self.global.get().is_some() {
            return Ok(self.global.get());
        }
        let sample = Neighbourhood::sampled(self.recommender.graph(), Neighbourhood::LIMIT, GLOBAL_SEED);
        let inputs = Inputs::new(&sample, self.shown(), Profile::Kept);
        let fitted = Surrogate::fit(&inputs, Lessons::default(), &FitOptions::default(), None)?;
        // Others that fit at the same time come to the same.
        Ok(Some(self.global.get_or_init(|| fitted)))
    }

    /// The surrogate of method `paper`: of the unedited graph alone.
    fn as_published(
        &self,
        inputs: &Inputs<'_>,
        task: &Task,
        wanted: &[ItemId],
    ) -> Result<Surrogate, ScoreError> {
        let fit = Fit {
            who: task.who.clone(),
            wanted: wanted.to_vec(),
            hops: task.hops,
            profile: task.profile.resolve(Goal::Counterfactual, task.scope),
            seed: task.seed,
        };
        let kept = || self.as_published.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kept().iter().find(|(known, _)| *known == fit) {
            return Ok(known.clone());
        }
        let hidden = if self.recommender.graph().len() < MANY { 32 } else { 64 };
        let options = FitOptions::paper(hidden, task.seed);
        let surrogate = Surrogate::fit(inputs, Lessons::default(), &options, None)?;
        let mut kept = kept();
        kept.push_front((fit, surrogate.clone()));
        kept.truncate(KEPT);
        Ok(surrogate)
    }
}
