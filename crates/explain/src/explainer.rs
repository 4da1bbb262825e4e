//! Explaining a person's list.

use std::cell::OnceCell;
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use grease_graph::{Access, ItemId, Profile, Recommender, ScoreError};

use crate::case::{Case, Common, Shared};
use crate::desk::Desk;
use crate::effects::Effects;
use crate::ledger::{AnswerId, Ledger};
use crate::methods::Method;
use crate::stand_in::StandIn;
use crate::surrogate::{FeatureChoice, FitOptions, Ground, Lessons, Scales, Shown, Surrogate};
use crate::{Explanation, Goal, Neighbourhood, ProfileChoice, Rigour, Scope, Task, Who};

/// Which items to explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Items {
    /// The whole list.
    List,
    /// These.
    These(Vec<ItemId>),
}

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExplainError {
    /// The recommender refused or failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Lists have places.
    #[error("k is 0, but a list has at least one place")]
    NoPlaces,
    /// There is no such item.
    #[error("item row {row} does not exist; there are {items} items")]
    UnknownItem {
        /// The row asked for.
        row: u32,
        /// Items there are.
        items: usize,
    },
    /// The item is never on the list.
    #[error("item row {} is in the person's history or excluded, so it is never recommended and there is nothing to explain", .0.0)]
    NotACandidate(ItemId),
    /// Factual explanations begin by taking away what can be put back.
    #[error("a factual explanation is not defined for scope hops; use scope target")]
    FactualHops,
    /// Too many edges to search through.
    #[error(
        "method exact searches the scopes own and target only: hops has too many interactions to ask about"
    )]
    ExactHops,
    /// What a person could do is their own.
    #[error("why-not explanations cite the person's own interactions; use scope own")]
    WhyNotBeyondOwn,
    /// It has no order to follow.
    #[error(
        "method {0} has no order of its own to follow: only random, personalrank, cosine and leave-one-out can be run in order"
    )]
    NoOrder(Method),
    /// The paper does not ask it.
    #[error("method paper has no why-not explanations; use method grease")]
    WhyNotByPaper,
}

/// Explains lists of one recommender by one method. Made once and used for many people: what it learns about the
/// recommender as a whole is kept.
///
/// Single-threaded inside: run many people in parallel.
pub struct Explainer {
    recommender: Arc<dyn Recommender>,
    method: Method,
    scales: OnceLock<Scales>,
    global: OnceLock<Surrogate>,
    /// The last surrogates of method `paper`: both goals and all scopes of a list need the same one.
    as_published: Mutex<VecDeque<(Fit, Surrogate)>>,
}

/// The seed of what all tasks share: it must not depend on who comes first.
const GLOBAL_SEED: u64 = 1;

/// Interactions from which on method `paper` fits a surrogate as wide as the paper does for Yelp.
const MANY: usize = 500_000;

/// Surrogates of method `paper` that are kept: one a thread is enough for as many threads.
const KEPT: usize = 64;

/// What a surrogate of method `paper` depends on, beside the recommender.
#[derive(Debug, PartialEq)]
struct Fit {
    who: Who,
    wanted: Vec<ItemId>,
    hops: usize,
    profile: Profile,
    seed: u64,
}

impl Explainer {
    /// By this method.
    pub fn new(recommender: Arc<dyn Recommender>, method: Method) -> Self {
        Self {
            recommender,
            method,
            scales: OnceLock::new(),
            global: OnceLock::new(),
            as_published: Mutex::default(),
        }
    }

