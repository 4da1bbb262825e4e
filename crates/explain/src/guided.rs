//! Searching by what single edges are known to do: sums say where to look, the recommender says what is there, and its
//! last answer is where the next sum starts.

use std::collections::BTreeSet;

use crate::certify::{Found, Search, Stop, each_left_out};
use crate::effects::{Effects, add};
use crate::ledger::Answer;
use grease_graph::Edge;

/// Exchanges tried when as many edges as allowed fall short.
const EXCHANGES: usize = 8;

/// Edges added at most before the recommender is asked again, to get an item out of a list.
const STRIDE_OUT: usize = 5;
/// The same to get it in: from an emptied history each edge changes what the next one does.
const STRIDE_IN: usize = 2;

/// Ways followed at once where no single one gets there.
const BEAM: usize = 8;

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
    if let Some(at) = search.best_reached(&answers) {
        return Ok(Some(Found { edges: single[at].clone(), answer: answers[at], minimal: None }));
    }
    let stride = if search.rules.wanted_inside { STRIDE_IN } else { STRIDE_OUT };
    let mut walk = Walk::new(search, guide);
    while walk.cited.len() < cap {
        walk = walk.grown(cap.min(walk.cited.len() + stride));
        let answer = search.ask(&[walk.edges()])?[0];
        if search.reached(answer) {
            return Ok(Some(walk.found(answer)));
        }
        walk.arrive(search.ledger.answer(answer));
    }
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
        if search.reached(answer) {
            return Ok(Some(walk.found(answer)));
        }
        if search.gain(answer) > here {
            walk.arrive(search.ledger.answer(answer));
        } else {
            walk.cited[out] = stay;
        }
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
        let mut walk = Walk::new(search, guide);
        walk.cited = places(guide, edges);
        walk.arrive(search.ledger.answer(answer));
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
        if search.reached(answer) {
            return Ok(Some(Found { edges, answer, minimal: None }));
        }
    }
    Ok(None)
}

/// The set without the edge that sums say can be spared, if they say so of any.
pub(crate) fn likely_spare(search: &Search<'_, '_>, guide: &Effects, found: &Found) -> Option<Vec<Edge>> {
    let mut walk = Walk::new(search, guide);
    walk.cited = places(guide, &found.edges);
    walk.arrive(search.ledger.answer(found.answer));
    let mut room = Vec::new();
    let gains = walk.cited.iter().map(|&edge| {
        walk.plus(&walk.scores, edge, -walk.pace, &mut room);
        walk.gain(&room)
    });
    let (out, gain) = gains.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (gain > 0.0).then(|| each_left_out(&found.edges).swap_remove(out))
}

fn sorted(places: &[usize]) -> Vec<usize> {
    let mut places = places.to_vec();
    places.sort_unstable();
    places
}

fn places(guide: &Effects, edges: &[Edge]) -> Vec<usize> {
    edges
        .iter()
        .map(|edge| guide.edges.iter().position(|e| e == edge).expect("guided sets are made of guided edges"))
        .collect()
}

/// What an added edge should help most.
#[derive(Clone, Copy)]
enum Sight {
    /// The distance to the k-th best of the others.
    Margin,
    /// The distances to all of the others that stand between the item and where it is wanted.
    Shortfall,
}

/// A set of edges on the way, and what the contenders' scores are believed to be there.
#[derive(Clone)]
struct Walk<'g> {
    guide: &'g Effects,
    contender: usize,
    wanted_inside: bool,
    cited: Vec<usize>,
    scores: Vec<f32>,
    /// How much of what sums say comes true.
    pace: f32,
}

impl<'g> Walk<'g> {
    fn new(search: &Search<'_, '_>, guide: &'g Effects) -> Self {
        Self {
            guide,
            contender: guide.place_of(search.contender()),
            wanted_inside: search.rules.wanted_inside,
            cited: Vec::new(),
            scores: guide.start.clone(),
            pace: 1.0,
        }
    }

    fn edges(&self) -> Vec<Edge> {
        self.cited.iter().map(|&at| self.guide.edges[at]).collect()
    }

    fn found(&self, answer: usize) -> Found {
        Found { edges: self.edges(), answer, minimal: None }
    }

    /// What the recommender said here.
    fn arrive(&mut self, answer: &Answer) {
        self.scores = self.guide.of_answer(&answer.scores);
        self.pace = self.guide.pace(&self.cited, &self.scores);
    }

    fn gain(&self, scores: &[f32]) -> f32 {
        let margin = self.guide.margin(scores, self.contender);
        if self.wanted_inside { margin } else { -margin }
    }

    /// `scores` with the change of one edge, `factor` times, in `room`.
    fn plus(&self, scores: &[f32], edge: usize, factor: f32, room: &mut Vec<f32>) {
        room.clear();
        room.extend_from_slice(scores);
        add(room, self.guide.change(edge), factor);
    }

