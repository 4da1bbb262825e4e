//! What sums foretell of two things that a set has to do, and sets on the way to both.

use std::collections::BTreeSet;

use super::effects::{Effects, add, best_of};
use super::rivals::Rivals;
use crate::task::Direction;

/// Rivals that are looked at for each place of the list, around each set that is near: the others are far behind, or far ahead.
const NEAR: usize = 2;
/// Lists up to this length are looked at without asking for memory.
const FEW: usize = 32;
/// Exchanges looked for in a set at most.
const EXCHANGES: usize = 3;

/// What is foretold of one thing: how far each rival is ahead of the item.
#[derive(Debug)]
pub(super) struct Foretold {
    start: Vec<f32>,
    /// `[pool, rivals]`.
    change: Vec<f32>,
    /// Places of the list that counts.
    k: usize,
    direction: Direction,
    /// What an edge does to the rivals of a list, as a mean: distances of the two things are told in these.
    step: f32,
}

/// What the recommender said of a set: scores of contenders, and of the others who were in the way there.
pub(super) struct Said<'s> {
    pub(super) scores: &'s [f32],
    pub(super) outsiders: &'s [f32],
}

/// Who is in the way without being a contender, and what single edges do to them.
#[derive(Debug, Default)]
pub(super) struct Others {
    pub(super) items: usize,
    /// `[1 + pool, items]`: scores with nothing and with each edge cited.
    pub(super) singles: Vec<f32>,
}

impl Others {
    fn change(&self, edge: usize, at: usize) -> f32 {
        self.singles[(edge + 1) * self.items + at] - self.singles[at]
    }
}

impl Foretold {
    /// By what single edges do, from what the recommender said of a set, as far as it then went; of the rivals, those who matter around
    /// some sets.
    pub(super) fn by_effects(
        effects: &Effects,
        contender: usize,
        (k, direction): (usize, Direction),
        (places, said): (&[usize], Option<Said<'_>>),
        others: &Others,
        near: &[Vec<usize>],
    ) -> Self {
        let item = effects.place_of(contender);
        let (mut start, mut pace) = (effects.start.clone(), 1.0);
        let mut scores_of_others = others.singles.get(..others.items).unwrap_or_default().to_vec();
        if let Some(Said { scores, outsiders }) = said {
            start = effects.of_answer(scores);
            pace = effects.pace(places, &start);
            scores_of_others = outsiders.to_vec();
            for (at, score) in scores_of_others.iter_mut().enumerate() {
                *score -= places.iter().map(|&edge| pace * others.change(edge, at)).sum::<f32>();
            }
            places.iter().for_each(|&at| add(&mut start, effects.change(at), -pace));
        }
        let rivals = who_matters(&start, |at| effects.change(at), pace, Some(item), k, near);
        let ahead = |scores: &[f32], of_others: &dyn Fn(usize) -> f32, factor: f32| -> Vec<f32> {
            let all = rivals.iter().map(|&at| scores[at]).chain((0..others.items).map(of_others));
            all.map(|score| factor * (score - scores[item])).collect()
        };
        let change = (0..effects.edges.len())
            .flat_map(|edge| ahead(effects.change(edge), &|at| others.change(edge, at), pace))
            .collect();
        Self::new(ahead(&start, &|at| scores_of_others[at], 1.0), change, k, direction)
    }

    /// By sums of one size, nearly exact.
    pub(super) fn by_sums(rivals: &Rivals, pool: usize, k: usize, near: &[Vec<usize>]) -> Self {
        let matter = who_matters(&rivals.start, |at| rivals.change(at), 1.0, None, k, near);
        let of = |values: &[f32]| matter.iter().map(|&at| values[at]).collect::<Vec<f32>>();
        let change = (0..pool).flat_map(|at| of(rivals.change(at))).collect();
        Self::new(of(&rivals.start), change, k, Direction::Out)
    }

    fn new(start: Vec<f32>, change: Vec<f32>, k: usize, direction: Direction) -> Self {
        let mean = change.iter().map(|change| change.abs()).sum::<f32>() / change.len().max(1) as f32;
        Self { start, change, k, direction, step: (k as f32 * mean).max(f32::MIN_POSITIVE) }
    }

    fn change(&self, at: usize) -> &[f32] {
        &self.change[at * self.start.len()..][..self.start.len()]
    }

    fn with(&self, places: &[usize]) -> Vec<f32> {
        let mut ahead = self.start.clone();
        places.iter().for_each(|&at| add(&mut ahead, self.change(at), 1.0));
        ahead
    }

    /// How far from where it is wanted: added up over the rivals in the way; below 0 where it is there, the further the better.
    ///
    /// The innermost step of a search: the best are kept on the stack.
    fn distance(&self, ahead: &[f32]) -> f32 {
        let (mut few, mut many);
        let best = if self.k <= FEW {
            few = [f32::NEG_INFINITY; FEW];
            &mut few[..self.k]
        } else {
            many = vec![f32::NEG_INFINITY; self.k];
            &mut many[..]
        };
        // Worst first.
        for &ahead in ahead {
            let mut place = 0;
            while place < best.len() && best[place] < ahead {
                if place > 0 {
                    best[place - 1] = best[place];
                }
                best[place] = ahead;
                place += 1;
            }
        }
        let last = best.first().copied().unwrap_or(f32::NEG_INFINITY);
        let above = |ahead: &[f32]| ahead.iter().map(|ahead| ahead.max(0.0)).sum::<f32>();
        match self.direction {
            Direction::In if last < 0.0 => last,
            Direction::In => above(ahead) - above(&best[1..]),
            Direction::Out if last > 0.0 => -last,
            // Too few rivals to get it out.
            Direction::Out if last == f32::NEG_INFINITY => f32::MAX,
            Direction::Out => best.iter().map(|ahead| (-ahead).max(0.0)).sum(),
        }
    }

    fn short(&self, ahead: &[f32]) -> f32 {
        self.distance(ahead) / self.step
    }
}

/// The rivals closest to deciding something: the best around nothing and around each of some sets.
fn who_matters<'c>(
    start: &[f32],
    change: impl Fn(usize) -> &'c [f32],
    pace: f32,
    item: Option<usize>,
    k: usize,
    near: &[Vec<usize>],
) -> Vec<usize> {
    let mut matter = BTreeSet::new();
    for places in near.iter().map(Vec::as_slice).chain([&[][..]]) {
        let mut scores = start.to_vec();
        places.iter().for_each(|&at| add(&mut scores, change(at), pace));
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
        let short = both([0, 1].map(|at| foretold[at].short(&ahead[at])));
        Self { foretold, places, room: ahead.clone(), ahead, short }
    }

    /// With one more edge, the best by sums.
    pub(super) fn grow(&mut self, pool: usize) {
        let mut best: Option<(f32, usize)> = None;
        for into in 0..pool {
            if !self.places.contains(&into) {
                let worst = best.map_or(f32::INFINITY, |best| best.0);
                let short = short_with(self.foretold, &self.ahead, into, worst, &mut self.room);
                best = if short < worst { Some((short, into)) } else { best };
            }
        }
        if let Some((short, into)) = best {
            self.change(into, 1.0);
            self.short = short;
            self.places.push(into);
        }
    }

    /// Exchanges edges for others as long as that is better and it is not there yet.
    pub(super) fn exchange(&mut self, pool: usize) {
        for _ in 0..EXCHANGES {
            if self.short < 0.0 {
                return;
            }
            let mut best: Option<(f32, usize, usize)> = None;
            for place in 0..self.places.len() {
                let out = self.places[place];
                self.change(out, -1.0);
                for into in (0..pool).filter(|into| !self.places.contains(into)) {
                    let worst = best.map_or(self.short, |best| best.0);
                    let short = short_with(self.foretold, &self.ahead, into, worst, &mut self.room);
                    best = if short < worst { Some((short, place, into)) } else { best };
                }
                self.change(out, 1.0);
            }
            let Some((short, place, into)) = best else { return };
            self.change(self.places[place], -1.0);
            self.change(into, 1.0);
            self.short = short;
            self.places[place] = into;
        }
    }

    fn change(&mut self, edge: usize, factor: f32) {
        for (ahead, foretold) in self.ahead.iter_mut().zip(self.foretold) {
            add(ahead, foretold.change(edge), factor);
        }
    }
}

