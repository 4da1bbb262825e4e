//! One item, one goal: from the start to an [`Explanation`].

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use grease_graph::{Edge, ItemId, Profile, ScoreError};

use crate::certify::{Found, Outcome, Search, Stop, certify, until_it_does};
use crate::desk::Desk;
use crate::effects::Effects;
use crate::ledger::{AnswerId, Ledger};
use crate::methods::{Method, Visits, likest_first};
use crate::rules::Rules;
use crate::stand_in::{StandIn, contenders_with};
use crate::{Caps, Change, Cited, Explanation, Goal, Neighbourhood, Reason, Rigour, Scope, Status};

/// Items asked about before it is said which would bring an item in: the ones most like it.
const WORTH_ADDING: usize = 48;

/// What single interactions do, asked once for the list.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Their effects.
    pub(crate) effects: Rc<Effects>,
    /// This explanation's share of the questions.
    pub(crate) share: f32,
}

/// What all cases of one person have in common.
pub(crate) struct Common<'c, 'a> {
    pub(crate) desk: &'c Desk<'a>,
    pub(crate) method: Method,
    /// The unedited graph, profile neutral; `None` where that cannot be asked.
    pub(crate) neutral: Option<AnswerId>,
    /// One explanation's share of the questions asked for all of them.
    pub(crate) basics: f32,
    /// The surroundings of the person and the list, for scopes that need them.
    pub(crate) neighbourhood: Option<&'c Neighbourhood>,
    /// The surrogate, for methods that need it.
    pub(crate) stand_in: Option<&'c StandIn<'c>>,
    /// Where a walk from the person goes, once a method asks.
    pub(crate) visits: OnceCell<Visits>,
}

/// One item to explain for one goal.
pub(crate) struct Case<'c, 'a> {
    pub(crate) common: &'c Common<'c, 'a>,
    pub(crate) goal: Goal,
    pub(crate) item: ItemId,
    /// Its place among the watched.
    pub(crate) watched: usize,
    pub(crate) shared: Option<&'c Shared>,
}

/// One search: its rules, and the edges that may be cited.
struct Round<'a> {
    rules: Rules<'a>,
    pool: Vec<Edge>,
}

impl<'c, 'a> Case<'c, 'a> {
    /// The person's case.
    pub(crate) fn desk(&self) -> &'c Desk<'a> {
        self.common.desk
    }

    /// Explains, and adds the explanation and its alternatives.
    pub(crate) fn explain(
        &self,
        ledger: &mut Ledger<'a>,
        into: &mut Vec<Explanation>,
    ) -> Result<(), ScoreError> {
        let mut used = BTreeSet::new();
        for alternative in 0..=self.desk().task.alternatives {
            let (mut explanation, longer) = self.one(ledger, &used)?;
            if alternative == 0 {
                // What is asked for all was asked for the first: the others come on top.
                explanation.queries += self.common.basics + self.shared.map_or(0.0, |shared| shared.share);
            }
            let found = explanation.status == Status::Verified;
            if alternative > 0 && !found {
                break;
            }
            used.extend(explanation.edges.iter().map(|cited| cited.edge));
            into.push(explanation);
            into.extend(longer);
            if !found {
                break;
            }
        }
        Ok(())
    }

    /// An explanation within the task's caps; where there is none and the task looks beyond, also what is found there.
    fn one(
        &self,
        ledger: &mut Ledger<'a>,
        used: &BTreeSet<Edge>,
    ) -> Result<(Explanation, Option<Explanation>), ScoreError> {
        let task = self.desk().task;
        let Some(beyond) = task.beyond else { return Ok((self.within(task.caps, ledger, used)?, None)) };
        if self.common.method == Method::Paper {
            // Its caps only choose among what it comes across: once is enough.
            let longer = self.within(beyond, ledger, used)?;
            return Ok(match longer.edges.len() > task.caps.of(self.goal) {
                true => (longer.clone().given_up(), Some(longer)),
                false => (longer, None),
            });
        }
        let explanation = self.within(task.caps, ledger, used)?;
        let searched = matches!(
            explanation.reason,
            Some(Reason::CapReached { .. } | Reason::CarriedByProfile { .. } | Reason::OutOfBudget { .. })
        );
        if !searched {
            return Ok((explanation, None));
        }
        let longer = self.within(beyond, ledger, used)?;
        Ok((explanation, Some(longer).filter(|longer| longer.status == Status::Verified)))
    }

