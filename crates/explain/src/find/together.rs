//! A set that does two things at once: without it the item is gone, and by itself it is enough. Sums foretell both; the recommender is
//! asked about what they come to.

use std::collections::BTreeSet;
use std::rc::Rc;

use grease_graph::Edge;

use super::effects::Effects;
use super::foretold::{Foretold, Others, Said, Way};
use super::rivals::Rivals;
use super::search::{Found, Search, Stop};
use crate::ask::AnswerId;
use crate::task::Direction;

/// Sets that sums come to and that are asked about, at most.
const TRIES: usize = 5;
/// How far from where it is wanted sums may see the largest set allowed that is asked about all the same.
const HOPEFUL: f32 = 0.3;
/// How far sums may see a set for exchanges to be looked for.
const NEAR: f32 = 2.0;
/// Of those who are in the way without being contenders, so many for each place count.
const OUTSIDERS: usize = 3;

/// What is known about both things.
#[derive(Debug, Clone)]
pub(crate) struct Both {
    /// What single edges do to the one, and to the other.
    pub(crate) out: Rc<Effects>,
    pub(crate) alone: Rc<Effects>,
    /// A set that does the one, and a set that does the other.
    pub(crate) needed: Vec<Edge>,
    pub(crate) enough: Vec<Edge>,
}

/// A set that does both.
///
/// What is needed is asked about first: often it is enough as it is. Else sums look for a set, from the smallest size there can be.
pub(super) fn find(search: &mut Search<'_, '_>, both: &Both) -> Result<Option<Found>, Stop> {
    let cap = search.rules.cap.min(both.out.edges.len());
    let smallest = both.needed.len().max(both.enough.len());
    let mut seen = BTreeSet::new();
    if smallest == 1 && cap > 0 {
        // What each does alone was asked, of both.
        let single: Vec<Vec<Edge>> = both.out.edges.iter().map(|&edge| vec![edge]).collect();
        let answers = search.ask(&single)?;
        if let Some(at) = search.best_reached(&answers)? {
            return Ok(Some(Found { edges: single[at].clone(), answer: answers[at], minimal: Some(true) }));
        }
    }
    let mut found: Option<Found> = None;
    for edges in [&both.needed, &both.enough].map(|edges| sorted(edges)) {
        let is_smaller = found.as_ref().is_none_or(|found| edges.len() < found.edges.len());
        if edges.len() <= cap && is_smaller && seen.insert(edges.clone()) {
            found = try_set(search, edges)?.or(found);
        }
    }
    let largest = found.as_ref().map_or(cap, |found| found.edges.len() - 1);
    if largest < smallest.max(2) {
        return Ok(found);
    }
    let sums = Sums { both, contender: search.contender() };
    let smaller = by_sums(search, &sums, (smallest.max(2), largest), &mut seen)?;
    Ok(smaller.or(found))
}

/// The set, if it does both.
fn try_set(search: &mut Search<'_, '_>, edges: Vec<Edge>) -> Result<Option<Found>, Stop> {
    let answer: AnswerId = search.ask(std::slice::from_ref(&edges))?[0];
    Ok(search.reached(answer)?.then_some(Found { edges, answer, minimal: None }))
}

