//! Searching size by size where sums of one size are nearly exact: several ways are followed at once by sums, and the recommender is
//! asked about those that sums say do it.

use std::collections::BTreeSet;

use grease_graph::Edge;

use super::branches::{Branches, Verdict};
use super::effects::{add, best_of};
use super::guided::FAR;
use super::rivals::Rivals;
use super::search::{Found, Search, Stop};

/// Work spent on going through all sets of a size by sums, in edits; beyond that the best few are followed.
const WORK: usize = 40;
/// Interactions up to which that is worth beginning: of more there are too many sets anyhow.
const BRANCHED: usize = 512;
/// Ways followed at once.
const WAYS: usize = 8;
/// Steps looked at closely from each.
const STEPS: usize = 6;
/// Ways of one size in which interactions are exchanged for others.
const EXCHANGED: usize = 2;
/// Exchanges in one of them.
const EXCHANGES: usize = 4;
/// Sizes beyond what is allowed grow by a part of this.
const STRIDE: usize = 5;
/// Sets of one size asked about at most.
const ASKED: usize = 2;

/// A set on the way.
struct Way {
    places: Vec<usize>,
    /// How far ahead each rival is, by sums of this size.
    ahead: Vec<f32>,
    /// How far the k best of them are behind, added up: 0 where all are ahead.
    short: f32,
}

/// The smallest set that does it, as far as sums see; a larger one than allowed where no smaller one does.
pub(crate) fn find(search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Option<Found>, Stop> {
    let cap = search.rules.cap.min(pool.len());
    if cap == 0 {
        return Ok(None);
    }
    let single: Vec<Vec<Edge>> = pool.iter().map(|&edge| vec![edge]).collect();
    let answers = search.ask(&single)?;
    if let Some(at) = search.best_reached(&answers)? {
        return Ok(Some(Found { edges: single[at].clone(), answer: answers[at], minimal: None }));
    }
    let k = search.k();
    let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
    let mut order: Vec<usize> = (0..pool.len()).collect();
    for size in 2..=cap {
        let Some(sums) = search.sums(pool, size)? else { break };
        let rivals = Rivals::of(&sums, search.contender(), size);
        order = rivals.strongest();
        if rivals.start.len() < k {
            // Not enough of them, whatever interactions are taken away.
            continue;
        }
        let verdict = match pool.len() {
            ..=BRANCHED => Branches::new(&rivals, pool, size, k, WORK, false).try_all(search)?.verdict,
            _ => Verdict::TooMany,
        };
        match verdict {
            Verdict::NoneDoesIt => continue,
            Verdict::DoesIt(edges) => {
                let answer = search.ask(std::slice::from_ref(&edges))?[0];
                return Ok(Some(Found { edges, answer, minimal: None }));
            }
            Verdict::TooMany => {}
        }
        let mut longer = Vec::new();
        while ways[0].len() < size {
            longer = one_more(&rivals, &ways, pool.len(), k);
            ways = longer.iter().map(|way| way.places.clone()).collect();
        }
        for way in longer.iter_mut().take(EXCHANGED) {
            way.exchange(&rivals, pool.len(), k);
        }
        for way in longer.iter().filter(|way| way.short <= 0.0).take(ASKED) {
            let edges: Vec<Edge> = way.places.iter().map(|&at| pool[at]).collect();
            let answer = search.ask(std::slice::from_ref(&edges))?[0];
            if search.reached(answer)? {
                return Ok(Some(Found { edges, answer, minimal: None }));
            }
        }
    }
    let best = ways.into_iter().next().unwrap_or_default();
    let rest = order.into_iter().filter(|at| !best.contains(at));
    let order: Vec<Edge> = best.iter().copied().chain(rest).map(|at| pool[at]).collect();
    beyond(search, &order)
}

/// The best ways with one more interaction each, the closest first.
fn one_more(rivals: &Rivals, ways: &[Vec<usize>], pool: usize, k: usize) -> Vec<Way> {
    let mut longer: Vec<Way> = Vec::new();
    let mut seen = BTreeSet::new();
    for places in ways {
        let mut ahead = rivals.start.clone();
        places.iter().for_each(|&at| add(&mut ahead, rivals.change(at), 1.0));
        for at in most_promising(rivals, &ahead, places, (pool, STEPS), k) {
            let mut places = places.clone();
            let place = places.partition_point(|&other| other < at);
            places.insert(place, at);
            if seen.insert(places.clone()) {
                let mut ahead = ahead.clone();
                add(&mut ahead, rivals.change(at), 1.0);
                let short = shortfall(&ahead, k);
                longer.push(Way { places, ahead, short });
            }
        }
    }
    // Of those that do it, the one that does it most.
    let value = |way: &Way| match way.short > 0.0 {
        true => way.short,
        false => -best_of(&way.ahead, k).first().copied().unwrap_or(0.0),
    };
    let mut valued: Vec<(f32, Way)> = longer.into_iter().map(|way| (value(&way), way)).collect();
    valued.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.places.cmp(&b.1.places)));
    valued.truncate(WAYS);
    valued.into_iter().map(|(_, way)| way).collect()
}