    /// Explanations of one person's items: for each item every goal, in this order; after each its alternatives.
    ///
    /// What several items need to know is asked once.
    pub fn explain(
        &self,
        task: &Task,
        items: &Items,
        goals: &[Goal],
    ) -> Result<Vec<Explanation>, ExplainError> {
        let mut all = Vec::new();
        self.explain_each(task, items, goals, &mut |found| {
            all.extend(found);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// The same, told item by item as they are found; nothing more is searched once `tell` breaks.
    pub fn explain_each(
        &self,
        task: &Task,
        items: &Items,
        goals: &[Goal],
        tell: &mut dyn FnMut(Vec<Explanation>) -> ControlFlow<()>,
    ) -> Result<(), ExplainError> {
        self.check(task, items, goals)?;
        let task = &self.as_able(task);
        let (mut desk, mut ledger) = Desk::open(&*self.recommender, task)?;
        let wanted: Vec<ItemId> = match items {
            Items::List => ledger.answer(desk.before).list.clone(),
            Items::These(items) => {
                let mut seen = BTreeSet::new();
                items.iter().copied().filter(|&item| seen.insert(item)).collect()
            }
        };
        if let Some(&never) = wanted.iter().find(|&&item| !ledger.is_candidate(item)) {
            return Err(ExplainError::NotACandidate(never));
        }
        ledger.watch(wanted.clone());
        if self.method != Method::Exact {
            desk.keep_what_can_be_asked(&wanted);
        }
        let near = (self.method.wants_surrogate(task.scope) || task.scope == Scope::Hops || self.is_frozen())
            .then(|| self.neighbourhood(&desk, &wanted));
        if self.is_frozen() {
            let near = near.as_ref().expect("a frozen recommender is always imitated");
            // One surrogate guesses them all at once.
            let _ = tell(self.guess(&desk, &mut ledger, near, goals));
            return Ok(());
        }
        let shared = self.share(&desk, &mut ledger, goals, wanted.len())?;
        let asked = ledger.asked();
        let ground = near.as_ref().filter(|_| self.method.wants_surrogate(task.scope)).map(|near| {
            Ground::new(near, self.shown(), task.profile.resolve(Goal::Counterfactual, task.scope))
        });
        let stand_in = match &ground {
            Some(ground) if self.method == Method::Paper => {
                let rules = desk.rules(Goal::Counterfactual, ItemId(0));
                let surrogate = self.as_published(ground, task, &wanted);
                Some(StandIn::examined(ground, surrogate, &desk, &mut ledger, &rules)?)
            }
            Some(ground) => {
                let rules = desk.rules(Goal::Counterfactual, ItemId(0));
                let own = shared.of(Goal::Counterfactual).expect("wide searches know the own interactions");
                Some(StandIn::taught(ground, &desk, &mut ledger, &rules, &own.effects, self.global())?)
            }
            None => None,
        };
        let explanations = (wanted.len() * goals.len()).max(1);
        let common = Common {
            desk: &desk,
            method: self.method,
            neutral: shared.neutral,
            basics: (1 + shared.basics + ledger.asked() - asked) as f32 / explanations as f32,
            neighbourhood: near.as_ref(),
            stand_in: stand_in.as_ref(),
            visits: OnceCell::new(),
        };
        for (watched, &item) in wanted.iter().enumerate() {
            let mut found = Vec::with_capacity(goals.len());
            for &goal in goals {
                let case = Case { common: &common, goal, item, watched, shared: shared.of(goal) };
                case.explain(&mut ledger, &mut found)?;
            }
            if tell(found).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The task as this recommender can be asked it: where nobody said which profile and none can be set aside, it is kept.
    fn as_able(&self, task: &Task) -> Task {
        let mut task = task.clone();
        if task.profile == ProfileChoice::Auto && !self.recommender.abilities().neutral {
            task.profile = ProfileChoice::Kept;
        }
        task
    }

    /// Refuses what this recommender says it cannot be asked. One that is frozen can be asked nothing, and is imitated instead.
    fn check_abilities(&self, task: &Task) -> Result<(), ScoreError> {
        if self.is_frozen() {
            return Ok(());
        }
        let abilities = self.recommender.abilities();
        if task.profile == ProfileChoice::Neutral && !abilities.neutral {
            return Err(ScoreError::NoNeutral);
        }
        if task.scope != Scope::Own && !abilities.others {
            return Err(ScoreError::NoOthers);
        }
        Ok(())
    }

    /// Refuses what can be asked of nobody, whoever it is; [`Self::explain`] does so itself.
    pub fn check(&self, task: &Task, items: &Items, goals: &[Goal]) -> Result<(), ExplainError> {
        if task.k == 0 {
            return Err(ExplainError::NoPlaces);
        }
        if task.scope == Scope::Hops && goals.contains(&Goal::Factual) {
            return Err(ExplainError::FactualHops);
        }
        if task.scope == Scope::Hops && self.method == Method::Exact {
            return Err(ExplainError::ExactHops);
        }
        if task.rigour == Rigour::InOrder && !self.method.has_an_order() {
            return Err(ExplainError::NoOrder(self.method));
        }
        if task.scope != Scope::Own && goals.contains(&Goal::WhyNot) {
            return Err(ExplainError::WhyNotBeyondOwn);
        }
        self.check_abilities(task)?;
        if self.method == Method::Paper && goals.contains(&Goal::WhyNot) {
            return Err(ExplainError::WhyNotByPaper);
        }
        if let Items::These(items) = items {
            let most = self.recommender.graph().items();
            if let Some(unknown) = items.iter().find(|item| item.row() >= most) {
                return Err(ExplainError::UnknownItem { row: unknown.0, items: most });
            }
        }
        Ok(())
    }

    /// How it searches.
    pub fn method(&self) -> Method {
        self.method
    }

    fn is_frozen(&self) -> bool {
        self.recommender.access() == Access::Frozen
    }

    /// What the recommender shows of itself.
    pub(crate) fn shown(&self) -> Shown<'_> {
        let choice = if self.method == Method::Paper { FeatureChoice::Output } else { FeatureChoice::Best };
        let recommender = &*self.recommender;
        let scales = || Shown::new(recommender, choice, GLOBAL_SEED).scales();
        Shown::scaled(recommender, choice, *self.scales.get_or_init(scales), GLOBAL_SEED)
    }

    /// A surrogate of the recommender as a whole, to start from; none where it shows nothing to imitate.
    pub(crate) fn global(&self) -> Option<&Surrogate> {
        self.recommender.embeddings()?;
        Some(self.global.get_or_init(|| {
            let sample = Neighbourhood::sampled(self.recommender.graph(), Neighbourhood::LIMIT, GLOBAL_SEED);
            let ground = Ground::new(&sample, self.shown(), Profile::Kept);
            Surrogate::fit(&ground, Lessons::default(), &FitOptions::default(), None)
        }))
    }

    /// The surrogate of method `paper`: of the unedited graph alone.
    fn as_published(&self, ground: &Ground<'_>, task: &Task, wanted: &[ItemId]) -> Surrogate {
        let fit = Fit {
            who: task.who.clone(),
            wanted: wanted.to_vec(),
            hops: task.hops,
            profile: task.profile.resolve(Goal::Counterfactual, task.scope),
            seed: task.seed,
        };
        let kept = || self.as_published.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kept().iter().find(|(known, _)| *known == fit) {
            return known.clone();
        }
        let hidden = if self.recommender.graph().len() < MANY { 32 } else { 64 };
        let options = FitOptions::paper(hidden, task.seed);
        let surrogate = Surrogate::fit(ground, Lessons::default(), &options, None);
        let mut kept = kept();
        kept.push_front((fit, surrogate.clone()));
        kept.truncate(KEPT);
        surrogate
    }

    fn neighbourhood(&self, desk: &Desk<'_>, wanted: &[ItemId]) -> Neighbourhood {
        let own: Vec<u32> = desk.own.iter().map(|edge| edge.item.0).collect();
        Neighbourhood::around(desk.graph(), desk.user, &own, wanted, desk.task.hops, Neighbourhood::LIMIT)
    }

    /// Asks what the whole list can share.
    fn share(
        &self,
        desk: &Desk<'_>,
        ledger: &mut Ledger<'_>,
        goals: &[Goal],
        items: usize,
    ) -> Result<SharedAnswers, ScoreError> {
        let before = ledger.asked();
        let whole = desk.task.who.edit(desk.graph(), &[], &[]);
        let neutral = match self.recommender.abilities().neutral {
            true => Some(ledger.ask(Profile::Neutral, &[whole])?[0]),
            false => None,
        };
        let mut basics = ledger.asked() - before;
        let mut bases = vec![desk.before];
        bases.extend(neutral);
        if !desk.singles_fit() {
            desk.choose_contenders(ledger, &bases, &[]);
        }
        let mut answers: Vec<(Goal, Vec<AnswerId>, usize)> = Vec::new();
        for goal in self.goals_with_singles(desk.task.scope, goals) {
            let before = ledger.asked();
            let rules = desk.rules(goal, ItemId(0));
            let singles = desk.ask_singles(ledger, &rules)?;
            bases.push(singles[0]);
            let asked = ledger.asked() - before;
            // What no explanation is about was asked for all of them.
            basics += if goals.contains(&goal) { 0 } else { asked };
            answers.push((goal, singles, asked));
        }
        if desk.singles_fit() {
            let others: Vec<AnswerId> = answers.iter().flat_map(|(_, s, _)| s[1..].to_vec()).collect();
            bases.dedup();
            desk.choose_contenders(ledger, &bases, &others);
        }
        let singles = answers
            .into_iter()
            .map(|(goal, answers, asked)| {
                let singles: Vec<_> =
                    desk.citable.iter().copied().zip(answers[1..].iter().copied()).collect();
                let effects = Effects::new(ledger, desk.task.k, answers[0], &singles);
                (goal, Shared { effects: Rc::new(effects), share: asked as f32 / items.max(1) as f32 })
            })
            .collect();
        Ok(SharedAnswers { neutral, basics, singles })
    }

    /// For which goals it is worth knowing what each own interaction does. Where a factual search evicts the item too, that
    /// differs from item to item; a surrogate is taught by what taking interactions away does.
    fn goals_with_singles(&self, scope: Scope, goals: &[Goal]) -> Vec<Goal> {
        if !self.method.asks_singles() {
            return Vec::new();
        }
        match scope {
            Scope::Own => goals.to_vec(),
            Scope::Target | Scope::Hops => vec![Goal::Counterfactual],
        }
    }
}

/// What the whole list shares.
struct SharedAnswers {
    /// The unedited graph, profile neutral, where that can be asked.
    neutral: Option<AnswerId>,
    /// Questions it took beside the singles.
    basics: usize,
    singles: Vec<(Goal, Shared)>,
}

impl SharedAnswers {
    fn of(&self, goal: Goal) -> Option<&Shared> {
        self.singles.iter().find(|(g, _)| *g == goal).map(|(_, shared)| shared)
    }
}
