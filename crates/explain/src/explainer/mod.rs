//! Explaining a person's list.

mod error;
mod estimated;
mod importance;
mod instead;
mod joint;
mod of_list;
mod orders;
mod pair;
mod proving;
mod published;
mod reasons;
mod rounds;
mod shared;
mod surrogates;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock};

use grease_graph::{Access, ItemId, Profile, Recommender, ScoreError};

pub use self::error::ExplainError;
pub use self::importance::Importance;
pub use self::orders::Ordered;

use self::pair::{List, Pair};
use self::shared::SharedAnswers;
use self::surrogates::Fit;
use crate::ask::{Ledger, Person};
use crate::explanation::Explanation;
use crate::methods::{Given, GivenMethod, Learned, Method, UnknownMethod};
use crate::surrogate::{Inputs, Neighbourhood, Scales, Surrogate};
use crate::task::{Goal, ProfileChoice, Rigour, Scope, Task};

/// Which items to explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Items {
    /// The whole list.
    List,
    /// These.
    These(Vec<ItemId>),
}

/// Explains lists of one recommender by one method. Made once and used for many people: what it learns about the
/// recommender as a whole is kept.
///
/// Single-threaded inside: run many people in parallel.
pub struct Explainer {
    recommender: Arc<dyn Recommender>,
    method: Method,
    /// Its code, where it was given from outside.
    given: Option<Arc<dyn GivenMethod>>,
    /// By features.
    scales: [OnceLock<Scales>; 3],
    global: OnceLock<Surrogate>,
    /// What methods learned of the recommender.
    learned: Learned,
    /// The last surrogates of method `paper`.
    as_published: Mutex<VecDeque<(Fit, Surrogate)>>,
}

/// What is handed what was found, item by item; nothing more is searched once it breaks.
type Take<'t> = dyn FnMut(Vec<Explanation>) -> ControlFlow<()> + 't;

impl Explainer {
    /// By this method.
    pub fn new(recommender: Arc<dyn Recommender>, method: Method) -> Self {
        Self {
            recommender,
            method,
            given: None,
            scales: Default::default(),
            global: OnceLock::new(),
            learned: Learned::default(),
            as_published: Mutex::default(),
        }
    }

