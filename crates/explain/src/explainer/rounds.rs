//! The searches made for one item and goal: which edges may be cited, under which rules, and what came of all attempts.

use std::collections::BTreeSet;

use grease_graph::{Edge, ItemId, ScoreError};

use super::pair::Pair;
use crate::ask::{AnswerId, Change, Ledger, MOST_PEOPLE, Rules, people_of};
use crate::find::{Ending, Found, Search, Stop, certify, until_it_does};
use crate::methods::likest_first;
use crate::task::{Caps, Goal, Rigour, Scope};

/// Items asked about before it is said which would bring an item in: the ones most like it.
const WORTH_ADDING: usize = 48;

/// One search: its rules, and the edges that may be cited.
#[derive(Clone)]
pub(super) struct Round<'a> {
    pub(super) rules: Rules<'a>,
    /// What a set has to do besides.
    pub(super) also: Option<Rules<'a>>,
    pub(super) pool: Vec<Edge>,
}

/// What came of all attempts.
#[derive(Default)]
pub(super) struct Tried {
    /// The smallest set that does it and is within its cap, and its round.
    pub(super) best: Option<(usize, Found)>,
    /// The smallest set that does it and is beyond its cap, and its round.
    pub(super) longer: Option<(usize, Found)>,
    /// The answer that came closest within the cap, and its round.
    pub(super) closest: Option<(usize, AnswerId)>,
    pub(super) out_of_budget: bool,
    /// Questions asked.
    pub(super) asked: usize,
    /// Sets that were tried, whoever asked about them first.
    pub(super) sets: usize,
    /// Edges of orders that could be longer: they have neither all edges there are nor more than may be cited.
    pub(super) few: usize,
    /// Whether some order was not.
    pub(super) many: bool,
}

impl Tried {
    /// A set that does it, found in this round.
    pub(super) fn note(&mut self, round: usize, found: Found, cap: usize) {
        let size = found.edges.len();
        if size > cap {
            if self.longer.as_ref().is_none_or(|(_, longer)| size < longer.edges.len()) {
                self.longer = Some((round, found));
            }
        } else if self.best.as_ref().is_none_or(|(_, best)| size < best.edges.len()) {
            self.best = Some((round, found));
        }
    }
}

impl<'a> Pair<'_, 'a> {
    /// The edges that may be cited.
    pub(super) fn pool(&self, used: &BTreeSet<Edge>) -> Vec<Edge> {
        let (person, task) = (self.list.person, self.list.person.task);
        let mut pool = person.citable.clone();
        let others = |edge: &Edge| edge.user != person.user && !task.never_cite.contains(&edge.item);
        match (task.scope, self.list.neighbourhood) {
            (Scope::Own, _) => {}
            (Scope::Hops, Some(near)) => {
                pool.extend((0..near.len() as u32).map(|edge| near.edge(edge)).filter(others));
            }
            (Scope::Target | Scope::Hops, _) => {
                let users = people_of(person.graph(), &person.own, self.item, MOST_PEOPLE);
                pool.extend(users.into_iter().map(|user| Edge::new(user, self.item.0)).filter(others));
            }
        }
        pool.retain(|edge| !used.contains(edge));
        pool
    }

    /// The searches to make: one, but two ways to bring an item in.
    ///
    /// What is listed already is not imagined there: it would leave the list as part of the history and make room, whatever it is.
    pub(super) fn rounds(&self, caps: Caps, used: &BTreeSet<Edge>, listed: &[ItemId]) -> Vec<Round<'a>> {
        let rules = self.rules(caps);
        if self.goal != Goal::WhyNot {
            let also = self.besides(&rules);
            return vec![Round { rules, also, pool: self.pool(used) }];
        }
        let person = self.list.person;
        let own = person.citable.iter().copied().filter(|edge| !used.contains(edge)).collect();
        let touched: BTreeSet<ItemId> = person.own.iter().map(|edge| edge.item).collect();
        let untouched: Vec<Edge> = (0..person.graph().items() as u32)
            .map(|item| Edge::new(person.user.0, item))
            .filter(|edge| edge.item != self.item && !touched.contains(&edge.item))
            .filter(|edge| !listed.contains(&edge.item))
            .filter(|edge| !person.task.never_cite.contains(&edge.item) && !used.contains(edge))
            .collect();
        let likest = likest_first(&self.context(), &untouched, WORTH_ADDING);
        let adding = Rules { change: Change::Added, cap: caps.add, ..rules.clone() };
        vec![Round { rules, also: None, pool: own }, Round { rules: adding, also: None, pool: likest }]
    }

    /// Searches in every round, by estimates where there are some.
    pub(super) fn tried(
        &self,
        ledger: &mut Ledger<'a>,
        rounds: &[Round<'a>],
        allowed: usize,
    ) -> Result<Tried, ScoreError> {
        match &self.list.estimates {
            Some(estimates) => self.by_estimates(ledger, &mut estimates.borrow_mut(), rounds, allowed),
            None => self.try_all(ledger, rounds, allowed),
        }
    }

    /// Makes all attempts of the method in every round, as far as the budget goes.
    pub(super) fn try_all(
        &self,
        ledger: &mut Ledger<'a>,
        rounds: &[Round<'a>],
        allowed: usize,
    ) -> Result<Tried, ScoreError> {
        let (method, task, context) = (self.list.method, self.list.person.task, self.context());
        let (mut budget, mut tried) = (allowed, Tried::default());
        for (at, Round { rules, also, pool }) in rounds.iter().enumerate() {
            let mut search = Search::new(ledger, rules, self.watched, budget).besides(also.as_ref());
            search.is_strict = self.is_strict;
            for attempt in method.attempts(&context, rules, pool) {
                let proposal = match attempt.propose(&context, &mut search, pool) {
                    Ok(Some(proposal)) => proposal,
                    Ok(None) => continue,
                    Err(Stop::OutOfBudget) => {
                        tried.out_of_budget = true;
                        break;
                    }
                    Err(Stop::Score(error)) => return Err(error),
                };
                match proposal.order().len() {
                    few if few < pool.len() && few <= rules.cap => tried.few += few,
                    _ => tried.many = true,
                }
                let ending = match task.rigour {
                    Rigour::Certified => certify(&mut search, &proposal)?,
                    Rigour::InOrder => until_it_does(&mut search, proposal.order())?,
                };
                match ending {
                    Ending::Found(found) => {
                        let size = found.edges.len();
                        search.shortest = Some(search.shortest.map_or(size, |known| known.min(size)));
                        tried.note(at, found, rules.cap);
                    }
                    Ending::OutOfBudget => tried.out_of_budget = true,
                    Ending::Short => {}
                }
            }
            budget = search.budget;
            tried.sets += search.tried.len();
            tried.closest = match (tried.closest, search.best.map(|answer| (at, answer))) {
                (Some(a), Some(b)) if search.gain(b.1) > search.gain(a.1) => Some(b),
                (a, b) => a.or(b),
            };
        }
        Ok(Tried { asked: allowed - budget, ..tried })
    }
}
