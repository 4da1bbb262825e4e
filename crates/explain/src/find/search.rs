//! One search: what may be asked, what is allowed, and how close it came.

use std::collections::BTreeSet;
use std::rc::Rc;

use grease_graph::{Edge, ScoreError, Sums};

use super::effects::Effects;
use crate::ask::{AnswerId, Ledger, Rules};

/// Where to look.
#[derive(Debug, Clone)]
pub(crate) enum Proposal {
    /// Edges to cite, the most promising first.
    Order(Vec<Edge>),
    /// What edges do by themselves: the search follows their sums.
    Effects(Effects),
    /// Any of these, size by size, by sums that are nearly exact.
    Sizes(Vec<Edge>),
}

impl Proposal {
    /// The order, where there is one to follow.
    pub(crate) fn order(&self) -> &[Edge] {
        match self {
            Proposal::Order(order) => order,
            Proposal::Effects(_) | Proposal::Sizes(_) => &[],
        }
    }

    /// What edges do by themselves, where that is followed.
    pub(super) fn guide(&self) -> Option<&Effects> {
        match self {
            Proposal::Effects(guide) => Some(guide),
            Proposal::Order(_) | Proposal::Sizes(_) => None,
        }
    }
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

    /// Whether a set does it, without keeping what was said: where a close look is possible, for whoever tries thousands. A `proof`
    /// needs to know that it does not as surely as that it does.
    pub(super) fn try_out(&mut self, edges: &[Edge], proof: bool) -> Result<bool, ScoreError> {
        self.ledger.try_out(self.rules, self.rules.edit(edges), self.watched, proof)
    }

    /// Whether that is known here at all.
    pub(crate) fn has_sums(&self) -> bool {
        self.ledger.has_sums(self.rules)
    }

    /// The same for nearly everybody who could pass the item, and its place among them: what a proof needs.
    pub(super) fn wide_sums(
        &mut self,
        pool: &[Edge],
        size: usize,
    ) -> Result<Option<(Rc<Sums>, usize)>, ScoreError> {
        self.ledger.wide_sums(self.rules, pool, size, self.watched)
    }

    /// What taking away sets of one size of these edges does, by sums; none where that is not known.
    pub(crate) fn sums(&mut self, pool: &[Edge], size: usize) -> Result<Option<Rc<Sums>>, ScoreError> {
        self.ledger.sums(self.rules, pool, size)
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
        self.ledger.surely_reached(self.rules, answer, self.watched)
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
