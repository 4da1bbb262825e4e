//! One search: what may be asked, what is allowed, and how close it came.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use grease_graph::{Edge, Edit, Profile, ScoreError, Sums};

use super::effects::Effects;
use super::together::Both;
use crate::ask::{AnswerId, Ledger, Rules};

/// Where to look.
#[derive(Debug, Clone)]
pub(crate) enum Proposal {
    /// Edges to cite, the most promising first.
    Order(Vec<Edge>),
    /// The same, where any set that does it will do: large ones are not thinned.
    Hasty(Vec<Edge>),
    /// What edges do by themselves: the search follows their sums.
    Effects(Effects),
    /// Any of these, size by size, by sums that are nearly exact.
    Sizes(Vec<Edge>),
    /// What does one thing and what does another: a set is wanted that does both.
    Both(Rc<Both>),
}

impl Proposal {
    /// The order, where there is one to follow.
    pub(crate) fn order(&self) -> &[Edge] {
        match self {
            Proposal::Order(order) => order,
            _ => &[],
        }
    }

    /// What edges do by themselves, where that is followed.
    pub(super) fn guide(&self) -> Option<&Effects> {
        match self {
            Proposal::Effects(guide) => Some(guide),
            _ => None,
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
    /// Whether everybody is looked at before it is said that an item is still on the list: where little of a history is left, others than
    /// contenders come up.
    pub(crate) is_strict: bool,
    /// What a set has to do besides.
    pub(super) also: Option<Also<'s, 'a>>,
}

/// What a set has to do besides, under rules of its own.
pub(super) struct Also<'s, 'a> {
    pub(super) rules: &'s Rules<'a>,
    /// For each set that does the one thing (by the answer that says so) what the recommender says of the other.
    answers: HashMap<AnswerId, AnswerId>,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Nothing tried yet.
    pub(crate) fn new(
        ledger: &'s mut Ledger<'a>,
        rules: &'s Rules<'a>,
        watched: usize,
        budget: usize,
    ) -> Self {
        let tried = BTreeSet::new();
        Self {
            ledger,
            rules,
            watched,
            budget,
            best: None,
            shortest: None,
            tried,
            is_strict: false,
            also: None,
        }
    }

    /// A set has to do it under these rules, too.
    pub(crate) fn besides(self, rules: Option<&'s Rules<'a>>) -> Self {
        Self { also: rules.map(|rules| Also { rules, answers: HashMap::new() }), ..self }
    }

    /// What the recommender says with each of these sets cited.
    pub(crate) fn ask(&mut self, sets: &[Vec<Edge>]) -> Result<Vec<AnswerId>, Stop> {
        let answers = self.ask_under(self.rules, sets)?;
        if let Some(rules) = self.also.as_ref().map(|also| also.rules) {
            // Only of what does the one thing it matters whether it does the other.
            let does_it =
                |&(_, &at): &(_, &AnswerId)| self.rules.reached(self.ledger.answer(at), self.watched);
            let (some, which): (Vec<Vec<Edge>>, Vec<AnswerId>) =
                sets.iter().zip(&answers).filter(does_it).map(|(set, &at)| (set.clone(), at)).unzip();
            let others = self.ask_under(rules, &some)?;
            self.also.as_mut().expect("it was there").answers.extend(which.into_iter().zip(others));
        }
        for (set, &answer) in sets.iter().zip(&answers).filter(|(set, _)| !set.is_empty()) {
            self.tried.insert(answer);
            let is_allowed = set.len() <= self.rules.cap;
            if is_allowed && self.best.is_none_or(|best| self.gain(answer) > self.gain(best)) {
                self.best = Some(answer);
            }
        }
        Ok(answers)
    }

    fn ask_under(&mut self, rules: &Rules<'_>, sets: &[Vec<Edge>]) -> Result<Vec<AnswerId>, Stop> {
        let edits: Vec<_> = sets.iter().map(|set| rules.edit(set)).collect();
        self.ask_edits(rules.profile, &edits)
    }

    /// What the recommender says of some edits, within the budget.
    pub(crate) fn ask_edits(&mut self, profile: Profile, edits: &[Edit]) -> Result<Vec<AnswerId>, Stop> {
        if self.ledger.unknown(profile, edits) > self.budget {
            return Err(Stop::OutOfBudget);
        }
        let before = self.ledger.asked();
        let answers = self.ledger.ask(profile, edits)?;
        self.budget -= self.ledger.asked() - before;
        Ok(answers)
    }

    /// What the recommender says of the other thing that the set of this answer has to do, where it does the one.
    pub(super) fn besides_of(&self, answer: AnswerId) -> Option<AnswerId> {
        self.also.as_ref()?.answers.get(&answer).copied()
    }

    /// Whether a set does it, without keeping what was said: where a close look is possible, for whoever tries thousands. A `proof`
    /// needs to know that it does not as surely as that it does.
    pub(super) fn try_out(&mut self, edges: &[Edge], proof: bool) -> Result<bool, ScoreError> {
        Ok(self.ledger.try_out(self.rules, self.rules.edit(edges), self.watched, proof)?
            && self.does_besides(edges, proof)?)
    }

    /// Whether a set does what it has to do besides.
    pub(super) fn does_besides(&mut self, edges: &[Edge], proof: bool) -> Result<bool, ScoreError> {
        let Some(rules) = self.also.as_ref().map(|also| also.rules) else { return Ok(true) };
        self.ledger.try_out(rules, rules.edit(edges), self.watched, proof)
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

    /// Length of the list to leave, or to get into.
    pub(crate) fn k(&self) -> usize {
        self.rules.places
    }

    /// The item's place among the contenders.
    pub(crate) fn contender(&self) -> usize {
        let item = self.ledger.watched()[self.watched];
        self.ledger.contenders().binary_search(&item.0).expect("watched items contend")
    }

    /// How far beyond the edge of the list the item is, on the side where it is wanted.
    pub(crate) fn gain(&self, answer: AnswerId) -> f32 {
        let gain =
            |rules: &Rules<'_>, at: AnswerId| rules.gain(&self.ledger.answer(at).standings[self.watched]);
        let one = gain(self.rules, answer);
        match (&self.also, self.besides_of(answer)) {
            (Some(also), Some(other)) => one.min(gain(also.rules, other)),
            _ => one,
        }
    }

    /// Whether it does it.
    pub(crate) fn reached(&mut self, answer: AnswerId) -> Result<bool, ScoreError> {
        let is_reached = match self.is_strict {
            true => self.ledger.reached(self.rules, answer, self.watched)?,
            false => self.ledger.surely_reached(self.rules, answer, self.watched)?,
        };
        if !is_reached {
            return Ok(false);
        }
        match (self.also.as_ref().map(|also| also.rules), self.besides_of(answer)) {
            (None, _) => Ok(true),
            (Some(rules), Some(other)) => self.ledger.surely_reached(rules, other, self.watched),
            (Some(_), None) => Ok(false),
        }
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