/// The interactions that bring those who are best placed now closest.
fn most_promising(
    rivals: &Rivals,
    ahead: &[f32],
    taken: &[usize],
    (pool, most): (usize, usize),
    k: usize,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ahead.len()).collect();
    let many = k.min(order.len());
    if many < order.len() {
        order.select_nth_unstable_by(many, |&a, &b| ahead[b].total_cmp(&ahead[a]).then(a.cmp(&b)));
        order.truncate(many);
    }
    let short = |at: usize| -> f32 {
        let change = rivals.change(at);
        order.iter().map(|&rival| (-(ahead[rival] + change[rival])).max(0.0)).sum()
    };
    let mut is_left = vec![true; pool];
    taken.iter().for_each(|&at| is_left[at] = false);
    let mut steps: Vec<(f32, usize)> =
        (0..pool).filter(|&at| is_left[at]).map(|at| (short(at), at)).collect();
    let better = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if most < steps.len() {
        steps.select_nth_unstable_by(most, better);
        steps.truncate(most);
    }
    steps.sort_by(better);
    steps.into_iter().map(|(_, at)| at).collect()
}

impl Way {
    /// Exchanges one interaction for another as long as that brings the k best closer, and they are not all ahead yet.
    fn exchange(&mut self, rivals: &Rivals, pool: usize, k: usize) {
        for _ in 0..EXCHANGES {
            if self.short <= 0.0 {
                return;
            }
            let mut best: Option<(f32, Vec<usize>, Vec<f32>)> = None;
            // Of a set of hundreds the last ones: they do least.
            for (place, &out) in self.places.iter().enumerate().skip(self.places.len().saturating_sub(FAR)) {
                let mut without = self.ahead.clone();
                add(&mut without, rivals.change(out), -1.0);
                for into in most_promising(rivals, &without, &self.places, (pool, 2), k) {
                    let mut ahead = without.clone();
                    add(&mut ahead, rivals.change(into), 1.0);
                    let short = shortfall(&ahead, k);
                    if short < best.as_ref().map_or(self.short, |best| best.0) {
                        let mut places = self.places.clone();
                        places[place] = into;
                        places.sort_unstable();
                        best = Some((short, places, ahead));
                    }
                }
            }
            let Some((short, places, ahead)) = best else { return };
            *self = Self { places, ahead, short };
        }
    }
}

/// A set larger than allowed: all there is, if that does it, then as few in order as still do.
fn beyond(search: &mut Search<'_, '_>, order: &[Edge]) -> Result<Option<Found>, Stop> {
    let mut short = search.rules.cap.min(order.len());
    if order.len() <= short {
        return Ok(None);
    }
    let mut found: Option<Found> = None;
    let mut length = order.len();
    while length > short {
        let edges = order[..length].to_vec();
        let answer = search.ask(std::slice::from_ref(&edges))?[0];
        if search.reached(answer)? {
            found = Some(Found { edges, answer, minimal: None });
        } else if found.is_none() {
            return Ok(None);
        } else {
            short = length;
        }
        let longest = found.as_ref().map_or(length, |found| found.edges.len());
        length = (short + longest) / 2;
    }
    Ok(found)
}

/// A set of any size, as small as sums find one: in strides from more than is allowed to all there is. For whoever wants to know how many it
/// would take.
///
/// All of them may not do it where some do: what is left for somebody else to go by counts, too.
pub(crate) fn larger(search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Option<Found>, Stop> {
    let k = search.k();
    let mut size = search.rules.cap.min(pool.len());
    while size < pool.len() {
        size = (size + (size / STRIDE).max(1)).min(pool.len());
        let Some(sums) = search.sums(pool, size)? else { break };
        let rivals = Rivals::of(&sums, search.contender(), size);
        if rivals.start.len() < k {
            continue;
        }
        let mut way = Way { places: Vec::new(), ahead: rivals.start.clone(), short: f32::INFINITY };
        while way.places.len() < size {
            // One by one as long as they are few, then some at a time: what a long history takes goes with its length, not with its
            // square.
            let some = (way.places.len() / FAR * STRIDE).clamp(1, size - way.places.len());
            let next = most_promising(&rivals, &way.ahead, &way.places, (pool.len(), some), k);
            if next.is_empty() {
                break;
            }
            next.iter().for_each(|&at| add(&mut way.ahead, rivals.change(at), 1.0));
            way.places.extend(next);
        }
        way.short = shortfall(&way.ahead, k);
        way.exchange(&rivals, pool.len(), k);
        if way.short > 0.0 {
            continue;
        }
        let edges: Vec<Edge> = way.places.iter().map(|&at| pool[at]).collect();
        let answer = search.ask(std::slice::from_ref(&edges))?[0];
        if search.reached(answer)? {
            return Ok(Some(Found { edges, answer, minimal: None }));
        }
    }
    Ok(None)
}

/// How far the k best are behind, added up; 0 where all of them are ahead.
fn shortfall(ahead: &[f32], k: usize) -> f32 {
    best_of(ahead, k).iter().map(|ahead| (-ahead).max(0.0)).sum()
}
