//! What sums foretell of two things that a set has to do, and sets on the way to both.

use std::collections::BTreeSet;

use grease_graph::Edge;

use super::effects::{Effects, add, best_of};
use super::rivals::Rivals;
use crate::task::Direction;

/// Rivals that are looked at for each place of the list, around each set that is near: the others are far behind, or far ahead.
const NEAR: usize = 2;
/// Exchanges looked for in a set at most.
const EXCHANGES: usize = 3;

/// What is foretold of one thing: how far each rival is ahead of the item.
#[derive(Debug, Default)]
pub(super) struct Foretold {
    /// Who they are: places among the contenders.
    rivals: Vec<usize>,
    start: Vec<f32>,
    /// `[pool, rivals]`.
    change: Vec<f32>,
    /// Places of the list that counts.
    k: usize,
    direction: Option<Direction>,
    /// How short nothing cited falls: distances of the two things are told in parts of it.
    whole: f32,
}

impl Foretold {
    /// By what single edges do; of the rivals, those who matter around some sets.
    pub(super) fn by_effects(
        effects: &Effects,
        contender: usize,
        k: usize,
        direction: Direction,
        near: &[Vec<usize>],
    ) -> Self {
        let item = effects.place_of(contender);
        let rivals = who_matters(&effects.start, |at| effects.change(at), Some(item), k, near);
        let ahead = |scores: &[f32]| rivals.iter().map(|&at| scores[at] - scores[item]).collect::<Vec<f32>>();
        let start = ahead(&effects.start);
        let change = (0..effects.edges.len()).flat_map(|edge| ahead(effects.change(edge))).collect();
        Self::new(rivals, start, change, k, direction)
    }

    /// By sums of one size, nearly exact.
    pub(super) fn by_sums(rivals: &Rivals, pool: usize, k: usize, near: &[Vec<usize>]) -> Self {
        let matter = who_matters(&rivals.start, |at| rivals.change(at), None, k, near);
        let of = |values: &[f32]| matter.iter().map(|&at| values[at]).collect::<Vec<f32>>();
        let change = (0..pool).flat_map(|at| of(rivals.change(at))).collect();
        let start = of(&rivals.start);
        Self::new(matter, start, change, k, Direction::Out)
    }

    fn new(rivals: Vec<usize>, start: Vec<f32>, change: Vec<f32>, k: usize, direction: Direction) -> Self {
        let mut foretold = Self { rivals, start, change, k, direction: Some(direction), whole: 1.0 };
        foretold.whole = foretold.distance(&foretold.start).abs().max(f32::MIN_POSITIVE);
        foretold
    }

    fn change(&self, at: usize) -> &[f32] {
        &self.change[at * self.start.len()..][..self.start.len()]
    }

    fn with(&self, places: &[usize]) -> Vec<f32> {
        let mut ahead = self.start.clone();
        places.iter().for_each(|&at| add(&mut ahead, self.change(at), 1.0));
        ahead
    }

    /// Sums start from what the recommender said of a set, and go as far as it did.
    pub(super) fn arrive(&mut self, contenders: &[f32], item: usize, places: &[usize]) {
        let real: Vec<f32> = self.rivals.iter().map(|&at| contenders[at] - contenders[item]).collect();
        let mut sum = vec![0f32; self.start.len()];
        places.iter().for_each(|&at| add(&mut sum, self.change(at), 1.0));
        let (mut along, mut square) = (0f64, 0f64);
        for ((sum, real), start) in sum.iter().zip(&real).zip(&self.start) {
            along += f64::from(*sum) * f64::from(real - start);
            square += f64::from(*sum) * f64::from(*sum);
        }
        let pace = if square > 0.0 { (along / square).clamp(0.1, 5.0) as f32 } else { 1.0 };
        self.change.iter_mut().for_each(|change| *change *= pace);
        self.start = real;
        for &at in places {
            let start = at * self.start.len();
            let change = &self.change[start..start + self.start.len()];
            self.start.iter_mut().zip(change).for_each(|(start, change)| *start -= change);
        }
    }

    /// How far from where it is wanted: added up over the rivals in the way; below 0 where it is there, the further the better.
    fn distance(&self, ahead: &[f32]) -> f32 {
        let best = best_of(ahead, self.k);
        let last = best.first().copied().unwrap_or(f32::NEG_INFINITY).clamp(-f32::MAX, f32::MAX);
        match self.direction {
            Some(Direction::In) if last < 0.0 => last,
            Some(Direction::In) => {
                let above = |ahead: &[f32]| ahead.iter().map(|ahead| ahead.max(0.0)).sum::<f32>();
                above(ahead) - above(&best[1..])
            }
            _ if last > 0.0 => -last,
            _ => best.iter().map(|ahead| (-ahead).max(0.0)).sum(),
        }
    }
}

