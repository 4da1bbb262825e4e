//! From a proposal to what holds on the recommender itself: the shortest prefix that does it, pruned until no edge can be
//! spared, within the budget. Common to every method, so methods compete only on where to look.

use grease_graph::{Edge, ItemId, ScoreError};

use super::guided;
use super::prefix::shortest_prefix;
use super::prune::{prune, spared_if_near};
use super::search::{Ending, Proposal, Search, Stop};
use super::{sizes, together};
use crate::ask::{Answer, AnswerId, Cited, Ledger, Person, Rules, Standing};
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
///     Certificate { edges: Vec::new(), rank_after: 1, margin_after: 1.0, replaced_by: None, minimal: None, alone: None }
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    edges: Vec<Cited>,
    rank_after: usize,
    margin_after: f32,
    replaced_by: Option<ItemId>,
    minimal: Option<bool>,
    alone: Option<(usize, f32)>,
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

    /// The item's rank and margin for the person known by the edges alone, where they have to be enough, too.
    pub fn alone(&self) -> Option<(usize, f32)> {
        self.alone
    }
}

/// What the recommender says of a set.
pub(crate) enum Checked {
    /// It does it.
    Holds(Certificate),
    /// It does not.
    Denied(Certificate),
    /// Asked again, it puts the item elsewhere: the ranks it gave.
    Unsure((usize, usize)),
}

/// Who is asked, about whom, and under which rules.
pub(crate) struct Certifier<'s, 'a> {
    pub(crate) person: &'s Person<'a>,
    pub(crate) ledger: &'s mut Ledger<'a>,
    pub(crate) rules: &'s Rules<'a>,
    /// What the edges have to do besides.
    pub(crate) also: Option<&'s Rules<'a>>,
    /// Whether the edges stay in the order they were found in: of weaker questions it depends on what else was asked whether single
    /// edges were asked about.
    pub(crate) as_found: bool,
    /// The item, by its place among the watched.
    pub(crate) watched: usize,
    /// The answer the search began from.
    pub(crate) start: AnswerId,
}

impl Certifier<'_, '_> {
    /// What the recommender says of these edges: one question, unless it was asked before. A claim rests on the answer, so where
    /// another one might come, it is asked for again.
    pub(crate) fn check(&mut self, edges: &[Edge], minimal: Option<bool>) -> Result<Checked, ScoreError> {
        let at = match self.asked(self.rules, edges)? {
            Ok(at) => at,
            Err(ranks) => return Ok(Checked::Unsure(ranks)),
        };
        let answer = self.ledger.answer(at);
        let after = answer.standings[self.watched];
        let mut holds = self.rules.reached(answer, self.watched);
        let mut alone = None;
        if let Some(rules) = self.also.filter(|_| holds) {
            let at = match self.asked(rules, edges)? {
                Ok(at) => at,
                Err(ranks) => return Ok(Checked::Unsure(ranks)),
            };
            let answer = self.ledger.answer(at);
            let Standing { rank, margin, .. } = answer.standings[self.watched];
            holds = rules.reached(answer, self.watched);
            alone = Some((rank, margin));
        }
        let minimal = match minimal {
            Some(true) if holds && self.ledger.counts_anew() => Some(self.none_can_be_spared(edges)?),
            minimal => minimal,
        };
        let change = self.rules.change;
        let edges = self.strongest_first(edges).into_iter().map(|edge| Cited { change, edge });
        let certificate = Certificate {
            edges: edges.collect(),
            rank_after: after.rank,
            margin_after: after.margin,
            replaced_by: self.newly_listed(at).filter(|_| holds),
            minimal,
            alone,
        };
        Ok(if holds { Checked::Holds(certificate) } else { Checked::Denied(certificate) })
    }

    /// What the recommender says of these edges under these rules; the ranks it gave where it says another thing when asked again.
    fn asked(
        &mut self,
        rules: &Rules<'_>,
        edges: &[Edge],
    ) -> Result<Result<AnswerId, (usize, usize)>, ScoreError> {
        let at = self.ledger.ask(rules.profile, &[rules.edit(edges)])?[0];
        self.ledger.settle(at, Some(self.watched))?;
        if rules.reached(self.ledger.answer(at), self.watched)
            && let Some(again) = self.ledger.ask_anew(rules.profile, &rules.edit(edges))?
        {
            if let Some(ranks) = self.differing(rules, at, &again) {
                return Ok(Err(ranks));
            }
            self.ledger.correct(at, again);
        }
        Ok(Ok(at))
    }

    /// Whether the answers that count deny every set with one edge less.
    fn none_can_be_spared(&mut self, edges: &[Edge]) -> Result<bool, ScoreError> {
        for at in 0..edges.len() {
            let rest = [&edges[..at], &edges[at + 1..]].concat();
            let mut holds = true;
            for rules in [Some(self.rules), self.also].into_iter().flatten() {
                let again = self.ledger.ask_anew(rules.profile, &rules.edit(&rest))?;
                holds = holds && again.is_none_or(|again| rules.reached(&again, self.watched));
            }
            if holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The item's ranks by two answers to one question, where they differ by more than rounding.
    fn differing(&self, rules: &Rules<'_>, first: AnswerId, second: &Answer) -> Option<(usize, usize)> {
        let first = self.ledger.answer(first);
        let [one, other] = [first, second].map(|answer| answer.standings[self.watched]);
        let tolerance = first.tolerance.max(second.tolerance);
        let same = one.margin == other.margin || (one.margin - other.margin).abs() <= 2.0 * tolerance;
        (!same || !rules.reached(second, self.watched)).then_some((one.rank, other.rank))
    }

    /// By what each does alone, where that was asked of all of them; else as they were found.
    fn strongest_first(&self, edges: &[Edge]) -> Vec<Edge> {
        let gain = |&edge: &Edge| {
            let alone = self.ledger.recall(self.rules.profile, &self.rules.edit(&[edge]))?;
            Some((self.rules.gain(&alone.standings[self.watched]), edge))
        };
        if self.as_found {
            return edges.to_vec();
        }
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
    let first = match proposal {
        Proposal::Effects(guide) => guided::find(search, guide),
        Proposal::Order(order) => shortest_prefix(search, order, false),
        Proposal::Hasty(order) => shortest_prefix(search, order, true),
        Proposal::Sizes(pool) => sizes::find(search, pool),
        Proposal::Both(both) => together::find(search, both),
    };
    let found = match first {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Ending::Short),
        Err(Stop::OutOfBudget) => return Ok(Ending::OutOfBudget),
        Err(Stop::Score(error)) => return Err(error),
    };
    let mut found = match proposal {
        Proposal::Hasty(_) => spared_if_near(search, found)?,
        _ => prune(search, found, proposal.guide())?,
    };
    if let Proposal::Effects(guide) = proposal {
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
