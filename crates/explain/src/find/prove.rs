//! Proving that no smaller set does it: every set of one, two, three ... interactions is tried, or excluded by what sums of that size
//! can be at most.

use grease_graph::{Edge, ScoreError};

use super::branches::{Branches, Tried, Verdict};
use super::rivals::Rivals;
use super::search::{Found, Search};

/// What came of a proof.
pub(crate) struct Proof {
    /// A smaller set that does it: the smallest.
    pub(crate) smaller: Option<Found>,
    /// Whether no smaller set than that, or than the one found, does it.
    pub(crate) is_proved: bool,
    /// Edits tried.
    pub(crate) edits: usize,
    /// What of the work allowed was done.
    pub(crate) work: usize,
}

/// Tries to prove that no set of fewer edges of `pool` than `found` does it, within an amount of work: an edit tried is one unit.
/// Of sets of fewer edges than `known` that is known already.
pub(crate) fn prove(
    search: &mut Search<'_, '_>,
    pool: &[Edge],
    found: usize,
    (known, allowed): (usize, usize),
) -> Result<Proof, ScoreError> {
    let mut proof = Proof { smaller: None, is_proved: false, edits: 0, work: 0 };
    if found > 1 && known <= 1 && !single_edges_fail(search, pool, allowed, &mut proof)? {
        return Ok(proof);
    }
    for size in known.max(2)..found {
        let left = allowed.saturating_sub(proof.work);
        if !search.ledger.is_close() || left == 0 {
            return Ok(proof);
        }
        let tried = match search.wide_sums(pool, size)? {
            Some((sums, item)) => {
                let rivals = Rivals::of(&sums, item, size);
                Branches::new(&rivals, pool, size, search.k(), left, true).try_all(search)?
            }
            None => every_set(search, pool, size, left)?,
        };
        proof.edits += tried.edits;
        proof.work += tried.work;
        match tried.verdict {
            Verdict::NoneDoesIt => {}
            Verdict::DoesIt(edges) => {
                let answer = search.ledger.ask(search.rules.profile, &[search.rules.edit(&edges)])?[0];
                proof.smaller = Some(Found { edges, answer, minimal: Some(true) });
                break;
            }
            Verdict::TooMany => return Ok(proof),
        }
    }
    proof.is_proved = true;
    Ok(proof)
}

/// Whether no single edge does it; one that does is kept. What was not asked is asked only where that costs next to nothing, and where
/// only contenders were looked at, the others are now. That is a look at each interaction, and not charged: it is what every proof
/// begins with.
fn single_edges_fail(
    search: &mut Search<'_, '_>,
    pool: &[Edge],
    allowed: usize,
    proof: &mut Proof,
) -> Result<bool, ScoreError> {
    let edits: Vec<_> = pool.iter().map(|&edge| search.rules.edit(&[edge])).collect();
    let unknown = search.ledger.unknown(search.rules.profile, &edits);
    let is_close = search.ledger.is_close();
    if (!is_close && unknown > 0) || (is_close && allowed == 0) {
        return Ok(false);
    }
    proof.edits = unknown;
    let answers = search.ledger.ask(search.rules.profile, &edits)?;
    for (&edge, answer) in pool.iter().zip(answers) {
        if search.ledger.reached(search.rules, answer, search.watched)?
            && search.does_besides(&[edge], true)?
        {
            proof.smaller = Some(Found { edges: vec![edge], answer, minimal: Some(true) });
            proof.is_proved = true;
            return Ok(false);
        }
    }
    Ok(true)
}

/// Tries every set of a size, one after another.
fn every_set(
    search: &mut Search<'_, '_>,
    pool: &[Edge],
    size: usize,
    allowed: usize,
) -> Result<Tried, ScoreError> {
    let mut tried = Tried { verdict: Verdict::NoneDoesIt, edits: 0, work: 0 };
    if sets(pool.len(), size).is_none_or(|sets| sets > allowed) {
        tried.verdict = Verdict::TooMany;
        return Ok(tried);
    }
    let mut places: Vec<usize> = (0..size).collect();
    loop {
        let edges: Vec<Edge> = places.iter().map(|&at| pool[at]).collect();
        (tried.edits, tried.work) = (tried.edits + 1, tried.work + 1);
        if search.try_out(&edges, true)? {
            tried.verdict = Verdict::DoesIt(edges);
            return Ok(tried);
        }
        // The next set: the last place that can still move does, those after it follow.
        let Some(moves) = (0..size).rev().find(|&at| places[at] < pool.len() - size + at) else {
            return Ok(tried);
        };
        places[moves] += 1;
        for at in moves + 1..size {
            places[at] = places[at - 1] + 1;
        }
    }
}

/// How many sets of a size there are.
fn sets(pool: usize, size: usize) -> Option<usize> {
    if size > pool {
        return Some(0);
    }
    (0..size).try_fold(1usize, |sets, at| Some(sets.checked_mul(pool - at)? / (at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_counted() {
        assert_eq!([sets(36, 2), sets(5, 5), sets(3, 4), sets(40, 3)], [630, 1, 0, 9880].map(Some));
        assert_eq!(sets(100_000, 9), None);
    }
}