/// The rivals closest to deciding something: the best around nothing and around each of some sets.
fn who_matters<'c>(
    start: &[f32],
    change: impl Fn(usize) -> &'c [f32],
    item: Option<usize>,
    k: usize,
    near: &[Vec<usize>],
) -> Vec<usize> {
    let mut matter = BTreeSet::new();
    for places in near.iter().map(Vec::as_slice).chain([&[][..]]) {
        let mut scores = start.to_vec();
        places.iter().for_each(|&at| add(&mut scores, change(at), 1.0));
        if let Some(item) = item {
            scores[item] = f32::NEG_INFINITY;
        }
        let last = best_of(&scores, NEAR * k).first().copied().unwrap_or(f32::NEG_INFINITY);
        matter.extend((0..scores.len()).filter(|&at| scores[at] >= last && scores[at] > f32::NEG_INFINITY));
    }
    matter.into_iter().collect()
}

/// A set on the way.
pub(super) struct Way<'f> {
    foretold: [&'f Foretold; 2],
    pub(super) places: Vec<usize>,
    /// How far ahead the rivals are, of the one thing and of the other.
    ahead: [Vec<f32>; 2],
    room: [Vec<f32>; 2],
    /// How far both are from where they are wanted; below 0 where both are there.
    pub(super) short: f32,
}

impl<'f> Way<'f> {
    pub(super) fn of(foretold: [&'f Foretold; 2], places: Vec<usize>) -> Self {
        let ahead = foretold.map(|foretold| foretold.with(&places));
        let short = together(foretold, &ahead);
        Self { foretold, places, room: ahead.clone(), ahead, short }
    }

    /// With one more edge, the best by sums.
    pub(super) fn grow(&mut self, pool: usize) {
        let free: Vec<usize> = (0..pool).filter(|at| !self.places.contains(at)).collect();
        let best = free.into_iter().map(|at| (self.short_with(None, Some(at)), at));
        if let Some((short, into)) = best.reduce(|a, b| if b.0 < a.0 { b } else { a }) {
            self.change(None, Some(into));
            self.short = short;
            self.places.push(into);
        }
    }

    /// With one edge less, the most harmless by sums.
    pub(super) fn shrink(&mut self) {
        let best =
            (0..self.places.len()).map(|place| (self.short_with(Some(self.places[place]), None), place));
        if let Some((short, place)) = best.reduce(|a, b| if b.0 < a.0 { b } else { a }) {
            self.change(Some(self.places[place]), None);
            self.short = short;
            self.places.remove(place);
        }
    }

    /// Exchanges edges for others as long as that is better and it is not there yet.
    pub(super) fn exchange(&mut self, pool: usize) {
        for _ in 0..EXCHANGES {
            if self.short < 0.0 {
                return;
            }
            let free: Vec<usize> = (0..pool).filter(|at| !self.places.contains(at)).collect();
            let mut best: Option<(f32, usize, usize)> = None;
            for place in 0..self.places.len() {
                for &into in &free {
                    let short = self.short_with(Some(self.places[place]), Some(into));
                    if short < best.map_or(self.short, |best| best.0) {
                        best = Some((short, place, into));
                    }
                }
            }
            let Some((short, place, into)) = best else { return };
            self.change(Some(self.places[place]), Some(into));
            self.short = short;
            self.places[place] = into;
        }
    }

    fn short_with(&mut self, out: Option<usize>, into: Option<usize>) -> f32 {
        for ((room, ahead), foretold) in self.room.iter_mut().zip(&self.ahead).zip(self.foretold) {
            room.copy_from_slice(ahead);
            out.into_iter().for_each(|out| add(room, foretold.change(out), -1.0));
            into.into_iter().for_each(|into| add(room, foretold.change(into), 1.0));
        }
        together(self.foretold, &self.room)
    }

    fn change(&mut self, out: Option<usize>, into: Option<usize>) {
        for (ahead, foretold) in self.ahead.iter_mut().zip(self.foretold) {
            out.into_iter().for_each(|out| add(ahead, foretold.change(out), -1.0));
            into.into_iter().for_each(|into| add(ahead, foretold.change(into), 1.0));
        }
    }

    pub(super) fn edges(&self, pool: &[Edge]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.places.iter().map(|&at| pool[at]).collect();
        edges.sort_unstable();
        edges
    }
}

/// How far both are from where they are wanted; below 0 where both are there.
fn together(foretold: [&Foretold; 2], ahead: &[Vec<f32>; 2]) -> f32 {
    let [one, other] = [0, 1].map(|at| foretold[at].distance(&ahead[at]) / foretold[at].whole);
    if one < 0.0 && other < 0.0 { one.max(other) } else { one.max(0.0) + other.max(0.0) }
}
