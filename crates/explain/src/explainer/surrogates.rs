//! Surrogates: what is fitted once for a recommender, once for a person's list, or once for an item of it.

use std::cell::{Cell, OnceCell};
use std::sync::PoisonError;

use grease_graph::{ItemId, Profile, Recommender, ScoreError, Who};

use super::pair::List;
use super::shared::SharedAnswers;
use super::{Explainer, Take};
use crate::ask::{Ledger, Person};
use crate::methods::Method;
use crate::paper_options::{PaperFeatures, PaperFit, PaperOptions};
use crate::surrogate::{
    FeatureChoice, FitOptions, Inputs, Lessons, LocalSurrogate, Neighbourhood, Shown, Surrogate,
};
use crate::task::{Goal, Scope, Task};

/// The seed of what all tasks share: it must not depend on who comes first.
const GLOBAL_SEED: u64 = 1;

/// Interactions from which on method `paper` fits a surrogate as wide as the paper does for Yelp.
const MANY: usize = 500_000;

/// Surrogates of method `paper` that are kept: both goals and all scopes of an item need the same one, and some threads have
/// a list under way each.
const KEPT: usize = 512;

/// What a surrogate of method `paper` depends on, beside the recommender.
#[derive(Debug, PartialEq)]
pub(super) struct Fit {
    who: Who,
    wanted: Vec<ItemId>,
    hops: usize,
    profile: Profile,
    options: PaperOptions,
    seed: u64,
}

impl Explainer {
    /// What surrounds the person and the items, where a surrogate or the scope needs it.
    pub(super) fn neighbourhood(
        &self,
        person: &Person<'_>,
        ledger: &Ledger<'_>,
        imitates: bool,
    ) -> Option<Neighbourhood> {
        if !(imitates || person.task.scope == Scope::Hops || self.is_frozen()) {
            return None;
        }
        Some(around(person, ledger.watched()))
    }

    /// Whether the method goes by a surrogate here: because it is made so, or because it follows gradients that the recommender has not.
    pub(super) fn imitates(
        &self,
        person: &Person<'_>,
        ledger: &Ledger<'_>,
        goals: &[Goal],
    ) -> Result<bool, ScoreError> {
        if self.method.wants_surrogate(person.task.scope, goals, ledger.is_close()) {
            return Ok(true);
        }
        if !self.method.follows_gradients() || self.is_frozen() {
            return Ok(false);
        }
        let weighed = self.recommender.weighed(person.user, Profile::Kept, &person.base(), &[], &[])?;
        Ok(weighed.is_none())
    }

    /// Whether each item has a surrogate of its own.
    pub(super) fn fits_each_pair(&self, task: &Task) -> bool {
        self.method == Method::Paper && task.paper.fit == PaperFit::Pair && !self.is_frozen()
    }

    /// Explains item by item, each by a surrogate of the neighbourhood around the person and that item alone.
    pub(super) fn search_pairs<'a>(
        &self,
        person: &Person<'a>,
        ledger: &mut Ledger<'a>,
        goals: &[Goal],
        take: &mut Take<'_>,
    ) -> Result<(), ScoreError> {
        let task = person.task;
        let shared = SharedAnswers::ask(self.asks_singles(), person, ledger, goals)?;
        let watched = ledger.watched().to_vec();
        for (at, &item) in watched.iter().enumerate() {
            let near = around(person, &[item]);
            let inputs = Inputs::new(&near, self.shown(task), profile_of(task));
            let asked = ledger.asked();
            let fitted = self.as_published(&inputs, task, &[item])?;
            let surrogate = LocalSurrogate::as_published(&inputs, fitted, person, ledger)?;
            let examined = (ledger.asked() - asked) as f32;
            let list = List {
                person,
                method: self.method,
                given: None,
                neutral: shared.neutral,
                basics: ((1 + shared.basics) as f32 / watched.len() as f32 + examined) / goals.len() as f32,
                neighbourhood: Some(&near),
                surrogate: Some(&surrogate),
                visits: OnceCell::new(),
                learned: &self.learned,
                to_prove: Cell::new(0),
                is_close: ledger.is_close(),
                estimates: None,
            };
            let known = ledger.len();
            let found = list.explain_item(ledger, &shared, goals, (item, at), known)?;
            if take(found).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// What a surrogate of this neighbourhood is given, for methods that need one.
    pub(super) fn inputs<'i>(
        &'i self,
        near: Option<&'i Neighbourhood>,
        task: &Task,
        imitates: bool,
    ) -> Option<Inputs<'i>> {
        let near = near.filter(|_| imitates)?;
        Some(Inputs::new(near, self.shown(task), profile_of(task)))
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
        // Who did not ask about each of them does so here.
        let own = shared.of(Goal::Counterfactual).map_or(&person.citable, |own| &own.effects.edges);
        LocalSurrogate::taught(inputs, person, ledger, own, self.global()?)
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
    pub(super) fn shown(&self, task: &Task) -> Shown<'_> {
        match (self.method, task.paper.features) {
            (Method::Paper, PaperFeatures::Output) => self.shown_as(FeatureChoice::Output),
            (Method::Paper, PaperFeatures::Random) => self.shown_as(FeatureChoice::Random),
            _ => self.shown_as(FeatureChoice::Best),
        }
    }

    fn shown_as(&self, choice: FeatureChoice) -> Shown<'_> {
        let recommender = &*self.recommender;
        let scales = || Shown::new(recommender, choice, GLOBAL_SEED).scales();
        Shown::scaled(recommender, choice, *self.scales[choice as usize].get_or_init(scales), GLOBAL_SEED)
    }

    /// A surrogate of the recommender as a whole, to start from; none where it shows nothing to imitate.
    fn global(&self) -> Result<Option<&Surrogate>, ScoreError> {
        if self.recommender.embeddings().is_none() || self.global.get().is_some() {
            return Ok(self.global.get());
        }
        let sample = Neighbourhood::sampled(self.recommender.graph(), Neighbourhood::LIMIT, GLOBAL_SEED);
        let inputs = Inputs::new(&sample, self.shown_as(FeatureChoice::Best), Profile::Kept);
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
            profile: profile_of(task),
            options: task.paper,
            seed: task.seed,
        };
        let kept = || self.as_published.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kept().iter().find(|(known, _)| *known == fit) {
            return Ok(known.clone());
        }
        let usual = if self.recommender.graph().len() < MANY { 32 } else { 64 };
        let options = FitOptions::paper(&task.paper, task.paper.hidden.unwrap_or(usual), task.seed);
        let surrogate = Surrogate::fit(inputs, Lessons::default(), &options, None)?;
        let mut kept = kept();
        kept.push_front((fit, surrogate.clone()));
        kept.truncate(KEPT);
        Ok(surrogate)
    }
}

/// The neighbourhood around the person and these items.
fn around(person: &Person<'_>, items: &[ItemId]) -> Neighbourhood {
    let own: Vec<u32> = person.own.iter().map(|edge| edge.item.0).collect();
    Neighbourhood::around(person.graph(), person.user, &own, items, person.task.hops, Neighbourhood::LIMIT)
}

/// The profile a surrogate imitates.
fn profile_of(task: &Task) -> Profile {
    task.profile.resolve(Goal::Counterfactual, task.scope)
}
