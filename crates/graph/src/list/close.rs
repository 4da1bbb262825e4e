//! The best of a list on an edited graph, looked at closely: exact, without the scores of everybody else.

use std::cmp::Ordering;

use super::ranks::Ranks;
use crate::{Closely, Edit, Profile, Recommender, ScoreError, Sight, UserId, check_finite};

/// Those who look best are scored first; whoever else could be ahead is found by a bound.
const CONTENDERS: usize = 20;

/// Ranks far down a list are counted by looking at everybody above: where they are more, it is quicker to ask for all scores.
const MOST: usize = 1 << 14;

/// Items scored together: a panel takes a number for each of them and each interaction of the person.
const AT_A_TIME: usize = 1 << 12;

/// Where the `k` best candidates and `also` some others stand after an edit, with the profile kept; none where the recommender cannot be
/// looked at closely, or where that would be no quicker than to ask for all scores.
pub(super) fn ranks(
    recommender: &dyn Recommender,
    (user, edit): (UserId, &Edit),
    k: usize,
    also: &[u32],
    allowed: &[bool],
) -> Result<Option<Ranks>, ScoreError> {
    // Where only what is asked anew counts, a close look counts for nothing.
    if k > MOST || recommender.counts_anew() {
        return Ok(None);
    }
    let close = recommender.closely(user, allowed).filter(|close| close.sight() == Sight::Exact);
    let Some(mut close) = close else { return Ok(None) };
    let mut first = close.best(Profile::Kept, edit, CONTENDERS.max(k.saturating_mul(2)))?;
    first.extend_from_slice(also);
    first.sort_unstable();
    first.dedup();
    let mut known = scored(&mut *close, edit, &first)?;
    let is_allowed = |&(item, _): &(u32, f32)| allowed[item as usize];
    let mut order: Vec<(u32, f32)> = known.iter().copied().filter(is_allowed).collect();
    order.sort_unstable_by(better);
    let last = k.checked_sub(1).and_then(|last| order.get(last)).map(|last| last.1);
    let lowest = order.iter().filter(|(item, _)| also.contains(item)).map(|&(_, score)| score);
    let line = lowest.chain(last).fold(f32::INFINITY, f32::min);
    // Where fewer than k are known, everybody could be on the list.
    let line = if order.len() < k { f32::NEG_INFINITY } else { line };
    let panel = close.choose(&first)?;
    let others = close.above(Profile::Kept, edit, panel, line)?;
    close.forget(panel);
    if others.len() > MOST {
        return Ok(None);
    }
    let others = scored(&mut *close, edit, &others)?;
    known.extend_from_slice(&others);
    order.extend(others.into_iter().filter(is_allowed));
    order.retain(|&(_, score)| score >= line);
    order.sort_unstable_by(better);
    Ok(Some(Ranks::of_order(order.iter().map(|&(item, _)| item), &known)))
}

/// What some items score after an edit.
fn scored(close: &mut dyn Closely, edit: &Edit, items: &[u32]) -> Result<Vec<(u32, f32)>, ScoreError> {
    let mut all = Vec::with_capacity(items.len());
    for items in items.chunks(AT_A_TIME) {
        let panel = close.choose(items)?;
        let mut scores = vec![0f32; items.len()];
        let said = close.score(Profile::Kept, edit, panel, &mut scores);
        close.forget(panel);
        said?;
        check_finite(&scores)?;
        all.extend(items.iter().copied().zip(scores));
    }
    Ok(all)
}

/// The higher score first; at equal scores the lower row.
fn better(a: &(u32, f32), b: &(u32, f32)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}
