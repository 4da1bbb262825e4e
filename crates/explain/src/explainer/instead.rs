//! Where the question asked has no answer: the nearest weaker one that has.

use grease_graph::{Profile, ScoreError};

use super::pair::{Pair, Round, Tried};
use crate::ask::{Ledger, Rules};
use crate::explanation::{Instead, Reason, Weaker};
use crate::find::{Checked, Found, Search, Stop, larger, prune};
use crate::methods::Method;
use crate::task::{Goal, Scope};

impl<'a> Pair<'_, 'a> {
    /// The answer to the nearest weaker question, certified: what holds going by the history alone, else more edges than may be cited.
    /// Both at once has its parts.
    pub(super) fn instead(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        tried: Tried,
        reason: Reason,
    ) -> Result<Option<Instead>, ScoreError> {
        let task = self.list.person.task;
        let is_searched = matches!(
            reason,
            Reason::CapReached { .. }
                | Reason::NothingSuffices { .. }
                | Reason::CarriedByProfile { .. }
                | Reason::OutOfBudget { .. }
        );
        let is_asked = task.instead && self.list.method == Method::Grease && task.scope == Scope::Own;
        match self.goal {
            Goal::Joint => Ok(self.parts_instead()),
            Goal::Factual | Goal::Counterfactual if is_asked && is_searched => {
                self.weaker(ledger, round, tried)
            }
            _ => Ok(None),
        }
    }

    fn weaker(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        tried: Tried,
    ) -> Result<Option<Instead>, ScoreError> {
        let mut left = ledger.questions(self.list.person.task.queries).saturating_sub(tried.asked);
        let mut longer_alone = None;
        if self.goal == Goal::Counterfactual && round.rules.profile == Profile::Kept {
            let asked = ledger.asked();
            let (few, many) = self.by_history_alone(ledger, round, left)?;
            if few.is_some() {
                return Ok(few);
            }
            longer_alone = many;
            left = left.saturating_sub(ledger.asked() - asked);
        }
        let longer = match tried.longer {
            Some((_, found)) => Some(found),
            None => self.larger(ledger, round, left)?,
        };
        if let Some(found) = longer
            && let Some(many) = self.many(ledger, round, found, Weaker::Many, left)?
        {
            return Ok(Some(many));
        }
        match longer_alone {
            Some((round, found)) => self.many(ledger, &round, found, Weaker::HistoryAlone, left),
            None => Ok(None),
        }
    }

    /// A set larger than may be cited, where sums of any size can be had; elsewhere larger sets were tried.
    fn larger(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        left: usize,
    ) -> Result<Option<Found>, ScoreError> {
        let mut search = Search::new(ledger, &round.rules, self.watched, left);
        if !search.has_sums() {
            return Ok(None);
        }
        match larger(&mut search, &round.pool) {
            Ok(found) => Ok(found),
            Err(Stop::OutOfBudget) => Ok(None),
            Err(Stop::Score(error)) => Err(error),
        }
    }

    /// The same question without what was learned about the person: an answer within the cap, or else a larger set.
    #[expect(clippy::type_complexity, reason = "one of two things that were found")]
    fn by_history_alone(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        left: usize,
    ) -> Result<(Option<Instead>, Option<(Round<'a>, Found)>), ScoreError> {
        let Some(start) = self.list.neutral else { return Ok((None, None)) };
        ledger.settle(start, Some(self.watched))?;
        let begin = ledger.answer(start);
        if begin.standings[self.watched].margin <= begin.tolerance {
            return Ok((None, None));
        }
        let rules = Rules { profile: Profile::Neutral, ..round.rules.clone() };
        let round = Round { rules, also: None, pool: round.pool.clone() };
        let alone = Pair { shared: None, parts: None, ..*self };
        let tried = alone.tried(ledger, std::slice::from_ref(&round), left)?;
        if let Some((_, found)) = tried.best {
            let checked =
                self.certifier(ledger, (&round.rules, None), start).check(&found.edges, found.minimal)?;
            if let Checked::Holds(certificate) = checked {
                let instead = Instead::new(Weaker::HistoryAlone, Profile::Neutral, certificate);
                return Ok((Some(instead), None));
            }
        }
        Ok((None, tried.longer.map(|(_, found)| (round, found))))
    }

    /// A set larger than may be cited, with what can be spared of it spared.
    fn many(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        found: Found,
        question: Weaker,
        left: usize,
    ) -> Result<Option<Instead>, ScoreError> {
        let rules = Rules { cap: round.pool.len(), ..round.rules.clone() };
        let found = match &self.list.estimates {
            None => prune(&mut Search::new(ledger, &rules, self.watched, left), found, None)?,
            Some(estimates) => {
                let estimates = &mut *estimates.borrow_mut();
                let answer = estimates.ask(rules.profile, &[rules.edit(&found.edges)])?[0];
                let guess = Found { answer, ..found.clone() };
                let mut search = Search::new(estimates, &rules, self.watched, usize::MAX);
                let smaller = prune(&mut search, guess, None)?;
                let answer = ledger.ask(rules.profile, &[rules.edit(&smaller.edges)])?[0];
                match ledger.surely_reached(&rules, answer, self.watched)? {
                    true => Found { answer, minimal: None, ..smaller },
                    false => found,
                }
            }
        };
        let start = ledger.ask(rules.profile, &[rules.edit(&[])])?[0];
        let checked = self.certifier(ledger, (&rules, None), start).check(&found.edges, found.minimal)?;
        Ok(match checked {
            Checked::Holds(certificate) => Some(Instead::new(question, rules.profile, certificate)),
            Checked::Denied(_) | Checked::Unsure(_) => None,
        })
    }
}
