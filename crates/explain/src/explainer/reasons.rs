//! Why nothing is found: what is known before a search, and what is made of one that fell short.

use grease_graph::{Profile, ScoreError};

use super::pair::{Pair, Round};
use crate::ask::{AnswerId, Ledger, Rules};
use crate::explanation::Reason;
use crate::methods::Method;
use crate::task::{Goal, Scope};

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
            Goal::Counterfactual if begin.rank > task.k => Some(Reason::AlreadyOutside { rank: begin.rank }),
            _ if before.margin == f32::INFINITY => Some(Reason::FewerCandidatesThanPlaces),
            _ if task.scope == Scope::Own && self.list.person.citable.is_empty() && !carried => {
                Some(if self.list.person.cut { Reason::OutOfBudget { asked: 0 } } else { Reason::NoHistory })
            }
            _ => None,
        }
    }

    /// Why every attempt fell short.
    pub(super) fn why_short(
        &self,
        ledger: &mut Ledger<'a>,
        rounds: &[Round<'_>],
        closest: Option<(usize, AnswerId)>,
        rank_start: usize,
    ) -> Result<Reason, ScoreError> {
        let (person, task) = (self.list.person, self.list.person.task);
        let rules = &rounds[0].rules;
        if self.goal == Goal::Counterfactual && task.scope == Scope::Own && rules.profile == Profile::Kept {
            let bare = ledger.ask(rules.profile, &[rules.edit(&person.own)])?[0];
            let answer = ledger.answer(bare);
            let standing = answer.standings[self.watched];
            // Not where everything is equal and only the row decides.
            if standing.margin > answer.tolerance {
                return Ok(Reason::CarriedByProfile { rank: standing.rank });
            }
        }
        if task.scope != Scope::Own && person.graph().users_of(self.item).is_empty() {
            return Ok(Reason::ItemWithoutInteractions);
        }
        let Some((at, answer)) = closest else {
            // Nothing was asked: there is nothing to cite, or none of it may be.
            let barred = rounds.iter().find(|round| !round.pool.is_empty()).map(|round| round.rules.cap);
            return Ok(match barred {
                None => Reason::NoHistory,
                Some(0) => Reason::CapReached { cap: 0, best_rank: rank_start },
                Some(_) => Reason::OutOfBudget { asked: 0 },
            });
        };
        let best_rank = ledger.answer(answer).standings[self.watched].rank;
        let (cap, edges) = (rounds[at].rules.cap, rounds[at].pool.len());
        // A method that only follows an order has not looked at each edge.
        let thorough = matches!(self.list.method, Method::Grease | Method::Exact);
        Ok(if edges <= cap && thorough {
            Reason::NothingSuffices { edges, best_rank }
        } else {
            Reason::CapReached { cap: cap.min(edges), best_rank }
        })
    }
}
