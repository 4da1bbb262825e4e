//! Searching by what single edges are known to do: sums say where to look, the recommender says what is there, and its
//! last answer is where the next sum starts.

use std::collections::{BTreeSet, HashMap};

use grease_graph::Edge;

use super::effects::Effects;
use super::search::{Found, Search, Stop, each_left_out};
use super::walk::{Walk, sorted};
use crate::ask::AnswerId;
use crate::task::Direction;

/// Exchanges tried when as many edges as allowed fall short.
const EXCHANGES: usize = 8;

/// Edges added at most before the recommender is asked again, to get an item out of a list.
const STRIDE_OUT: usize = 5;
/// The same to get it in: from an emptied history each edge changes what the next one does.
const STRIDE_IN: usize = 2;

/// Sets larger than this are not grown edge by edge: after them comes the set of all.
pub(crate) const FAR: usize = 64;

/// Smaller sets tried once a set is known to need all its edges.
const SMALLER_TRIES: usize = 2;

/// A set that does it, from the strongest edges by their sums.
pub(crate) fn find(search: &mut Search<'_, '_>, guide: &Effects) -> Result<Option<Found>, Stop> {
    let single: Vec<Vec<Edge>> = guide.edges.iter().map(|&edge| vec![edge]).collect();
    let cap = search.rules.cap.min(guide.edges.len());
    if cap == 0 {
        return Ok(None);
    }
    let answers = search.ask(&single)?;
    if let Some(at) = search.best_reached(&answers)? {
        return Ok(Some(Found { edges: single[at].clone(), answer: answers[at], minimal: None }));
    }
    let stride = match search.rules.direction {
        Direction::In => STRIDE_IN,
        Direction::Out => STRIDE_OUT,
    };
    let mut walk = start(search, guide);
    while walk.cited.len() < cap {
        walk = walk.grown(cap.min(walk.cited.len() + stride));
        let answer = search.ask(&[walk.edges()])?[0];
        if search.reached(answer)? {
            return Ok(Some(found(&walk, answer)));
        }
        walk.arrive(&search.ledger.answer(answer).scores);
    }
    match exchanged(search, walk.clone())? {
        Some(found) => Ok(Some(found)),
        None => beyond(search, walk, stride),
    }
}

/// Edges exchanged for others, as many as they are.
fn exchanged(search: &mut Search<'_, '_>, mut walk: Walk<'_>) -> Result<Option<Found>, Stop> {
    let mut tried = BTreeSet::from([sorted(&walk.cited)]);
    for left in (1..=EXCHANGES).rev() {
        let Some((out, into, foretold)) = walk.best_exchange(&tried) else { break };
        let (stay, here) = (walk.cited[out], walk.gain(&walk.scores));
        // At this pace the exchanges left would not get there.
        if (foretold - here) * (left as f32) < -here {
            break;
        }
        walk.cited[out] = into;
        tried.insert(sorted(&walk.cited));
        let answer = search.ask(&[walk.edges()])?[0];
        if search.reached(answer)? {
            return Ok(Some(found(&walk, answer)));
        }
        if search.gain(answer) > here {
            walk.arrive(&search.ledger.answer(answer).scores);
        } else {
            walk.cited[out] = stay;
        }
    }
    Ok(None)
}

/// On from as many edges as may be cited to all there are, in growing strides: what a larger set has too many of can be spared
/// afterwards, and what single edges do not show is in the set of them all.
fn beyond(search: &mut Search<'_, '_>, mut walk: Walk<'_>, stride: usize) -> Result<Option<Found>, Stop> {
    while walk.cited.len() < walk.pool() {
        let length = walk.cited.len();
        walk = match length {
            ..FAR => walk.grown(walk.pool().min(length + stride.max(length / 4))),
            _ => walk.whole(),
        };
        let answer = search.ask(&[walk.edges()])?[0];
        if search.reached(answer)? {
            return Ok(Some(found(&walk, answer)));
        }
        walk.arrive(&search.ledger.answer(answer).scores);
    }
    Ok(None)
}

/// A set with one edge less than `found`, which needs all of its own, if one is likely and does it.
///
/// With any one edge left out `found` falls short, and that was asked; so from each of those answers, look for an edge to
/// exchange.
pub(crate) fn smaller(
    search: &mut Search<'_, '_>,
    guide: &Effects,
    found: &Found,
) -> Result<Option<Found>, Stop> {
    let mut tries: Vec<(f32, Vec<Edge>)> = Vec::new();
    let left_out = each_left_out(&found.edges);
    let answers = search.ask(&left_out)?;
    for (edges, answer) in left_out.iter().zip(answers) {
        let mut walk = start(search, guide);
        walk.cited = places(guide, edges);
        walk.arrive(&search.ledger.answer(answer).scores);
        if let Some((out, into, gain)) = walk.best_exchange(&BTreeSet::new()) {
            walk.cited[out] = into;
            tries.push((gain, walk.edges()));
        }
    }
    tries.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let reach = search.gain(found.answer);
    for (gain, edges) in tries.into_iter().take(SMALLER_TRIES) {
        // Sums are a little off; what they put far from the goal is not there.
        if gain < -reach {
            break;
        }
        let answer = search.ask(std::slice::from_ref(&edges))?[0];
        if search.reached(answer)? {
            return Ok(Some(Found { edges, answer, minimal: None }));
        }
    }
    Ok(None)
}

/// The edges that sums say can be spared together, the easiest first, but for those known to be needed.
pub(super) fn likely_spares(
    search: &Search<'_, '_>,
    guide: &Effects,
    found: &Found,
    needed: &BTreeSet<Edge>,
) -> Vec<Edge> {
    let mut walk = start(search, guide);
    walk.cited = places(guide, &found.edges);
    walk.arrive(&search.ledger.answer(found.answer).scores);
    let spares = walk.spares(&places(guide, &needed.iter().copied().collect::<Vec<_>>()));
    spares.into_iter().map(|at| guide.edges[at]).collect()
}

/// The edges that can be spared one after another, the most harmless first, by sums of what sparing each does.
pub(super) fn sparable_together(search: &Search<'_, '_>, sparing: &Effects) -> Vec<Edge> {
    let places = start(search, sparing).harmless();
    places.into_iter().map(|at| sparing.edges[at]).collect()
}

fn places(guide: &Effects, edges: &[Edge]) -> Vec<usize> {
    let place: HashMap<&Edge, usize> = guide.edges.iter().zip(0..).collect();
    edges.iter().map(|edge| *place.get(edge).expect("guided sets are made of guided edges")).collect()
}

/// Nothing cited yet.
fn start<'g>(search: &Search<'_, '_>, guide: &'g Effects) -> Walk<'g> {
    Walk::new(guide, guide.place_of(search.contender()), search.rules.direction)
}

fn found(walk: &Walk<'_>, answer: AnswerId) -> Found {
    Found { edges: walk.edges(), answer, minimal: None }
}
