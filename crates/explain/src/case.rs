//! One item, one goal: from the start to an [`Explanation`].

use std::collections::BTreeSet;
use std::rc::Rc;

use grease_graph::{Edge, ItemId, Profile, ScoreError};

use crate::certify::{Found, Outcome, Stop, certify};
use crate::desk::Desk;
use crate::effects::Effects;
use crate::ledger::{AnswerId, Ledger};
use crate::methods::Method;
use crate::rules::Rules;
use crate::{Cited, Explanation, Goal, Reason, Scope, Status};

/// What single interactions do, asked once for the list.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Their effects.
    pub(crate) effects: Rc<Effects>,
    /// This explanation's share of the questions.
    pub(crate) share: f32,
}

/// One item to explain for one goal.
pub(crate) struct Case<'c, 'a> {
    pub(crate) desk: &'c Desk<'a>,
    pub(crate) goal: Goal,
    pub(crate) item: ItemId,
    /// Its place among the watched.
    pub(crate) watched: usize,
    pub(crate) method: Method,
    pub(crate) shared: Option<&'c Shared>,
    /// The unedited graph, profile neutral.
    pub(crate) neutral: AnswerId,
    /// This explanation's share of the questions asked for everybody.
    pub(crate) basics: f32,
}

impl<'a> Case<'_, 'a> {
    /// Explains, and adds the explanation and its alternatives.
    pub(crate) fn explain(
        &self,
        ledger: &mut Ledger<'a>,
        into: &mut Vec<Explanation>,
    ) -> Result<(), ScoreError> {
        let mut used = BTreeSet::new();
        for alternative in 0..=self.desk.task.alternatives {
            let explanation = self.one(ledger, &used)?;
            let found = matches!(explanation.status, Status::Verified | Status::Unverified);
            if alternative > 0 && !found {
                break;
            }
            used.extend(explanation.edges.iter().map(|cited| cited.edge));
            into.push(explanation);
            if !found {
                break;
            }
        }
        Ok(())
    }

    fn one(&self, ledger: &mut Ledger<'a>, used: &BTreeSet<Edge>) -> Result<Explanation, ScoreError> {
        let rules = self.desk.rules(self.goal, self.item);
        let asked = ledger.asked();
        let start = ledger.ask(rules.profile, &[rules.edit(&[])])?[0];
        let watched = self.watched;
        let mut explanation = self.begun(ledger, &rules, start, watched);
        if let Some(reason) = self.nothing_to_search(ledger, &rules, start, watched) {
            explanation = explanation.not_found(reason);
        } else if rules.reached(ledger.answer(start), watched) {
            // Only a factual search can begin where it wants to go.
            explanation.status = Status::Trivial;
            let nothing = Found { edges: Vec::new(), answer: start, minimal: Some(true) };
            self.apply(&mut explanation, ledger, &rules, watched, &nothing);
        } else {
            match self.search(ledger, &rules, watched, &self.pool(used))? {
                Ok(found) => {
                    explanation.status = Status::Verified;
                    self.apply(&mut explanation, ledger, &rules, watched, &found);
                    if self.goal == Goal::Counterfactual {
                        explanation.replaced_by = self.newly_listed(ledger, start, found.answer);
                    }
                }
                Err(reason) => explanation = explanation.not_found(reason),
            }
        }
        let own = (ledger.asked() - asked) as f32;
        explanation.queries = self.basics + self.shared.map_or(0.0, |s| s.share) + own;
        Ok(explanation)
    }

    /// What is known before the search.
    fn begun(&self, ledger: &Ledger<'_>, rules: &Rules<'_>, start: AnswerId, watched: usize) -> Explanation {
        let task = self.desk.task;
        let before = ledger.answer(self.desk.before).standings[watched];
        let neutral = ledger.answer(self.neutral).standings[watched];
        // Without the learned row the score is the history's part; the rest is the profile's.
        let share = || (1.0 - neutral.score / before.score).clamp(0.0, 1.0);
        let of_own = task.scope == Scope::Own && before.score > 0.0;
        Explanation {
            user: self.desk.user,
            item: self.item,
            k: task.k,
            goal: self.goal,
            scope: task.scope,
            profile: rules.profile,
            method: self.method.name(),
            status: Status::NotFound,
            reason: None,
            edges: Vec::new(),
            evicted: self.desk.evicted(self.goal),
            rank_before: before.rank,
            margin_before: before.margin,
            rank_start: ledger.answer(start).standings[watched].rank,
            rank_after: None,
            margin_after: None,
            replaced_by: None,
            minimal: None,
            profile_share: of_own.then(share),
            queries: 0.0,
            surrogate: None,
            neighbourhood: None,
            seed: task.seed,
        }
    }

    /// What was found, and what the recommender said about it.
    fn apply(
        &self,
        explanation: &mut Explanation,
        ledger: &Ledger<'_>,
        rules: &Rules<'_>,
        watched: usize,
        found: &Found,
    ) {
        let after = ledger.answer(found.answer).standings[watched];
        explanation.edges = found.edges.iter().map(|&edge| Cited { change: rules.change, edge }).collect();
        explanation.rank_after = Some(after.rank);
        explanation.margin_after = Some(after.margin);
        explanation.minimal = found.minimal;
    }

    /// Reasons that need no search.
    fn nothing_to_search(
        &self,
        ledger: &Ledger<'_>,
        rules: &Rules<'_>,
        start: AnswerId,
        watched: usize,
    ) -> Option<Reason> {
        let k = self.desk.task.k;
        let before = ledger.answer(self.desk.before).standings[watched];
        let begin = ledger.answer(start).standings[watched];
        match self.goal {
            Goal::WhyNot if before.rank <= k => Some(Reason::AlreadyInside { rank: before.rank }),
            Goal::WhyNot => None,
            _ if before.rank > k => Some(Reason::AlreadyOutside { rank: before.rank }),
            Goal::Counterfactual if begin.rank > k => Some(Reason::AlreadyOutside { rank: begin.rank }),
            _ if before.margin == f32::INFINITY => Some(Reason::FewerCandidatesThanPlaces),
            _ if self.desk.citable.is_empty() && self.desk.task.scope == Scope::Own => {
                // Without a history a factual search still begins where the profile may carry the item.
                (!rules.reached(ledger.answer(start), watched)).then_some(Reason::NoHistory)
            }
            _ => None,
        }
    }

    /// The edges that may be cited.
    pub(crate) fn pool(&self, used: &BTreeSet<Edge>) -> Vec<Edge> {
        let own = self.desk.citable.iter().copied();
        let mut pool: Vec<Edge> = own.collect();
        if self.desk.task.scope != Scope::Own && !self.desk.task.never_cite.contains(&self.item) {
            let users = self.desk.graph().users_of(self.item);
            pool.extend(users.iter().map(|&user| Edge::new(user, self.item.0)));
        }
        pool.retain(|edge| !used.contains(edge));
        pool
    }

    fn search(
        &self,
        ledger: &mut Ledger<'a>,
        rules: &Rules<'a>,
        watched: usize,
        pool: &[Edge],
    ) -> Result<Result<Found, Reason>, ScoreError> {
        let mut search = self.desk.search(ledger, rules, watched);
        if self.method == Method::Exact {
            search.budget = usize::MAX;
        }
        let allowed = search.budget;
        let (mut best, mut out_of_budget): (Option<Found>, bool) = (None, false);
        for attempt in 0.. {
            let proposal = match self.method.propose(self, &mut search, pool, attempt) {
                Ok(Some(proposal)) => proposal,
                Ok(None) => break,
                Err(Stop::OutOfBudget) => {
                    out_of_budget = true;
                    break;
                }
                Err(Stop::Score(error)) => return Err(error),
            };
            match certify(&mut search, &proposal)? {
                Outcome::Found(found) if best.as_ref().is_none_or(|b| found.edges.len() < b.edges.len()) => {
                    best = Some(found);
                }
                Outcome::OutOfBudget => out_of_budget = true,
                Outcome::Found(_) | Outcome::Short => {}
            }
        }
        let (asked, closest) = (allowed - search.budget, search.best);
        match best {
            Some(found) => Ok(Ok(found)),
            None if out_of_budget => Ok(Err(Reason::OutOfBudget { asked })),
            None => Ok(Err(self.why_short(ledger, rules, watched, pool, closest)?)),
        }
    }

    /// Why every attempt fell short.
    fn why_short(
        &self,
        ledger: &mut Ledger<'a>,
        rules: &Rules<'a>,
        watched: usize,
        pool: &[Edge],
        closest: Option<AnswerId>,
    ) -> Result<Reason, ScoreError> {
        let task = self.desk.task;
        if self.goal == Goal::Counterfactual && task.scope == Scope::Own && rules.profile == Profile::Kept {
            let bare = ledger.ask(rules.profile, &[rules.edit(&self.desk.own)])?[0];
            let standing = ledger.answer(bare).standings[watched];
            if standing.rank <= task.k {
                return Ok(Reason::CarriedByProfile { rank: standing.rank });
            }
        }
        if task.scope != Scope::Own && self.desk.graph().users_of(self.item).is_empty() {
            return Ok(Reason::ItemWithoutInteractions);
        }
        let best_rank = closest.map_or(usize::MAX, |at| ledger.answer(at).standings[watched].rank);
        Ok(if pool.len() <= rules.cap {
            Reason::NothingSuffices { edges: pool.len(), best_rank }
        } else {
            Reason::CapReached { cap: rules.cap, best_rank }
        })
    }

    /// The best item of the list afterwards that was not on it before, unless it must not be named.
    fn newly_listed(&self, ledger: &Ledger<'_>, start: AnswerId, after: AnswerId) -> Option<ItemId> {
        let before = &ledger.answer(start).list;
        let new = ledger.answer(after).list.iter().copied().find(|item| !before.contains(item))?;
        (!self.desk.task.never_cite.contains(&new)).then_some(new)
    }
}

impl Explanation {
    fn not_found(self, reason: Reason) -> Self {
        Self { status: Status::NotFound, reason: Some(reason), ..self }
    }
}
