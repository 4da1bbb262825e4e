//! One search: what may be asked, what is allowed, and how close it came.

use std::collections::BTreeSet;

use grease_graph::{Edge, ScoreError};

use super::effects::Effects;
use crate::ask::{AnswerId, Ledger, Rules};

/// Where to look.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proposal {
    /// Edges to cite, the most promising first.
    pub(crate) order: Vec<Edge>,
    /// What the edges do by themselves, where that was asked: the search then follows it instead of the order.
    pub(crate) guide: Option<Effects>,
}

/// A set of edges that does it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The edges.
    pub(crate) edges: Vec<Edge>,
    /// What the recommender said.
    pub(crate) answer: AnswerId,
    /// Whether every edge is needed; `None` where the budget did not allow to find out.
    pub(crate) minimal: Option<bool>,
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    /// With a set that does it.
    Found(Found),
    /// With every attempt falling short.
    Short,
    /// Before it could be said.
    OutOfBudget,
}

/// Why a search cannot go on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// No more questions are allowed.
    OutOfBudget,
    /// The recommender failed.
    Score(ScoreError),
}

impl From<ScoreError> for Stop {
    fn from(error: ScoreError) -> Self {
        Stop::Score(error)
    }
}

/// One search: what may be asked, and how close it came.
pub(crate) struct Search<'s, 'a> {
    /// Who is asked.
    pub(crate) ledger: &'s mut Ledger<'a>,
    /// The rules.
    pub(crate) rules: &'s Rules<'a>,
    /// The item, by its place among the watched.
    pub(crate) watched: usize,
    /// Questions still allowed.
    pub(crate) budget: usize,
    /// The answer that came closest, of sets within the cap.
    pub(crate) best: Option<AnswerId>,
    /// Size of the smallest set found so far.
    pub(crate) shortest: Option<usize>,
    /// What came of every set that was tried.
    pub(crate) tried: BTreeSet<AnswerId>,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Nothing tried yet.
    pub(crate) fn new(
        ledger: &'s mut Ledger<'a>,
        rules: &'s Rules<'a>,
        watched: usize,
        budget: usize,
    ) -> Self {
        Self { ledger, rules, watched, budget, best: None, shortest: None, tried: BTreeSet::new() }
    }

    /// What the recommender says with each of these sets cited.
    pub(crate) fn ask(&mut self, sets: &[Vec<Edge>]) -> Result<Vec<AnswerId>, Stop> {
        let edits: Vec<_> = sets.iter().map(|set| self.rules.edit(set)).collect();
        let questions = self.ledger.unknown(self.rules.profile, &edits);
        if questions > self.budget {
            return Err(Stop::OutOfBudget);
        }
        let before = self.ledger.asked();
        let answers = self.ledger.ask(self.rules.profile, &edits)?;
        self.budget -= self.ledger.asked() - before;
        for (set, &answer) in sets.iter().zip(&answers).filter(|(set, _)| !set.is_empty()) {
            self.tried.insert(answer);
            let is_allowed = set.len() <= self.rules.cap;
            if is_allowed && self.best.is_none_or(|best| self.gain(answer) > self.gain(best)) {
                self.best = Some(answer);
            }
        }
        Ok(answers)
    }

    /// Whether nothing short enough was found so far.
    pub(crate) fn is_open(&self) -> bool {
        self.shortest.is_none_or(|edges| edges > self.rules.cap)
    }

    /// Length of the list.
    pub(crate) fn k(&self) -> usize {
        self.ledger.k()
    }

    /// The item's place among the contenders.
    pub(crate) fn contender(&self) -> usize {
        let item = self.ledger.watched()[self.watched];
        self.ledger.contenders().binary_search(&item.0).expect("watched items contend")
    }

    /// How far beyond the edge of the list the item is, on the side where it is wanted.
    pub(crate) fn gain(&self, answer: AnswerId) -> f32 {
        self.rules.gain(self.ledger.answer(answer).standings[self.watched].margin)
    }

    /// Whether it does it.
    pub(crate) fn reached(&mut self, answer: AnswerId) -> Result<bool, ScoreError> {
        self.ledger.reached(self.rules, answer, self.watched)
    }

    /// The first of the answers with the greatest gain that does it.
    ///
    /// The most promising are looked at first: looking closer can only take from what is gained by getting in.
    pub(crate) fn best_reached(&mut self, answers: &[AnswerId]) -> Result<Option<usize>, ScoreError> {
        let mut order: Vec<usize> = (0..answers.len()).collect();
        order.sort_by(|&a, &b| self.gain(answers[b]).total_cmp(&self.gain(answers[a])).then(a.cmp(&b)));
        let mut best: Option<usize> = None;
        for at in order {
            let gain = self.gain(answers[at]);
            if best.is_some_and(|best| self.gain(answers[best]) >= gain) {
                break;
            }
            if self.reached(answers[at])? {
                let gain = self.gain(answers[at]);
                if best.is_none_or(|best| gain > self.gain(answers[best])) {
                    best = Some(at);
                }
            }
        }
        Ok(best)
    }
}

/// The set without each of its edges in turn.
pub(crate) fn each_left_out(edges: &[Edge]) -> Vec<Vec<Edge>> {
    (0..edges.len())
        .map(|out| edges.iter().enumerate().filter(|&(at, _)| at != out).map(|(_, &edge)| edge).collect())
        .collect()
}