/// How short both fall with one more edge; no less than `worst` where that is enough to know.
fn short_with(
    foretold: [&Foretold; 2],
    ahead: &[Vec<f32>; 2],
    into: usize,
    worst: f32,
    room: &mut [Vec<f32>; 2],
) -> f32 {
    let mut short = [0f32; 2];
    // Being enough is the harder part: where that fails, the other need not be looked at.
    for at in [1, 0] {
        let all = room[at].iter_mut().zip(&ahead[at]).zip(foretold[at].change(into));
        all.for_each(|((room, ahead), change)| *room = ahead + change);
        short[at] = foretold[at].short(&room[at]);
        if worst >= 0.0 && short[at] >= worst {
            return short[at];
        }
    }
    both(short)
}

/// How far both are from where they are wanted; below 0 where both are there.
fn both([one, other]: [f32; 2]) -> f32 {
    if one < 0.0 && other < 0.0 { one.max(other) } else { one.max(0.0) + other.max(0.0) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As sorted and counted.
        #[test]
        fn the_distance_is_negative_exactly_where_the_item_is_wanted(
            ahead in proptest::collection::vec((-9i8..9).prop_map(f32::from), 0..50), k in 1usize..40, inside: bool,
        ) {
            let direction = if inside { Direction::In } else { Direction::Out };
            let foretold = Foretold::new(ahead.clone(), Vec::new(), k, direction);
            let mut sorted = ahead.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let last = sorted.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY);
            let is_there = if inside { last < 0.0 } else { last > 0.0 };
            let distance = foretold.distance(&ahead);
            prop_assert_eq!(distance < 0.0, is_there);
            if !is_there && inside {
                prop_assert_eq!(distance, sorted[k - 1..].iter().map(|a| a.max(0.0)).sum::<f32>());
            }
            if !is_there && !inside && sorted.len() >= k {
                prop_assert_eq!(distance, sorted[..k].iter().map(|a| (-a).max(0.0)).sum::<f32>());
            }
        }
    }
}