    fn rules(&self, caps: Caps) -> Rules<'a> {
        Rules { cap: caps.of(self.goal), ..self.desk().rules(self.goal, self.item) }
    }

    fn within(
        &self,
        caps: Caps,
        ledger: &mut Ledger<'a>,
        used: &BTreeSet<Edge>,
    ) -> Result<Explanation, ScoreError> {
        let rules = self.rules(caps);
        let asked = ledger.asked();
        let start = ledger.ask(rules.profile, &[rules.edit(&[])])?[0];
        let mut explanation = self.begun(ledger, rules.profile, start);
        if let Some(reason) = self.nothing_to_search(ledger, &rules, start) {
            explanation.reason = Some(reason);
        } else if self.common.method == Method::Paper {
            self.judge(ledger, &rules, start, used, &mut explanation)?;
        } else if rules.reached(ledger.answer(start), self.watched) {
            self.needs_nothing(&mut explanation, ledger, &rules, start);
        } else {
            self.search(caps, ledger, &mut explanation, start, used)?;
        }
        explanation.queries = (ledger.asked() - asked) as f32;
        Ok(explanation)
    }

    /// What is known before the search.
    pub(crate) fn begun(&self, ledger: &Ledger<'_>, profile: Profile, start: AnswerId) -> Explanation {
        let task = self.desk().task;
        let before = ledger.answer(self.desk().before).standings[self.watched];
        // Without the learned row the score is the history's part; the rest is the profile's.
        let share = |neutral: AnswerId| {
            let history = ledger.answer(neutral).standings[self.watched].score;
            (1.0 - history / before.score).clamp(0.0, 1.0)
        };
        let of_own = task.scope == Scope::Own && before.score > 0.0;
        Explanation {
            user: self.desk().user,
            item: self.item,
            k: task.k,
            goal: self.goal,
            scope: task.scope,
            profile,
            method: self.common.method.name(),
            status: Status::NotFound,
            reason: None,
            edges: Vec::new(),
            evicted: self.desk().evicted(self.goal),
            rank_before: before.rank,
            margin_before: before.margin,
            rank_start: ledger.answer(start).standings[self.watched].rank,
            rank_after: None,
            margin_after: None,
            replaced_by: None,
            minimal: None,
            profile_share: self.common.neutral.filter(|_| of_own).map(share),
            queries: 0.0,
            surrogate: None,
            neighbourhood: self.common.stand_in.map(StandIn::size),
            seed: task.seed,
        }
    }

    /// A factual search that begins where it wants to go.
    pub(crate) fn needs_nothing(
        &self,
        explanation: &mut Explanation,
        ledger: &Ledger<'_>,
        rules: &Rules<'_>,
        start: AnswerId,
    ) {
        explanation.status = Status::Trivial;
        let nothing = Found { edges: Vec::new(), answer: start, minimal: Some(true) };
        self.apply(explanation, ledger, rules, &nothing);
    }

    /// What was found, and what the recommender said about it.
    pub(crate) fn apply(
        &self,
        explanation: &mut Explanation,
        ledger: &Ledger<'_>,
        rules: &Rules<'_>,
        found: &Found,
    ) {
        let after = ledger.answer(found.answer).standings[self.watched];
        let edges = self.strongest_first(ledger, rules, &found.edges);
        explanation.edges = edges.into_iter().map(|edge| Cited { change: rules.change, edge }).collect();
        explanation.rank_after = Some(after.rank);
        explanation.margin_after = Some(after.margin);
        explanation.minimal = found.minimal;
    }

    /// By what each does alone, where that was asked of all of them; else as they were found.
    fn strongest_first(&self, ledger: &Ledger<'_>, rules: &Rules<'_>, edges: &[Edge]) -> Vec<Edge> {
        let gain = |&edge: &Edge| {
            let alone = ledger.recall(rules.profile, rules.edit(&[edge]))?;
            Some((rules.gain(alone.standings[self.watched].margin), edge))
        };
        match edges.iter().map(gain).collect::<Option<Vec<_>>>() {
            Some(mut known) => {
                known.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                known.into_iter().map(|(_, edge)| edge).collect()
            }
            None => edges.to_vec(),
        }
    }

    /// Reasons that need no search.
    pub(crate) fn nothing_to_search(
        &self,
        ledger: &Ledger<'_>,
        rules: &Rules<'_>,
        start: AnswerId,
    ) -> Option<Reason> {
        let task = self.desk().task;
        let before = ledger.answer(self.desk().before).standings[self.watched];
        let begin = ledger.answer(start).standings[self.watched];
        let carried = rules.reached(ledger.answer(start), self.watched);
        match self.goal {
            Goal::WhyNot if before.rank <= task.k => Some(Reason::AlreadyInside { rank: before.rank }),
            Goal::WhyNot if begin.rank <= task.k => Some(Reason::AlreadyInside { rank: begin.rank }),
            Goal::WhyNot => None,
            _ if before.rank > task.k => Some(Reason::AlreadyOutside { rank: before.rank }),
            Goal::Counterfactual if begin.rank > task.k => Some(Reason::AlreadyOutside { rank: begin.rank }),
            _ if before.margin == f32::INFINITY => Some(Reason::FewerCandidatesThanPlaces),
            _ if task.scope == Scope::Own && self.desk().citable.is_empty() && !carried => {
                Some(if self.desk().cut { Reason::OutOfBudget { asked: 0 } } else { Reason::NoHistory })
            }
            _ => None,
        }
    }

    /// The edges that may be cited.
    pub(crate) fn pool(&self, used: &BTreeSet<Edge>) -> Vec<Edge> {
        let (desk, task) = (self.desk(), self.desk().task);
        let mut pool = desk.citable.clone();
        let others = |edge: &Edge| edge.user != desk.user && !task.never_cite.contains(&edge.item);
        match (task.scope, self.common.neighbourhood) {
            (Scope::Own, _) => {}
            (Scope::Hops, Some(near)) => {
                pool.extend((0..near.len() as u32).map(|edge| near.edge(edge)).filter(others));
            }
            (Scope::Target | Scope::Hops, _) => {
                let users = desk.graph().users_of(self.item);
                pool.extend(users.iter().map(|&user| Edge::new(user, self.item.0)).filter(others));
            }
        }
        pool.retain(|edge| !used.contains(edge));
        pool
    }

    /// The searches to make: one, but two ways to bring an item in.
    fn rounds(&self, caps: Caps, used: &BTreeSet<Edge>) -> Vec<Round<'a>> {
        let rules = self.rules(caps);
        if self.goal != Goal::WhyNot {
            return vec![Round { rules, pool: self.pool(used) }];
        }
        let desk = self.desk();
        let own = desk.citable.iter().copied().filter(|edge| !used.contains(edge)).collect();
        let touched: BTreeSet<ItemId> = desk.own.iter().map(|edge| edge.item).collect();
        let untouched: Vec<Edge> = (0..desk.graph().items() as u32)
            .map(|item| Edge::new(desk.user.0, item))
            .filter(|edge| edge.item != self.item && !touched.contains(&edge.item))
            .filter(|edge| !desk.task.never_cite.contains(&edge.item) && !used.contains(edge))
            .collect();
        let likest = likest_first(self, &untouched, WORTH_ADDING);
        let adding = Rules { change: Change::Added, cap: caps.add, ..rules.clone() };
        vec![Round { rules, pool: own }, Round { rules: adding, pool: likest }]
    }

    fn search(
        &self,
        caps: Caps,
        ledger: &mut Ledger<'a>,
        explanation: &mut Explanation,
        start: AnswerId,
        used: &BTreeSet<Edge>,
    ) -> Result<(), ScoreError> {
        let rounds = self.rounds(caps, used);
        let mut best: Option<(usize, Found)> = None;
        let mut closest: Option<(usize, AnswerId)> = None;
        let mut out_of_budget = false;
        let allowed = if self.common.method == Method::Exact { usize::MAX } else { self.desk().task.queries };
        let mut budget = allowed;
        for (at, round) in rounds.iter().enumerate() {
            let mut search =
                Search { ledger, rules: &round.rules, watched: self.watched, budget, best: None };
            for attempt in 0.. {
                let proposal = match self.common.method.propose(self, &mut search, &round.pool, attempt) {
                    Ok(Some(proposal)) => proposal,
                    Ok(None) => break,
                    Err(Stop::OutOfBudget) => {
                        out_of_budget = true;
                        break;
                    }
                    Err(Stop::Score(error)) => return Err(error),
                };
                let outcome = match self.desk().task.rigour {
                    Rigour::Certified => certify(&mut search, &proposal)?,
                    Rigour::InOrder => until_it_does(&mut search, &proposal.order)?,
                };
                match outcome {
                    Outcome::Found(found)
                        if best.as_ref().is_none_or(|(_, b)| found.edges.len() < b.edges.len()) =>
                    {
                        best = Some((at, found));
                    }
                    Outcome::OutOfBudget => out_of_budget = true,
                    Outcome::Found(_) | Outcome::Short => {}
                }
            }
            budget = search.budget;
            let gain = |(_, answer): (usize, AnswerId), search: &Search<'_, '_>| search.gain(answer);
            closest = match (closest, search.best.map(|answer| (at, answer))) {
                (Some(a), Some(b)) if gain(b, &search) > gain(a, &search) => Some(b),
                (a, b) => a.or(b),
            };
        }
        match best {
            Some((at, found)) => {
                let rules = &rounds[at].rules;
                explanation.status = Status::Verified;
                self.apply(explanation, ledger, rules, &found);
                if self.goal == Goal::Counterfactual {
                    explanation.replaced_by = self.newly_listed(ledger, start, found.answer);
                }
                self.imitated(ledger, explanation, rules, start, &found.edges);
            }
            None if out_of_budget => {
                self.imitated(ledger, explanation, &rounds[0].rules, start, &[]);
                explanation.reason = Some(Reason::OutOfBudget { asked: allowed - budget });
            }
            None => {
                self.imitated(ledger, explanation, &rounds[0].rules, start, &[]);
                let reason = self.why_short(ledger, &rounds, closest, explanation.rank_start)?;
                let unsure = match reason {
                    Reason::NothingSuffices { .. } | Reason::NoHistory => true,
                    Reason::CapReached { cap, .. } => rounds.iter().all(|round| cap < round.rules.cap),
                    _ => false,
                };
                explanation.reason = Some(match reason {
                    // What was left out of a long history may have what it takes.
                    _ if unsure && self.desk().cut => Reason::OutOfBudget { asked: allowed - budget },
                    reason => reason,
                });
            }
        }
        Ok(())
    }

    /// What the surrogate thinks of it, where there is one.
    fn imitated(
        &self,
        ledger: &Ledger<'_>,
        explanation: &mut Explanation,
        rules: &Rules<'_>,
        start: AnswerId,
        cited: &[Edge],
    ) {
        if let Some(stand_in) = self.common.stand_in {
            let real = contenders_with(ledger, start);
            explanation.surrogate = stand_in.view(&real, rules, self.item, self.desk().task.k, cited);
        }
    }

    /// Why every attempt fell short.
    fn why_short(
        &self,
        ledger: &mut Ledger<'a>,
        rounds: &[Round<'_>],
        closest: Option<(usize, AnswerId)>,
        rank_start: usize,
    ) -> Result<Reason, ScoreError> {
        let (desk, task) = (self.desk(), self.desk().task);
        let rules = &rounds[0].rules;
        if self.goal == Goal::Counterfactual && task.scope == Scope::Own && rules.profile == Profile::Kept {
            let bare = ledger.ask(rules.profile, &[rules.edit(&desk.own)])?[0];
            let answer = ledger.answer(bare);
            let standing = answer.standings[self.watched];
            // Not where everything is equal and only the row decides.
            if standing.margin > answer.tolerance {
                return Ok(Reason::CarriedByProfile { rank: standing.rank });
            }
        }
        if task.scope != Scope::Own && desk.graph().users_of(self.item).is_empty() {
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
        let thorough = matches!(self.common.method, Method::Grease | Method::Exact);
        Ok(if edges <= cap && thorough {
            Reason::NothingSuffices { edges, best_rank }
        } else {
            Reason::CapReached { cap: cap.min(edges), best_rank }
        })
    }

    /// The best item of the list afterwards that was not on it before, unless it must not be named.
    pub(crate) fn newly_listed(
        &self,
        ledger: &Ledger<'_>,
        start: AnswerId,
        after: AnswerId,
    ) -> Option<ItemId> {
        let before = &ledger.answer(start).list;
        let new = ledger.answer(after).list.iter().copied().find(|item| !before.contains(item))?;
        (!self.desk().task.never_cite.contains(&new)).then_some(new)
    }
}
