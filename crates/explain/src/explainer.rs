//! Explaining a person's list.

use std::rc::Rc;

use grease_graph::{ItemId, Profile, Recommender, ScoreError};

use crate::case::{Case, Shared};
use crate::desk::Desk;
use crate::effects::Effects;
use crate::ledger::{AnswerId, Ledger};
use crate::methods::Method;
use crate::{Explanation, Goal, Scope, Task};

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
}

/// Explains lists of one recommender by one method.
///
/// Single-threaded inside: run many people in parallel.
pub struct Explainer<'a> {
    recommender: &'a dyn Recommender,
    method: Method,
}

impl<'a> Explainer<'a> {
    /// By this method.
    pub fn new(recommender: &'a dyn Recommender, method: Method) -> Self {
        Self { recommender, method }
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
        self.check(task, items, goals)?;
        let (desk, mut ledger) = Desk::open(self.recommender, task)?;
        let wanted = match items {
            Items::List => ledger.answer(desk.before).list.clone(),
            Items::These(items) => items.clone(),
        };
        if let Some(&never) = wanted.iter().find(|&&item| !ledger.is_candidate(item)) {
            return Err(ExplainError::NotACandidate(never));
        }
        ledger.watch(wanted.clone());
        let explanations = (wanted.len() * goals.len()).max(1);
        let shared = self.share(&desk, &mut ledger, goals, wanted.len())?;
        let basics = (1.0 + shared.basics as f32) / explanations as f32;
        let mut found = Vec::with_capacity(explanations);
        for (watched, &item) in wanted.iter().enumerate() {
            for (&goal, singles) in goals.iter().zip(&shared.singles) {
                let case = Case {
                    desk: &desk,
                    goal,
                    item,
                    watched,
                    method: self.method,
                    shared: singles.as_ref(),
                    neutral: shared.neutral,
                    basics,
                };
                case.explain(&mut ledger, &mut found)?;
            }
        }
        Ok(found)
    }

    fn check(&self, task: &Task, items: &Items, goals: &[Goal]) -> Result<(), ExplainError> {
        if task.k == 0 {
            return Err(ExplainError::NoPlaces);
        }
        if task.scope == Scope::Hops && goals.contains(&Goal::Factual) {
            return Err(ExplainError::FactualHops);
        }
        if let Items::These(items) = items {
            let most = self.recommender.graph().items();
            if let Some(unknown) = items.iter().find(|item| item.row() >= most) {
                return Err(ExplainError::UnknownItem { row: unknown.0, items: most });
            }
        }
        Ok(())
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
        let neutral = ledger.ask(Profile::Neutral, &[whole])?[0];
        let basics = ledger.asked() - before;
        let mut bases = vec![desk.before, neutral];
        if !desk.singles_fit() {
            desk.choose_contenders(ledger, &bases, &[]);
        }
        let mut answers: Vec<Option<(Vec<AnswerId>, usize)>> = Vec::new();
        for &goal in goals {
            let same_for_all =
                self.method.asks_singles() && (goal != Goal::Factual || desk.task.scope == Scope::Own);
            if !same_for_all {
                answers.push(None);
                continue;
            }
            let before = ledger.asked();
            let rules = desk.rules(goal, ItemId(0));
            let singles = desk.ask_singles(ledger, &rules)?;
            bases.push(singles[0]);
            answers.push(Some((singles, ledger.asked() - before)));
        }
        if desk.singles_fit() {
            let others: Vec<AnswerId> = answers.iter().flatten().flat_map(|(s, _)| s[1..].to_vec()).collect();
            bases.dedup();
            desk.choose_contenders(ledger, &bases, &others);
        }
        let singles = answers
            .into_iter()
            .map(|answers| {
                answers.map(|(answers, asked)| {
                    let singles: Vec<_> =
                        desk.citable.iter().copied().zip(answers[1..].iter().copied()).collect();
                    let effects = Effects::new(ledger, desk.task.k, answers[0], &singles);
                    Shared { effects: Rc::new(effects), share: asked as f32 / items.max(1) as f32 }
                })
            })
            .collect();
        Ok(SharedAnswers { neutral, basics, singles })
    }
}

/// What the whole list shares.
struct SharedAnswers {
    /// The unedited graph, profile neutral.
    neutral: AnswerId,
    /// Questions it took beside the singles.
    basics: usize,
    /// One for each goal.
    singles: Vec<Option<Shared>>,
}
