//! The ceiling: what the best search finds with no limit of questions.

use std::collections::BTreeSet;

use grease_graph::Edge;

use super::{Method, Propose};
use crate::case::Case;
use crate::certify::{Proposal, Search, Stop};

/// Pools up to this size are searched through whole: true minimality is then known.
pub(crate) const EXHAUSTIVE: usize = 12;
/// Pools up to this size have all their pairs asked; one answer serves the whole list.
const ALL_PAIRS: usize = 64;
/// Sets of one size that are followed further.
const BEAM: usize = 4;

/// Every proposal of every other method.
const OTHERS: [(Method, usize); 6] = [
    (Method::Grease, 0),
    (Method::Grease, 4),
    (Method::LeaveOneOut, 0),
    (Method::Cosine, 0),
    (Method::PersonalRank, 0),
    (Method::Random, 0),
];

pub(super) struct Exact;

impl Propose for Exact {
    fn propose(
        &self,
        case: &Case<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        if pool.len() <= EXHAUSTIVE {
            let smallest = if attempt == 0 { smallest(search, pool)? } else { None };
            return Ok(smallest.map(|order| Proposal { order, guide: None }));
        }
        // The other methods' answers first: nothing they find is missed.
        if let Some(&(method, its_attempt)) = OTHERS.get(attempt) {
            let proposal = method.propose(case, search, pool, its_attempt)?;
            return Ok(Some(proposal.unwrap_or_default()));
        }
        if attempt > OTHERS.len() {
            return Ok(None);
        }
        let order = beam(search, pool)?.unwrap_or_default();
        Ok(Some(Proposal { order, guide: None }))
    }
}

/// The smallest set that does it, by trying all; of equal size the one that clears the edge of the list most.
fn smallest(search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Option<Vec<Edge>>, Stop> {
    for size in 1..=search.rules.cap.min(pool.len()) {
        let sets: Vec<Vec<Edge>> = (1u32..1 << pool.len())
            .filter(|mask| mask.count_ones() as usize == size)
            .map(|mask| (0..pool.len()).filter(|at| mask & (1 << at) != 0).map(|at| pool[at]).collect())
            .collect();
        let answers = search.ask(&sets)?;
        if let Some(at) = search.best_reached(&answers) {
            return Ok(Some(sets[at].clone()));
        }
    }
    Ok(None)
}

/// Grows sets edge by edge, following the best few of each size, every extension asked.
fn beam(search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Option<Vec<Edge>>, Stop> {
    let mut front: Vec<Vec<Edge>> = vec![Vec::new()];
    for size in 1..=search.rules.cap.min(pool.len()) {
        let mut next: BTreeSet<Vec<Edge>> = BTreeSet::new();
        if size == 2 && pool.len() <= ALL_PAIRS {
            front = pool.iter().map(|&edge| vec![edge]).collect();
        }
        for set in &front {
            for &edge in pool.iter().filter(|edge| !set.contains(edge)) {
                let mut grown = set.clone();
                grown.push(edge);
                grown.sort_unstable();
                next.insert(grown);
            }
        }
        let sets: Vec<Vec<Edge>> = next.into_iter().collect();
        let answers = search.ask(&sets)?;
        if let Some(at) = search.best_reached(&answers) {
            return Ok(Some(sets[at].clone()));
        }
        let mut ranked: Vec<usize> = (0..sets.len()).collect();
        ranked.sort_by(|&a, &b| search.gain(answers[b]).total_cmp(&search.gain(answers[a])).then(a.cmp(&b)));
        front = ranked.into_iter().take(BEAM).map(|at| sets[at].clone()).collect();
    }
    Ok(None)
}
