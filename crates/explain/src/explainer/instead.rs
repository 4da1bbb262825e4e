//! Where the question asked has no answer: the nearest weaker one that has.

use grease_graph::{Profile, ScoreError};

use super::pair::Pair;
use super::rounds::{Round, Tried};
use crate::ask::{Ledger, Rules};
use crate::explanation::{Instead, Reason, Weaker};
use crate::find::{Certifier, Checked, Found, Search, Stop, larger, thinned};
use crate::methods::Method;
use crate::task::{Goal, Scope};

/// What is told where a search came to nothing.
pub(super) enum Told {
    /// An answer after all: a larger set had much to spare.
    Answer(Found),
    Instead(Instead),
}

/// A set that does it under weaker rules than were asked for.
struct Weakly<'a> {
    round: Round<'a>,
    found: Found,
}

impl<'a> Pair<'_, 'a> {
    /// The answer to the nearest weaker question, certified: what holds going by the history alone, else more edges than may be cited.
    /// Both at once has its parts.
    pub(super) fn instead(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        tried: Tried,
        reason: Reason,
    ) -> Result<Option<Told>, ScoreError> {
        let task = self.list.person.task;
        let is_searched = matches!(
            reason,
            Reason::CapReached { .. }
                | Reason::NothingSuffices { .. }
                | Reason::CarriedByProfile { .. }
                | Reason::OutOfBudget { .. }
        );
        // Not once more where it is looked beyond the caps.
        let within = round.rules.cap == task.caps.of(self.goal);
        let is_asked =
            task.instead && within && self.list.method == Method::Grease && task.scope == Scope::Own;
        match self.goal {
            Goal::Joint => Ok(self.parts_instead().map(Told::Instead)),
            Goal::Factual | Goal::Counterfactual if is_asked && is_searched => {
                self.weaker(ledger, round, tried, reason)
            }
            _ => Ok(None),
        }
    }

    fn weaker(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        tried: Tried,
        reason: Reason,
    ) -> Result<Option<Told>, ScoreError> {
        let allowed = ledger.questions(self.list.person.task.queries);
        let begun = ledger.asked() - tried.asked.min(ledger.asked());
        let left = |ledger: &Ledger<'_>| allowed.saturating_sub(ledger.asked() - begun);
        let by_history = match self.goal {
            Goal::Counterfactual => self.by_history_alone(ledger, round, false, left(ledger))?,
            _ => None,
        };
        let is_few = |weakly: &Weakly<'_>| weakly.found.edges.len() <= weakly.round.rules.cap;
        if let Some(few) = by_history.as_ref().filter(|weakly| is_few(weakly)) {
            return self.told(ledger, few, Weaker::HistoryAlone);
        }
        let many = match tried.longer {
            Some((_, found)) => Some(self.thinned(ledger, round, found)?),
            None => self.by_many(ledger, round, reason, left(ledger))?,
        };
        let many = many.map(|found| Weakly { round: round.clone(), found });
        match (many, by_history) {
            (Some(many), _) if is_few(&many) => Ok(Some(Told::Answer(many.found))),
            (Some(many), _) => self.told(ledger, &many, Weaker::Many),
            (None, Some(by_history)) => self.told(ledger, &by_history, Weaker::HistoryAlone),
            // Rarely: then it is worth looking everywhere, and to say that the history alone does not carry it at all.
            (None, None) if self.goal == Goal::Counterfactual => {
                let by_history = match self.without_the_profile(ledger, round)? {
                    Some(nothing) => Some(nothing),
                    None => self.by_history_alone(ledger, round, true, left(ledger))?,
                };
                match by_history {
                    Some(by_history) => self.told(ledger, &by_history, Weaker::HistoryAlone),
                    None => Ok(None),
                }
            }
            (None, None) => Ok(None),
        }
    }

    /// Where the item is off the list already once what was learned about the person is set aside: with nothing left out besides.
    fn without_the_profile(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
    ) -> Result<Option<Weakly<'a>>, ScoreError> {
        let Some(answer) = self.list.neutral.filter(|_| round.rules.profile == Profile::Kept) else {
            return Ok(None);
        };
        let rules = Rules { profile: Profile::Neutral, ..round.rules.clone() };
        let is_out = ledger.reached(&rules, answer, self.watched)?;
        let found = Found { edges: Vec::new(), answer, minimal: Some(true) };
        Ok(is_out.then_some(Weakly { round: Round { rules, ..round.clone() }, found }))
    }

    /// The same question without what was learned about the person: the first set that does it will do.
    fn by_history_alone(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        is_strict: bool,
        left: usize,
    ) -> Result<Option<Weakly<'a>>, ScoreError> {
        let Some(start) = self.list.neutral.filter(|_| round.rules.profile == Profile::Kept) else {
            return Ok(None);
        };
        ledger.settle(start, Some(self.watched))?;
        let begin = ledger.answer(start);
        if begin.standings[self.watched].margin <= begin.tolerance {
            return Ok(None);
        }
        let rules = Rules { profile: Profile::Neutral, ..round.rules.clone() };
        let round = Round { rules, also: None, pool: round.pool.clone() };
        let alone = Pair { shared: None, is_hasty: true, is_strict, ..*self };
        let tried = alone.tried(ledger, std::slice::from_ref(&round), left)?;
        let Some((_, found)) = tried.best.or(tried.longer) else { return Ok(None) };
        Ok(Some(Weakly { found, round }))
    }

    /// A set larger than may be cited.
    fn by_many(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        reason: Reason,
        left: usize,
    ) -> Result<Option<Found>, ScoreError> {
        let has_sums = Search::new(ledger, &round.rules, self.watched, left).has_sums();
        // Where all of them are not enough, no order of them leads anywhere.
        let all_fail = matches!(reason, Reason::CarriedByProfile { .. });
        if !(has_sums && all_fail) {
            let hasty = Pair { is_hasty: true, ..*self };
            let tried = hasty.tried(ledger, std::slice::from_ref(round), left)?;
            if let Some((_, found)) = tried.best.or(tried.longer) {
                return self.thinned(ledger, round, found).map(Some);
            }
        }
        if !has_sums {
            return Ok(None);
        }
        let mut search = Search::new(ledger, &round.rules, self.watched, left);
        match larger(&mut search, &round.pool) {
            Ok(Some(found)) => self.thinned(ledger, round, found).map(Some),
            Ok(None) | Err(Stop::OutOfBudget) => Ok(None),
            Err(Stop::Score(error)) => Err(error),
        }
    }

    /// A set larger than may be cited, with what can be spared of it spared where asking costs next to nothing.
    fn thinned(&self, ledger: &mut Ledger<'a>, round: &Round<'a>, found: Found) -> Result<Found, ScoreError> {
        match self.shared.filter(|_| ledger.is_close()) {
            Some(shared) => {
                let mut search = Search::new(ledger, &round.rules, self.watched, usize::MAX);
                thinned(&mut search, found, &shared.effects)
            }
            None => Ok(found),
        }
    }

    /// What was found, checked.
    fn told(
        &self,
        ledger: &mut Ledger<'a>,
        weakly: &Weakly<'a>,
        question: Weaker,
    ) -> Result<Option<Told>, ScoreError> {
        let Weakly { round: Round { rules, .. }, found } = weakly;
        let start = ledger.ask(rules.profile, &[rules.edit(&[])])?[0];
        let certifier = self.certifier(ledger, (rules, None), start);
        let checked = Certifier { as_found: true, ..certifier }.check(&found.edges, found.minimal)?;
        Ok(match checked {
            Checked::Holds(certificate) => {
                Some(Told::Instead(Instead::new(question, rules.profile, certificate)))
            }
            Checked::Denied(_) | Checked::Unsure(_) => None,
        })
    }
}