    /// By a method from outside.
    pub fn by(recommender: Arc<dyn Recommender>, given: Arc<dyn GivenMethod>) -> Self {
        let method = Method::Given(given.name());
        Self { given: Some(given), ..Self::new(recommender, method) }
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

    /// The same, told item by item as they are found; nothing more is searched once `take` breaks.
    pub fn explain_each(
        &self,
        task: &Task,
        items: &Items,
        goals: &[Goal],
        take: &mut Take<'_>,
    ) -> Result<(), ExplainError> {
        self.check(task, items, goals)?;
        let task = &self.as_able(task);
        let (mut person, mut ledger) = Person::ask_list(&*self.recommender, task)?;
        ledger.watch(wanted(items, &person, &ledger)?)?;
        if self.method != Method::Exact {
            person.keep_what_can_be_asked(ledger.watched(), ledger.questions(task.queries));
        }
        if self.fits_each_pair(task) {
            return Ok(self.search_pairs(&person, &mut ledger, goals, take)?);
        }
        let imitates = self.imitates(&person, &ledger, goals)?;
        match self.neighbourhood(&person, &ledger, imitates) {
            Some(near) if self.is_frozen() => self.guess_list(&person, &mut ledger, &near, goals, take)?,
            near => self.search_list(&person, &mut ledger, (near.as_ref(), imitates), goals, take)?,
        }
        Ok(())
    }

    /// Explains item by item, with what all of them share.
    fn search_list<'a>(
        &self,
        person: &Person<'a>,
        ledger: &mut Ledger<'a>,
        near: (Option<&Neighbourhood>, bool),
        goals: &[Goal],
        take: &mut Take<'_>,
    ) -> Result<(), ExplainError> {
        self.with_list(person, ledger, near, goals, |list, shared, ledger| {
            let shared_by_all = ledger.len();
            for (watched, item) in ledger.watched().to_vec().into_iter().enumerate() {
                let found = list.explain_item(ledger, shared, goals, (item, watched), shared_by_all);
                if let Some(broken) = list.given.as_ref().and_then(Given::broken) {
                    return Err(broken.clone().into());
                }
                if take(found?).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Asks what the whole list can share, and fits a surrogate where one is needed; then goes on with that.
    fn with_list<'a, T>(
        &self,
        person: &Person<'a>,
        ledger: &mut Ledger<'a>,
        (near, imitates): (Option<&Neighbourhood>, bool),
        goals: &[Goal],
        go_on: impl FnOnce(&List<'_, 'a>, &SharedAnswers, &mut Ledger<'a>) -> Result<T, ExplainError>,
    ) -> Result<T, ExplainError> {
        let mut estimates = match self.method == Method::Grease && person.task.scope == Scope::Own {
            true => ledger.of_estimates(&person.base())?,
            false => None,
        };
        let shared = match &mut estimates {
            Some(estimates) => SharedAnswers::estimate(person, ledger, estimates, goals)?,
            None => SharedAnswers::ask(self.asks_singles(), person, ledger, goals)?,
        };
        let asked = ledger.asked();
        let inputs = self.inputs(near, person.task, imitates);
        let surrogate =
            inputs.as_ref().map(|inputs| self.surrogate(inputs, person, ledger, &shared)).transpose()?;
        let explanations = (ledger.watched().len() * goals.len()).max(1);
        let list = List {
            person,
            method: self.method,
            given: self.given.as_deref().map(Given::new),
            neutral: shared.neutral,
            basics: (1 + shared.basics + ledger.asked() - asked) as f32 / explanations as f32,
            neighbourhood: near,
            surrogate: surrogate.as_ref(),
            visits: OnceCell::new(),
            learned: &self.learned,
            to_prove: Cell::new(person.task.prove),
            is_close: ledger.is_close(),
            estimates: estimates.map(RefCell::new),
        };
        go_on(&list, &shared, ledger)
    }

    /// Explanations nobody checked, of a recommender that cannot be asked: one surrogate guesses them all at once.
    fn guess_list<'a>(
        &self,
        person: &Person<'a>,
        ledger: &mut Ledger<'a>,
        near: &Neighbourhood,
        goals: &[Goal],
        take: &mut Take<'_>,
    ) -> Result<(), ScoreError> {
        person.choose_contenders(ledger, &[person.before], &[]);
        let inputs = Inputs::new(near, self.shown(person.task), Profile::Kept);
        let surrogate = self.untaught(&inputs, person, ledger)?;
        let list = List {
            person,
            method: self.method,
            given: None,
            neutral: None,
            basics: 1.0 / (ledger.watched().len() * goals.len()).max(1) as f32,
            neighbourhood: Some(near),
            surrogate: Some(&surrogate),
            visits: OnceCell::new(),
            learned: &self.learned,
            to_prove: Cell::new(person.task.prove),
            is_close: ledger.is_close(),
            estimates: None,
        };
        let watched = ledger.watched().iter().enumerate();
        let pairs = watched.flat_map(|(watched, &item)| goals.iter().map(move |&goal| (watched, item, goal)));
        let guesses = pairs.map(|(watched, item, goal)| {
            Pair {
                list: &list,
                goal,
                item,
                watched,
                shared: None,
                parts: None,
                is_hasty: false,
                is_strict: false,
            }
            .guess(ledger, &surrogate)
        });
        // There is no more to search.
        let _ = take(guesses.collect());
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

    /// Whether it is worth knowing what each interaction does by itself.
    pub(super) fn asks_singles(&self) -> bool {
        self.given.as_ref().map_or(self.method.asks_singles(), |given| given.asks_singles())
    }

    /// Refuses a method from outside where its code is not, or where nobody could check what it proposes.
    fn check_given(&self) -> Result<(), ExplainError> {
        match (self.method, &self.given) {
            (method @ Method::Given(_), None) => Err(UnknownMethod::from(method).into()),
            (Method::Given(name), Some(_)) if self.is_frozen() => Err(ExplainError::GivenOfFrozen(name)),
            _ => Ok(()),
        }
    }

    /// Refuses a method what it cannot do. Of a recommender that can be asked nothing all are imitated.
    fn check_method(&self, task: &Task) -> Result<(), ExplainError> {
        let method = self.method;
        if self.is_frozen() {
            return Ok(());
        }
        if task.scope != Scope::Own && method.knows_histories_alone() {
            return Err(ExplainError::BeyondHistories(method));
        }
        match method.lacks(&*self.recommender)? {
            Some(what) => Err(ExplainError::Lacking { method, what }),
            None => Ok(()),
        }
    }

    /// Refuses what cannot be both at once.
    fn check_joint(&self, task: &Task) -> Result<(), ExplainError> {
        if self.is_frozen() {
            return Err(ExplainError::JointOfFrozen);
        }
        if task.scope != Scope::Own {
            return Err(ExplainError::JointBeyondOwn);
        }
        if task.profile != ProfileChoice::Auto {
            return Err(ExplainError::JointProfile);
        }
        if self.method == Method::Paper {
            return Err(ExplainError::JointByPaper);
        }
        match self.recommender.abilities().neutral {
            true => Ok(()),
            false => Err(ScoreError::NoNeutral.into()),
        }
    }

    /// Refuses what can be asked of nobody, whoever it is; [`Self::explain`] does so itself.
    pub fn check(&self, task: &Task, items: &Items, goals: &[Goal]) -> Result<(), ExplainError> {
        if task.k == 0 {
            return Err(ExplainError::NoPlaces);
        }
        if task.firm == 0 {
            return Err(ExplainError::NotFirm);
        }
        if task.firm > task.k && goals.iter().any(|&goal| goal != Goal::Counterfactual) {
            return Err(ExplainError::TooFirm { firm: task.firm, k: task.k });
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
        if goals.contains(&Goal::Joint) {
            self.check_joint(task)?;
        }
        self.check_given()?;
        self.check_abilities(task)?;
        self.check_method(task)?;
        if self.method == Method::Paper && goals.contains(&Goal::WhyNot) {
            return Err(ExplainError::WhyNotByPaper);
        }
        if self.method == Method::Paper {
            task.paper.check()?;
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
}

/// The items to explain, each once: all of them may be listed.
fn wanted(items: &Items, person: &Person<'_>, ledger: &Ledger<'_>) -> Result<Vec<ItemId>, ExplainError> {
    let wanted: Vec<ItemId> = match items {
        Items::List => ledger.answer(person.before).list.clone(),
        Items::These(items) => {
            let mut seen = BTreeSet::new();
            items.iter().copied().filter(|&item| seen.insert(item)).collect()
        }
    };
    match wanted.iter().find(|&&item| !ledger.is_candidate(item)) {
        Some(&never) => Err(ExplainError::NotACandidate(never)),
        None => Ok(wanted),
    }
}
