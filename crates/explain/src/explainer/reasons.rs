//! Why nothing is found: what is known before a search, and what is made of one that fell short.

use grease_graph::{Profile, ScoreError};

use super::pair::Pair;
use super::rounds::{Round, Tried};
use crate::ask::{AnswerId, Ledger, MOST_PEOPLE, Rules};
use crate::explanation::Reason;
use crate::methods::Method;
use crate::task::{Goal, Rigour, Scope};

impl<'a> Pair<'_, 'a> {
    /// Reasons that need no search.
    pub(super) fn nothing_to_search(
        &self,
        ledger: &Ledger<'_>,
        rules: &Rules<'_>,
        start: AnswerId,
    ) -> Option<Reason> {
        let task = self.list.person.task;
        let before = ledger.answer(self.list.person.before).standings[self.watched];
        let begin = ledger.answer(start).standings[self.watched];
        let carried = rules.reached(ledger.answer(start), self.watched);
        match self.goal {
            Goal::WhyNot if before.rank <= task.k => Some(Reason::AlreadyInside { rank: before.rank }),
            Goal::WhyNot if begin.rank <= task.k => Some(Reason::AlreadyInside { rank: begin.rank }),
            Goal::WhyNot => None,
            _ if before.rank > task.k => Some(Reason::AlreadyOutside { rank: before.rank }),
            Goal::Counterfactual | Goal::Joint if begin.rank > task.k => {
                Some(Reason::AlreadyOutside { rank: begin.rank })
            }
            Goal::Counterfactual | Goal::Joint if before.outside == f32::INFINITY => {
                Some(Reason::FewerCandidatesThanPlaces)
            }
            _ if before.margin == f32::INFINITY => Some(Reason::FewerCandidatesThanPlaces),
            _ if task.scope == Scope::Own && self.list.person.citable.is_empty() && !carried => {
                Some(if self.list.person.cut { Reason::OutOfBudget { asked: 0 } } else { Reason::NoHistory })
            }
            _ => None,
        }
    }

    /// Why every attempt fell short: no more than what was asked.
    pub(super) fn why_short(
        &self,
        ledger: &mut Ledger<'a>,
        rounds: &[Round<'_>],
        tried: &Tried,
        start: AnswerId,
    ) -> Result<Reason, ScoreError> {
        let (person, task) = (self.list.person, self.list.person.task);
        let rules = &rounds[0].rules;
        for answer in tried.closest.map(|(_, answer)| answer).into_iter().chain([start]) {
            ledger.settle(answer, Some(self.watched))?;
        }
        let rank = |answer: AnswerId| ledger.answer(answer).standings[self.watched].placed();
        let best_rank = tried.closest.and_then(|(_, answer)| rank(answer));
        if let Some((round, longer)) = &tried.longer {
            let cap = rounds[*round].rules.cap;
            return Ok(Reason::CapReached { cap, found: Some(longer.edges.len()), best_rank });
        }
        // What was left out of a long history may have what it takes.
        let out_of_budget = Reason::OutOfBudget { asked: tried.asked };
        if tried.out_of_budget {
            return Ok(out_of_budget);
        }
        if self.list.given.is_some() && !tried.many {
            return Ok(Reason::ProposalFallsShort { proposed: tried.few, best_rank });
        }
        // What is needed is there, and what is enough: it is being both that fails.
        if self.goal == Goal::Joint {
            return Ok(Reason::NoSetIsBoth { tried: tried.sets });
        }
        if rounds.iter().all(|round| round.rules.cap == 0 || round.pool.is_empty()) {
            return Ok(match rounds.iter().all(|round| round.pool.is_empty()) {
                true if person.cut => out_of_budget,
                true => Reason::NoHistory,
                false => Reason::CapReached { cap: 0, found: None, best_rank: rank(start) },
            });
        }
        if self.goal == Goal::Counterfactual
            && let Some(rank) = self.rank_without_history(ledger, rules)?
        {
            return Ok(Reason::CarriedByProfile { rank, tried: tried.sets });
        }
        if task.scope != Scope::Own && person.graph().users_of(self.item).is_empty() {
            return Ok(Reason::ItemWithoutInteractions);
        }
        let cap = rounds.iter().map(|round| round.rules.cap).max().unwrap_or(0);
        let edges = rounds.iter().map(|round| round.pool.len()).sum();
        // Who follows an order has not looked at each edge.
        let thorough = matches!(self.list.method, Method::Grease | Method::Exact);
        Ok(if person.cut || self.leaves_people_out() {
            out_of_budget
        } else if !thorough || (edges > cap && self.stops_at_the_cap()) {
            Reason::CapReached { cap: cap.min(edges), found: None, best_rank }
        } else {
            Reason::NothingSuffices { edges, tried: tried.sets, best_rank }
        })
    }

    /// The rank of an item that stays on the list with all of the person's interactions gone, where that can be asked.
    fn rank_without_history(
        &self,
        ledger: &mut Ledger<'a>,
        rules: &Rules<'_>,
    ) -> Result<Option<usize>, ScoreError> {
        let person = self.list.person;
        if person.task.scope != Scope::Own || rules.profile != Profile::Kept {
            return Ok(None);
        }
        let bare = ledger.ask(rules.profile, &[rules.edit(&person.own)])?[0];
        ledger.settle(bare, Some(self.watched))?;
        let answer = ledger.answer(bare);
        let standing = answer.standings[self.watched];
        // Not where everything is equal and only the row decides.
        Ok((standing.margin > answer.tolerance).then_some(standing.rank))
    }

    /// Whether more people have the item than are asked about.
    fn leaves_people_out(&self) -> bool {
        let person = self.list.person;
        person.task.scope == Scope::Target && person.graph().users_of(self.item).len() > MOST_PEOPLE
    }

    /// Whether no larger set is tried than may be cited.
    fn stops_at_the_cap(&self) -> bool {
        let (method, task) = (self.list.method, self.list.person.task);
        task.rigour == Rigour::InOrder
            || method == Method::Exact
            || (method == Method::Grease && self.goal == Goal::Factual && task.scope != Scope::Own)
    }
}
