//! A set that does two things at once: without it the item is gone, and by itself it is enough. Sums foretell both; the recommender is
//! asked about what they come to.

use std::collections::BTreeSet;
use std::rc::Rc;

use grease_graph::Edge;

use super::effects::Effects;
use super::foretold::{Foretold, Way};
use super::rivals::Rivals;
use super::search::{Found, Search, Stop};
use crate::ask::AnswerId;
use crate::task::Direction;

/// Times a set that was grown by sums may prove too small before it is grown no further.
const TOO_SMALL: usize = 4;
/// Smaller sets asked about once one is found.
const SMALLER: usize = 3;

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
/// What is needed is asked about first: often it is enough as it is. Else it is grown by what makes it enough, and then made smaller.
pub(super) fn find(search: &mut Search<'_, '_>, both: &Both) -> Result<Option<Found>, Stop> {
    let cap = search.rules.cap.min(both.out.edges.len());
    let smallest = both.needed.len().max(both.enough.len());
    let mut seen = BTreeSet::new();
    let mut found: Option<Found> = None;
    for edges in [&both.needed, &both.enough].map(|edges| sorted(edges)) {
        let is_smaller = found.as_ref().is_none_or(|found| edges.len() < found.edges.len());
        if edges.len() <= cap && is_smaller && seen.insert(edges.clone()) {
            found = try_set(search, edges)?.or(found);
        }
    }
    if found.as_ref().is_some_and(|found| found.edges.len() <= smallest) {
        return Ok(found);
    }
    let mut sums = Sums::new(search, both);
    if found.is_none() {
        found = grown(search, &mut sums, cap, &mut seen)?;
    }
    let Some(mut found) = found else { return Ok(None) };
    let mut tries = SMALLER;
    for size in (smallest..found.edges.len()).rev() {
        let Some(edges) = sums.of_size(search, size, &found.edges)? else { break };
        if tries == 0 || !seen.insert(edges.clone()) {
            break;
        }
        tries -= 1;
        match try_set(search, edges)? {
            Some(smaller) => found = smaller,
            None => break,
        }
    }
    Ok(Some(found))
}

/// The set, if it does both.
fn try_set(search: &mut Search<'_, '_>, edges: Vec<Edge>) -> Result<Option<Found>, Stop> {
    let answer: AnswerId = search.ask(std::slice::from_ref(&edges))?[0];
    Ok(search.reached(answer)?.then_some(Found { edges, answer, minimal: None }))
}

/// What is needed, with as much added as makes it enough.
fn grown(
    search: &mut Search<'_, '_>,
    sums: &mut Sums<'_>,
    cap: usize,
    seen: &mut BTreeSet<Vec<Edge>>,
) -> Result<Option<Found>, Stop> {
    let pool = &sums.both.out.edges;
    let mut places = sums.places(&sums.both.needed);
    for _ in 0..TOO_SMALL {
        let size = places.len();
        sums.arrive(search, &places)?;
        let out = sums.out(search, (size + 1).min(cap))?;
        let mut way = Way::of([&out, &sums.alone], places);
        while way.places.len() < cap && (way.places.len() == size || way.short >= 0.0) {
            way.grow(pool.len());
        }
        if way.places.len() == size {
            return Ok(None);
        }
        let edges = way.edges(pool);
        if !seen.insert(edges.clone()) {
            return Ok(None);
        }
        places = way.places;
        if let Some(found) = try_set(search, edges)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What sums say of both things.
struct Sums<'b> {
    both: &'b Both,
    contender: usize,
    alone: Foretold,
}

impl<'b> Sums<'b> {
    fn new(search: &Search<'_, '_>, both: &'b Both) -> Self {
        let contender = search.contender();
        let places = search.also.as_ref().map_or(search.k(), |also| also.rules.places);
        let mut sums = Self { both, contender, alone: Foretold::default() };
        let near = [&both.needed[..], &both.enough].map(|edges| sums.places(edges));
        sums.alone = Foretold::by_effects(&both.alone, contender, places, Direction::In, &near);
        sums
    }

    fn places(&self, edges: &[Edge]) -> Vec<usize> {
        let pool = &self.both.out.edges;
        edges.iter().filter_map(|edge| pool.iter().position(|other| other == edge)).collect()
    }

    /// What taking sets of about this size away does.
    fn out(&self, search: &mut Search<'_, '_>, size: usize) -> Result<Foretold, Stop> {
        let (pool, k) = (&self.both.out.edges, search.k());
        let near = [self.places(&self.both.needed)];
        Ok(match search.sums(pool, size)? {
            Some(sums) => Foretold::by_sums(&Rivals::of(&sums, self.contender, size), pool.len(), k, &near),
            None => Foretold::by_effects(&self.both.out, self.contender, k, Direction::Out, &near),
        })
    }

    /// What the recommender says of a set by itself is where sums start from.
    fn arrive(&mut self, search: &mut Search<'_, '_>, places: &[usize]) -> Result<(), Stop> {
        let edges = self.edges(places);
        let Some(rules) = search.also.as_ref().map(|also| also.rules) else { return Ok(()) };
        if let Some(answer) = search.ledger.recall(rules.profile, &rules.edit(&edges)) {
            self.alone.arrive(&answer.scores, self.contender, places);
        }
        Ok(())
    }

    fn edges(&self, places: &[usize]) -> Vec<Edge> {
        places.iter().map(|&at| self.both.out.edges[at]).collect()
    }

    /// A set of this size that does both, by sums: from one that is larger, the most harmless left out, and some exchanged.
    fn of_size(
        &mut self,
        search: &mut Search<'_, '_>,
        size: usize,
        larger: &[Edge],
    ) -> Result<Option<Vec<Edge>>, Stop> {
        let pool = &self.both.out.edges;
        let places = self.places(larger);
        self.arrive(search, &places)?;
        let out = self.out(search, size)?;
        let mut best: Option<Way<'_>> = None;
        for places in [places, self.places(&self.both.needed)] {
            let mut way = Way::of([&out, &self.alone], places);
            while way.places.len() > size {
                way.shrink();
            }
            while way.places.len() < size {
                way.grow(pool.len());
            }
            way.exchange(pool.len());
            if way.short < best.as_ref().map_or(0.0, |best| best.short) {
                best = Some(way);
            }
        }
        Ok(best.map(|way| way.edges(pool)))
    }
}

fn sorted(edges: &[Edge]) -> Vec<Edge> {
    edges.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}
