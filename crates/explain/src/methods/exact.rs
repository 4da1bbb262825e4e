//! The ceiling: what the best search finds with no limit of questions.

use std::collections::BTreeSet;

use grease_graph::Edge;

use super::way::{Looks, Needs, Way};
use super::{Attempt, Context, cosine, grease, leave_one_out, personal_rank, random};
use crate::ask::Rules;
use crate::find::{Search, Stop};
use crate::task::Scope;

pub(super) const WAY: Way = Way {
    name: "exact",
    looks: Looks::Variously(attempts),
    asks_singles: true,
    wants_surrogate: |scope, _, _| scope == Scope::Target,
    follows_gradients: false,
    is_rival: false,
    needs: Needs::Answers,
};

/// Pools up to this size are searched through whole: true minimality is then known.
const EXHAUSTIVE: usize = 12;
/// Pools up to this size have all their pairs asked; one answer serves the whole list.
const ALL_PAIRS: usize = 64;
/// Sets of one size that are followed further.
const BEAM: usize = 4;

/// A small pool is searched through whole. Of a larger one the other methods' answers come first: nothing they find is missed.
fn attempts(context: &Context<'_, '_>, rules: &Rules<'_>, pool: &[Edge]) -> Vec<Attempt> {
    if pool.len() <= EXHAUSTIVE {
        return vec![Attempt::Smallest];
    }
    // Of method grease what has a guide: the rest are orders, which follow here whole.
    let of_grease = grease::attempts(context, rules).into_iter().filter(|attempt| {
        matches!(attempt, Attempt::Sums | Attempt::Together | Attempt::Steps | Attempt::Wide)
    });
    let orders = [leave_one_out::order, cosine::order, personal_rank::order, random::order];
    of_grease.chain(orders.map(|order| Attempt::InOrder(order))).chain([Attempt::Beam]).collect()
}

/// The smallest set that does it, by trying all; of equal size the one that clears the edge of the list most.
pub(super) fn smallest(search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Option<Vec<Edge>>, Stop> {
    for size in 1..=search.rules.cap.min(pool.len()) {
        let sets: Vec<Vec<Edge>> = (1u32..1 << pool.len())
            .filter(|mask| mask.count_ones() as usize == size)
            .map(|mask| (0..pool.len()).filter(|at| mask & (1 << at) != 0).map(|at| pool[at]).collect())
            .collect();
        let answers = search.ask(&sets)?;
        if let Some(at) = search.best_reached(&answers)? {
            return Ok(Some(sets[at].clone()));
        }
    }
    Ok(None)
}

/// Grows sets edge by edge, following the best few of each size, every extension asked.
pub(super) fn beam(search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Option<Vec<Edge>>, Stop> {
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
        if let Some(at) = search.best_reached(&answers)? {
            return Ok(Some(sets[at].clone()));
        }
        let mut ranked: Vec<usize> = (0..sets.len()).collect();
        ranked.sort_by(|&a, &b| search.gain(answers[b]).total_cmp(&search.gain(answers[a])).then(a.cmp(&b)));
        front = ranked.into_iter().take(BEAM).map(|at| sets[at].clone()).collect();
    }
    Ok(None)
}
