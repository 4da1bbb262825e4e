//! From a proposal to what holds on the recommender itself: the shortest prefix that does it, pruned until no edge can be
//! spared, within the budget. Common to every method, so methods compete only on where to look.

use grease_graph::{Edge, ScoreError};

use crate::effects::Effects;
use crate::guided;
use crate::ledger::{AnswerId, Ledger};
use crate::rules::Rules;

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
pub(crate) enum Outcome {
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
    /// The answer that came closest.
    pub(crate) best: Option<AnswerId>,
}

impl Search<'_, '_> {
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
        for &answer in &answers {
            if self.best.is_none_or(|best| self.gain(answer) > self.gain(best)) {
                self.best = Some(answer);
            }
        }
        Ok(answers)
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
    pub(crate) fn reached(&self, answer: AnswerId) -> bool {
        self.rules.reached(self.ledger.answer(answer), self.watched)
    }

    /// The first of the answers with the greatest gain that does it.
    pub(crate) fn best_reached(&self, answers: &[AnswerId]) -> Option<usize> {
        let reached = (0..answers.len()).filter(|&at| self.reached(answers[at]));
        reached.reduce(|a, b| if self.gain(answers[b]) > self.gain(answers[a]) { b } else { a })
    }
}

/// Searches from a proposal.
pub(crate) fn certify(search: &mut Search<'_, '_>, proposal: &Proposal) -> Result<Outcome, ScoreError> {
    let first = match &proposal.guide {
        Some(guide) => guided::find(search, guide),
        None => shortest_prefix(search, &proposal.order),
    };
    let found = match first {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Outcome::Short),
        Err(Stop::OutOfBudget) => return Ok(Outcome::OutOfBudget),
        Err(Stop::Score(error)) => return Err(error),
    };
    let mut found = prune(search, found, proposal.guide.as_ref())?;
    if let Some(guide) = &proposal.guide {
        while found.minimal == Some(true) && found.edges.len() > 2 {
            match guided::smaller(search, guide, &found) {
                Ok(Some(smaller)) => found = prune(search, smaller, Some(guide))?,
                Ok(None) | Err(Stop::OutOfBudget) => break,
                Err(Stop::Score(error)) => return Err(error),
            }
        }
    }
    Ok(Outcome::Found(found))
}

/// The shortest prefix of an order that does it, if longer ones do as well: gallop, then bisect. Where the gallop comes to the end,
/// the lengths it jumped over are tried too: more edges are not always better.
fn shortest_prefix(search: &mut Search<'_, '_>, order: &[Edge]) -> Result<Option<Found>, Stop> {
    let longest = order.len().min(search.rules.cap);
    let (mut short, mut length) = (0, 1);
    let mut found = loop {
        if short >= longest {
            let all: Vec<Vec<Edge>> = (1..=longest).map(|length| order[..length].to_vec()).collect();
            let answers = search.ask(&all)?;
            let first = (0..longest).find(|&at| search.reached(answers[at]));
            return Ok(first.map(|at| Found { edges: all[at].clone(), answer: answers[at], minimal: None }));
        }
        let length_now = length.min(longest);
        let answer = search.ask(&[order[..length_now].to_vec()])?[0];
        if search.reached(answer) {
            break Found { edges: order[..length_now].to_vec(), answer, minimal: None };
        }
        short = length_now;
        length *= 2;
    };
    while found.edges.len() - short > 1 {
        let middle = (short + found.edges.len()) / 2;
        let Ok(answers) = search.ask(&[order[..middle].to_vec()]) else { break };
        if search.reached(answers[0]) {
            found = Found { edges: order[..middle].to_vec(), answer: answers[0], minimal: None };
        } else {
            short = middle;
        }
    }
    Ok(Some(found))
}

/// Edges in order until it does it, nothing pruned: how baselines are run in the literature. Prefixes are asked a few at a time,
/// as many as were asked before, because the recommender answers several at once faster.
pub(crate) fn until_it_does(search: &mut Search<'_, '_>, order: &[Edge]) -> Result<Outcome, ScoreError> {
    let longest = order.len().min(search.rules.cap);
    let mut asked = 0;
    while asked < longest {
        let until = (2 * asked + 1).min(longest);
        let prefixes: Vec<Vec<Edge>> = (asked + 1..=until).map(|length| order[..length].to_vec()).collect();
        let answers = match search.ask(&prefixes) {
            Ok(answers) => answers,
            Err(Stop::OutOfBudget) => return Ok(Outcome::OutOfBudget),
            Err(Stop::Score(error)) => return Err(error),
        };
        if let Some(at) = answers.iter().position(|&answer| search.reached(answer)) {
            let found = Found { edges: prefixes[at].clone(), answer: answers[at], minimal: None };
            return Ok(Outcome::Found(found));
        }
        asked = until;
    }
    Ok(Outcome::Short)
}

/// Spares edges one by one until none can be spared, or the budget ends.
///
/// A single edge needs no question: nothing cited is where the search began, and that was not enough.
pub(crate) fn prune(
    search: &mut Search<'_, '_>,
    mut found: Found,
    guide: Option<&Effects>,
) -> Result<Found, ScoreError> {
    while found.edges.len() > 1 {
        if let Some(guide) = guide
            && let Some(spare) = guided::likely_spare(search, guide, &found)
        {
            match search.ask(std::slice::from_ref(&spare)) {
                Ok(answers) if search.reached(answers[0]) => {
                    found = Found { edges: spare, answer: answers[0], minimal: None };
                    continue;
                }
                Ok(_) => {}
                Err(Stop::OutOfBudget) => return Ok(found),
                Err(Stop::Score(error)) => return Err(error),
            }
        }
        let without = each_left_out(&found.edges);
        let answers = match search.ask(&without) {
            Ok(answers) => answers,
            Err(Stop::OutOfBudget) => return Ok(found),
            Err(Stop::Score(error)) => return Err(error),
        };
        match search.best_reached(&answers) {
            Some(at) => {
                found = Found { edges: without[at].clone(), answer: answers[at], minimal: None };
            }
            None => return Ok(Found { minimal: Some(true), ..found }),
        }
    }
    Ok(Found { minimal: Some(true), ..found })
}

/// The set without each of its edges in turn.
pub(crate) fn each_left_out(edges: &[Edge]) -> Vec<Vec<Edge>> {
    (0..edges.len())
        .map(|out| edges.iter().enumerate().filter(|&(at, _)| at != out).map(|(_, &edge)| edge).collect())
        .collect()
}
