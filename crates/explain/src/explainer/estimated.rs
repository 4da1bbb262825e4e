//! Searching by estimates where the recommender itself takes its time: it is asked about what they come to, and its word counts.

use grease_graph::{Edge, ScoreError};

use super::pair::Pair;
use super::rounds::{Round, Tried};
use crate::ask::{AnswerId, Ledger, Rules};
use crate::find::{Found, Search, Stop, prune};

/// Times an estimate that proved wrong is taken as a lesson: how far it was off is then demanded on top.
const LESSONS: usize = 4;

/// How much more than that.
const CAUTION: f32 = 1.25;

/// A set that estimates come to.
struct Guess {
    edges: Vec<Edge>,
    /// How far beyond the edge of the list they put the item, on the side where it is wanted.
    gain: f32,
    /// Whether they say that it does it.
    does_it: bool,
}

impl<'a> Pair<'_, 'a> {
    /// As [`try_all`](Self::try_all), by estimates; what they come to is asked of the recommender itself.
    pub(super) fn by_estimates(
        &self,
        ledger: &mut Ledger<'a>,
        estimates: &mut Ledger<'a>,
        rounds: &[Round<'a>],
        allowed: usize,
    ) -> Result<Tried, ScoreError> {
        let mut tried = Tried::default();
        for (at, round) in rounds.iter().enumerate() {
            let mut search = Search::new(ledger, &round.rules, self.watched, allowed - tried.asked)
                .besides(round.also.as_ref());
            match self.learn(&mut search, estimates, round, (at, &mut tried)) {
                Ok(()) => {}
                Err(Stop::OutOfBudget) => tried.out_of_budget = true,
                Err(Stop::Score(error)) => return Err(error),
            }
            tried.asked = allowed - search.budget;
            tried.sets += search.tried.len();
            tried.closest = match (tried.closest, search.best.map(|answer| (at, answer))) {
                (Some(a), Some(b)) if search.gain(b.1) > search.gain(a.1) => Some(b),
                (a, b) => a.or(b),
            };
        }
        Ok(tried)
    }

    /// Asks about what estimates come to, and again with what was learned where they were wrong.
    fn learn(
        &self,
        search: &mut Search<'_, 'a>,
        estimates: &mut Ledger<'a>,
        round: &Round<'a>,
        (at, tried): (usize, &mut Tried),
    ) -> Result<(), Stop> {
        let mut spare = 0f32;
        for _ in 0..LESSONS {
            let Some(guess) = self.guess_set(estimates, round, spare)? else { return Ok(()) };
            let answer = search.ask(std::slice::from_ref(&guess.edges))?[0];
            if search.reached(answer)? {
                let found = Found { edges: guess.edges, answer, minimal: None };
                let found = match found.edges.len() <= self.list.person.task.caps.of(self.goal) {
                    true => prune(search, found, None)?,
                    false => found,
                };
                tried.note(at, found, round.rules.cap);
                return Ok(());
            }
            let off = guess.gain - search.gain(answer);
            if !guess.does_it || off <= 0.0 {
                return Ok(());
            }
            spare = spare.max(CAUTION * off);
        }
        Ok(())
    }

    /// What estimates say does it with so much to spare, or comes closest.
    fn guess_set(
        &self,
        estimates: &mut Ledger<'a>,
        round: &Round<'a>,
        spare: f32,
    ) -> Result<Option<Guess>, ScoreError> {
        let rules = Rules { spare, ..round.rules.clone() };
        let also = round.also.clone().map(|also| Rules { spare, ..also });
        let guessed = Round { rules: rules.clone(), also, pool: round.pool.clone() };
        let tried =
            self.try_all(estimates, &[guessed], estimates.questions(self.list.person.task.queries))?;
        let gain = |answer: AnswerId| rules.gain(&estimates.answer(answer).standings[self.watched]);
        if let Some((_, found)) = tried.best.or(tried.longer) {
            let mut edges = found.edges;
            let alone = |edge: &Edge| {
                let answer = estimates.recall(rules.profile, &rules.edit(&[*edge]));
                answer.map_or(f32::NEG_INFINITY, |answer| rules.gain(&answer.standings[self.watched]))
            };
            // In haste, whether single edges were asked about depends on what else was.
            if !self.is_hasty {
                edges.sort_by(|a, b| alone(b).total_cmp(&alone(a)).then(a.cmp(b)));
            }
            return Ok(Some(Guess { gain: gain(found.answer), edges, does_it: true }));
        }
        let Some((_, closest)) = tried.closest else { return Ok(None) };
        let edit = estimates.edit(closest);
        let edges: Vec<Edge> = round.pool.iter().filter(|edge| rules.cites(edit, edge)).copied().collect();
        Ok(Some(Guess { gain: gain(closest), edges, does_it: false }))
    }
}