    /// With edges added until sums say it is enough, or the cap is reached; at least one.
    ///
    /// Two aims are followed and the shorter way taken. The margin alone is short-sighted: the k-th best of the others changes
    /// hands on the way, and an edge that brings many of them closer shows only when the last of them is close.
    fn grown(&self, cap: usize) -> Self {
        let [narrow, wide] = [Sight::Margin, Sight::Shortfall].map(|sight| {
            let mut walk = self.clone();
            let gain = walk.grow(cap, sight);
            (gain, walk)
        });
        if narrow.0 <= 0.0 && wide.0 <= 0.0 {
            let broad = self.beam(cap);
            return [narrow, wide, broad]
                .into_iter()
                .reduce(|a, b| if b.0 > a.0 { b } else { a })
                .expect("three ways")
                .1;
        }
        let better = |a: &(f32, Self), b: &(f32, Self)| match (a.0 > 0.0, b.0 > 0.0) {
            (true, true) => a.1.cited.len() < b.1.cited.len(),
            (true, false) => true,
            (false, true) => false,
            (false, false) => a.0 > b.0,
        };
        if better(&wide, &narrow) { wide.1 } else { narrow.1 }
    }

    /// Several ways at once, by the shortfall: the first that sums say is enough, or the best at the cap.
    fn beam(&self, cap: usize) -> (f32, Self) {
        let mut front: Vec<(f32, Self)> = vec![(0.0, self.clone())];
        let mut best: Option<(f32, Self)> = None;
        let mut room = Vec::new();
        while front[0].1.cited.len() < cap {
            let mut next: Vec<(f32, usize, usize)> = Vec::new();
            for (at, (_, walk)) in front.iter().enumerate() {
                for edge in (0..self.guide.edges.len()).filter(|edge| !walk.cited.contains(edge)) {
                    walk.plus(&walk.scores, edge, walk.pace, &mut room);
                    next.push((self.guide.shortfall(&room, self.contender, self.wanted_inside), at, edge));
                }
            }
            next.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut seen = BTreeSet::new();
            let mut grown: Vec<(f32, Self)> = Vec::new();
            for (value, at, edge) in next {
                let mut walk = front[at].1.clone();
                walk.cited.push(edge);
                if !seen.insert(sorted(&walk.cited)) {
                    continue;
                }
                add(&mut walk.scores, self.guide.change(edge), self.pace);
                grown.push((value, walk));
                if grown.len() == BEAM {
                    break;
                }
            }
            if grown.is_empty() {
                break;
            }
            front = grown;
            let top = front
                .iter()
                .map(|(_, w)| (w.gain(&w.scores), w))
                .reduce(|a, b| if b.0 > a.0 { b } else { a })
                .expect("some");
            if best.as_ref().is_none_or(|b| top.0 > b.0) {
                best = Some((top.0, top.1.clone()));
            }
            if top.0 > 0.0 {
                break;
            }
        }
        best.unwrap_or((f32::NEG_INFINITY, self.clone()))
    }

    /// Cites the edge that helps most until sums say it is enough or the cap is reached; the gain they then see.
    fn grow(&mut self, cap: usize, sight: Sight) -> f32 {
        let mut room = Vec::new();
        let enough = self.cited.len() + 1;
        let mut gain = self.gain(&self.scores);
        while self.cited.len() < cap && !(self.cited.len() >= enough && gain > 0.0) {
            let mut best: Option<(usize, f32)> = None;
            for edge in (0..self.guide.edges.len()).filter(|edge| !self.cited.contains(edge)) {
                self.plus(&self.scores, edge, self.pace, &mut room);
                let value = match sight {
                    Sight::Margin => self.gain(&room),
                    Sight::Shortfall => -self.guide.shortfall(&room, self.contender, self.wanted_inside),
                };
                if best.is_none_or(|(_, most)| value > most) {
                    best = Some((edge, value));
                }
            }
            let Some((edge, _)) = best else { break };
            add(&mut self.scores, self.guide.change(edge), self.pace);
            self.cited.push(edge);
            gain = self.gain(&self.scores);
        }
        gain
    }

    /// The exchange of one cited edge (by its place) for another that sums say is best, if it leads to none of `tried` and is
    /// better than staying; with the gain they foretell.
    fn best_exchange(&self, tried: &BTreeSet<Vec<usize>>) -> Option<(usize, usize, f32)> {
        let mut room = Vec::new();
        let mut best: Option<(usize, usize, f32)> = None;
        for out in 0..self.cited.len() {
            let mut without = self.scores.clone();
            add(&mut without, self.guide.change(self.cited[out]), -self.pace);
            for into in (0..self.guide.edges.len()).filter(|into| !self.cited.contains(into)) {
                self.plus(&without, into, self.pace, &mut room);
                let gain = self.gain(&room);
                if best.is_none_or(|(_, _, most)| gain > most) && !tried.contains(&self.exchanged(out, into))
                {
                    best = Some((out, into, gain));
                }
            }
        }
        let here = self.gain(&self.scores);
        best.filter(|&(_, _, gain)| gain > here)
    }

    fn exchanged(&self, out: usize, into: usize) -> Vec<usize> {
        let mut cited = self.cited.clone();
        cited[out] = into;
        sorted(&cited)
    }
}
