//! What is known about sets smaller than the one that was found.

use grease_graph::ScoreError;

use super::joint::Parts;
use super::pair::Pair;
use super::rounds::Round;
use crate::ask::Ledger;
use crate::explanation::Minimum;
use crate::find::{Found, Search, prove};
use crate::methods::Method;
use crate::task::Goal;

/// Work method `exact` does to prove a minimum, in edits.
const EXACT_WORK: usize = 1_000_000;

impl<'a> Pair<'_, 'a> {
    /// The set, or a smaller one that does it too, with what is known about smaller ones; and the edits that were tried for that alone.
    ///
    /// Only where a method looks for the smallest: what an order finds is its own.
    pub(super) fn proved(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
        found: Found,
    ) -> Result<(Found, Option<(Minimum, usize)>), ScoreError> {
        let size = found.edges.len();
        let looks_for_the_smallest = matches!(self.list.method, Method::Grease | Method::Exact);
        if !looks_for_the_smallest || self.goal == Goal::WhyNot {
            return Ok((found, Some((known_of_smaller(size), 0))));
        }
        let is_exact = self.list.method == Method::Exact;
        let allowed = if is_exact { EXACT_WORK } else { self.list.to_prove.get() };
        let asked = ledger.asked();
        let mut search = Search::new(ledger, &round.rules, self.watched, 0).besides(round.also.as_ref());
        let known = self.parts.map_or(0, Parts::least);
        let proof = prove(&mut search, &round.pool, size, (known, allowed))?;
        if !is_exact {
            self.list.to_prove.set(allowed.saturating_sub(proof.work));
        }
        let minimum = if proof.is_proved { Minimum::Proved } else { Minimum::Searched };
        ledger.uncount(ledger.asked() - asked);
        Ok((proof.smaller.unwrap_or(found), Some((minimum, proof.edits))))
    }
}

impl<'a> Pair<'_, 'a> {
    /// The smallest set that does it, found by going through all of them as far as work allows: what the ceiling does where sets are
    /// wanted that do two things at once, and no way that was followed led to one.
    pub(super) fn gone_through(
        &self,
        ledger: &mut Ledger<'a>,
        round: &Round<'a>,
    ) -> Result<Option<Found>, ScoreError> {
        if self.list.method != Method::Exact || self.goal != Goal::Joint {
            return Ok(None);
        }
        let one_too_many = round.rules.cap.saturating_add(1).min(round.pool.len() + 1);
        let known = self.parts.map_or(0, Parts::least);
        let mut search = Search::new(ledger, &round.rules, self.watched, 0).besides(round.also.as_ref());
        Ok(prove(&mut search, &round.pool, one_too_many, (known, EXACT_WORK))?.smaller)
    }
}

/// What is known about sets smaller than one nobody tried to prove anything of.
pub(super) fn known_of_smaller(size: usize) -> Minimum {
    if size <= 1 { Minimum::Proved } else { Minimum::Searched }
}
