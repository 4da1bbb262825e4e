//! From a proposal to what holds on the recommender itself: the shortest prefix that does it, pruned until no edge can be
//! spared, within the budget. Common to every method, so methods compete only on where to look.

use grease_graph::{Edge, ItemId, ScoreError};

use super::effects::Effects;
use super::guided;
use super::prefix::shortest_prefix;
use super::search::{Ending, Found, Proposal, Search, Stop, each_left_out};
use crate::ask::{AnswerId, Cited, Ledger, Person, Rules};
use crate::task::Direction;

/// A set of edges and what the recommender said about it.
///
/// Only certifying makes one, from an answer of the recommender; whoever has one can read it:
///
/// ```
/// use grease_explain::Certificate;
///
/// fn read(certificate: &Certificate) -> (usize, f32) {
///     (certificate.rank_after(), certificate.margin_after())
/// }
/// ```
///
/// and nobody else can write one:
///
/// ```compile_fail,E0451
/// use grease_explain::Certificate;
///
/// fn write() -> Certificate {
///     Certificate { edges: Vec::new(), rank_after: 1, margin_after: 1.0, replaced_by: None, minimal: None }
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    edges: Vec<Cited>,
    rank_after: usize,
    margin_after: f32,
    replaced_by: Option<ItemId>,
    minimal: Option<bool>,
}

impl Certificate {
    /// The edges, strongest first.
    pub fn edges(&self) -> &[Cited] {
        &self.edges
    }

    /// The item's rank with the edges as cited.
    pub fn rank_after(&self) -> usize {
        self.rank_after
    }

    /// The item's margin there; infinite where fewer than k others compete.
    pub fn margin_after(&self) -> f32 {
        self.margin_after
    }

    /// The best item of the list afterwards that was not on it before, where the item had to go.
    pub fn replaced_by(&self) -> Option<ItemId> {
        self.replaced_by
    }

    /// Whether no single edge can be spared; `None` where it was not found out.
    pub fn minimal(&self) -> Option<bool> {
        self.minimal
    }
}

/// What the recommender says of a set.
pub(crate) enum Checked {
    /// It does it.
    Holds(Certificate),
    /// It does not.
    Denied(Certificate),
}

/// Who is asked, about whom, and under which rules.
pub(crate) struct Certifier<'s, 'a> {
    pub(crate) person: &'s Person<'a>,
    pub(crate) ledger: &'s mut Ledger<'a>,
    pub(crate) rules: &'s Rules<'a>,
    /// The item, by its place among the watched.
    pub(crate) watched: usize,
    /// The answer the search began from.
    pub(crate) start: AnswerId,
}

impl Certifier<'_, '_> {
    /// What the recommender says of these edges: one question, unless it was asked before.
    pub(crate) fn check(&mut self, edges: &[Edge], minimal: Option<bool>) -> Result<Checked, ScoreError> {
        let at = self.ledger.ask(self.rules.profile, &[self.rules.edit(edges)])?[0];
        let answer = self.ledger.answer(at);
        let after = answer.standings[self.watched];
        let holds = self.rules.reached(answer, self.watched);
        let change = self.rules.change;
        let edges = self.strongest_first(edges).into_iter().map(|edge| Cited { change, edge });
        let certificate = Certificate {
            edges: edges.collect(),
            rank_after: after.rank,
            margin_after: after.margin,
            replaced_by: self.newly_listed(at).filter(|_| holds),
            minimal,
        };
        Ok(if holds { Checked::Holds(certificate) } else { Checked::Denied(certificate) })
    }

    /// By what each does alone, where that was asked of all of them; else as they were found.
    fn strongest_first(&self, edges: &[Edge]) -> Vec<Edge> {
        let gain = |&edge: &Edge| {
            let alone = self.ledger.recall(self.rules.profile, self.rules.edit(&[edge]))?;
            Some((self.rules.gain(alone.standings[self.watched].margin), edge))
        };
        match edges.iter().map(gain).collect::<Option<Vec<_>>>() {
            Some(mut known) => {
                known.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                known.into_iter().map(|(_, edge)| edge).collect()
            }
            None => edges.to_vec(),
        }
    }

    /// The best item of the list afterwards that was not on it before, unless it must not be named; only where one has to go.
    fn newly_listed(&self, after: AnswerId) -> Option<ItemId> {
        let before = &self.ledger.answer(self.start).list;
        let new = self.ledger.answer(after).list.iter().copied().find(|item| !before.contains(item))?;
        let is_told = self.rules.direction == Direction::Out && !self.person.task.never_cite.contains(&new);
        is_told.then_some(new)
    }
}

/// Searches from a proposal.
pub(crate) fn certify(search: &mut Search<'_, '_>, proposal: &Proposal) -> Result<Ending, ScoreError> {
    let first = match &proposal.guide {
        Some(guide) => guided::find(search, guide),
        None => shortest_prefix(search, &proposal.order),
    };
    let found = match first {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Ending::Short),
        Err(Stop::OutOfBudget) => return Ok(Ending::OutOfBudget),
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
    Ok(Ending::Found(found))
}

/// Spares edges one by one until none can be spared, or the budget ends.
///
/// A single edge needs no question: nothing cited is where the search began, and that was not enough.
fn prune(
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