/// A set that does both, the smallest that sums see: what is needed, grown and exchanged. Each set that is asked about and proves wrong is
/// where the next sums start from.
fn by_sums(
    search: &mut Search<'_, '_>,
    sums: &Sums<'_>,
    (smallest, largest): (usize, usize),
    seen: &mut BTreeSet<Vec<Edge>>,
) -> Result<Option<Found>, Stop> {
    let pool = &sums.both.out.edges;
    let mut seeds = [&sums.both.needed, &sums.both.enough].map(|edges| sums.places(edges));
    let mut alone = sums.alone(search, &seeds[0])?;
    let (mut size, mut tries) = (smallest, TRIES);
    while size <= largest && tries > 0 {
        let out = sums.out(search, size)?;
        let mut best: Option<Way<'_>> = None;
        for seed in &mut seeds {
            let mut way = Way::of([&out, &alone], std::mem::take(seed));
            while way.places.len() < size {
                way.grow(pool.len());
            }
            if way.short < NEAR {
                way.exchange(pool.len());
            }
            *seed = way.places.clone();
            let edges = sums.edges(&way.places);
            if best.as_ref().is_none_or(|best| way.short < best.short) && !seen.contains(&edges) {
                best = Some(way);
            }
            if best.as_ref().is_some_and(|best| best.short < 0.0) {
                break;
            }
        }
        let least = if size == largest { HOPEFUL } else { 0.0 };
        let Some(way) = best.filter(|way| way.short < least) else {
            size += 1;
            continue;
        };
        let edges = sums.edges(&way.places);
        seen.insert(edges.clone());
        tries -= 1;
        if let Some(found) = try_set(search, edges)? {
            return Ok(Some(found));
        }
        alone = sums.alone(search, &way.places.clone())?;
    }
    Ok(None)
}

/// What sums say of both things.
struct Sums<'b> {
    both: &'b Both,
    contender: usize,
}

impl<'b> Sums<'b> {
    fn places(&self, edges: &[Edge]) -> Vec<usize> {
        let pool = &self.both.out.edges;
        edges.iter().filter_map(|edge| pool.iter().position(|other| other == edge)).collect()
    }

    fn edges(&self, places: &[usize]) -> Vec<Edge> {
        sorted(&places.iter().map(|&at| self.both.out.edges[at]).collect::<Vec<_>>())
    }

    /// What taking sets of about this size away does.
    fn out(&self, search: &mut Search<'_, '_>, size: usize) -> Result<Foretold, Stop> {
        let (pool, k) = (&self.both.out.edges, search.k());
        let near = [self.places(&self.both.needed)];
        if let Some(sums) = search.sums(pool, size)? {
            return Ok(Foretold::by_sums(&Rivals::of(&sums, self.contender, size), pool.len(), k, &near));
        }
        let said = search.ledger.recall(search.rules.profile, &search.rules.edit(&self.both.needed));
        let said = said.map(|answer| Said { scores: &answer.scores, outsiders: &[] });
        let (from, none) = ((&near[0][..], said), Others::default());
        Ok(Foretold::by_effects(&self.both.out, self.contender, (k, Direction::Out), from, &none, &near))
    }

    /// What a set does by itself, from what the recommender said of one, where it was asked; those count who were in the way there.
    fn alone(&self, search: &mut Search<'_, '_>, places: &[usize]) -> Result<Foretold, Stop> {
        let (pool, contender) = (&self.both.out.edges, self.contender);
        let rules = search.also.as_ref().map_or(search.rules, |also| also.rules);
        let edges = self.edges(places);
        let near = [places.to_vec(), self.places(&self.both.needed), self.places(&self.both.enough)];
        let (effects, aim) = (&self.both.alone, (rules.places, Direction::In));
        let Some(answer) = search.ledger.recall(rules.profile, &rules.edit(&edges)) else {
            let none = Others::default();
            return Ok(Foretold::by_effects(effects, contender, aim, (places, None), &none, &near));
        };
        let mut outsiders = answer.outsiders.clone();
        outsiders.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        outsiders.truncate(OUTSIDERS * rules.places);
        outsiders.sort_unstable_by_key(|&(item, _)| item);
        let (items, scores): (Vec<u32>, Vec<f32>) = outsiders.into_iter().unzip();
        let contenders = answer.scores.clone();
        let singles = match items.is_empty() {
            true => None,
            false => search.ledger.singles_of_others(rules, pool, &items)?,
        };
        let others = singles.map_or_else(Others::default, |singles| Others { items: items.len(), singles });
        let said = Said { scores: &contenders, outsiders: &scores };
        Ok(Foretold::by_effects(effects, contender, aim, (places, Some(said)), &others, &near))
    }
}

fn sorted(edges: &[Edge]) -> Vec<Edge> {
    edges.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}
