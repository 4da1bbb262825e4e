//! A set of edges on the way, by sums alone: what would be good to add, to exchange or to spare.

use std::collections::BTreeSet;

use grease_graph::Edge;

use super::effects::{Effects, add};
use crate::task::Direction;

/// Ways followed at once where no single one gets there.
const BEAM: usize = 8;

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
pub(crate) struct Walk<'g> {
    guide: &'g Effects,
    contender: usize,
    direction: Direction,
    /// Places in the pool.
    pub(crate) cited: Vec<usize>,
    pub(crate) scores: Vec<f32>,
    /// How much of what sums say comes true.
    pace: f32,
}

impl<'g> Walk<'g> {
    /// Nothing cited yet.
    pub(crate) fn new(guide: &'g Effects, contender: usize, direction: Direction) -> Self {
        Self { guide, contender, direction, cited: Vec::new(), scores: guide.start.clone(), pace: 1.0 }
    }

    /// What is cited.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        self.cited.iter().map(|&at| self.guide.edges[at]).collect()
    }

    /// What the recommender said here of the contenders.
    pub(crate) fn arrive(&mut self, contenders: &[f32]) {
        self.scores = self.guide.of_answer(contenders);
        self.pace = self.guide.pace(&self.cited, &self.scores);
    }

    /// How far beyond the edge of the list the item would be with these scores, on the side where it is wanted.
    pub(crate) fn gain(&self, scores: &[f32]) -> f32 {
        self.direction.gain(self.guide.margin(scores, self.contender))
    }

    /// The same once one more edge is cited, `factor` times.
    fn gain_after(&self, scores: &[f32], edge: usize, factor: f32, room: &mut Vec<f32>) -> f32 {
        self.direction.gain(self.guide.margin_after(scores, (edge, factor), self.contender, room))
    }

    /// How far the item would then be from where it is wanted.
    fn shortfall_after(&self, edge: usize, room: &mut Vec<f32>) -> f32 {
        let (edge, wanted) = ((edge, self.pace), (self.contender, self.direction));
        self.guide.shortfall_after(&self.scores, edge, wanted, room)
    }

    /// With edges added until sums say it is enough, or the cap is reached; at least one.
    ///
    /// Two aims are followed and the shorter way taken. The margin alone is short-sighted: the k-th best of the others changes
    /// hands on the way, and an edge that brings many of them closer shows only when the last of them is close.
    pub(crate) fn grown(&self, cap: usize) -> Self {
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
        let wide_is_better = match (wide.0 > 0.0, narrow.0 > 0.0) {
            (true, true) => wide.1.cited.len() < narrow.1.cited.len(),
            (enough, _) => enough,
        };
        if wide_is_better { wide.1 } else { narrow.1 }
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
                    next.push((walk.shortfall_after(edge, &mut room), at, edge));
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
                let value = match sight {
                    Sight::Margin => self.gain_after(&self.scores, edge, self.pace, &mut room),
                    Sight::Shortfall => -self.shortfall_after(edge, &mut room),
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
    pub(crate) fn best_exchange(&self, tried: &BTreeSet<Vec<usize>>) -> Option<(usize, usize, f32)> {
        let mut room = Vec::new();
        let mut best: Option<(usize, usize, f32)> = None;
        for out in 0..self.cited.len() {
            let mut without = self.scores.clone();
            add(&mut without, self.guide.change(self.cited[out]), -self.pace);
            for into in (0..self.guide.edges.len()).filter(|into| !self.cited.contains(into)) {
                let gain = self.gain_after(&without, into, self.pace, &mut room);
                if best.is_none_or(|(_, _, most)| gain > most) && !tried.contains(&self.exchanged(out, into))
                {
                    best = Some((out, into, gain));
                }
            }
        }
        let here = self.gain(&self.scores);
        best.filter(|&(_, _, gain)| gain > here)
    }

    /// The cited edges that sums say can be spared together, the easiest first: as long as they say it is still enough.
    pub(crate) fn spares(&self, needed: &[usize]) -> Vec<usize> {
        let mut room = Vec::new();
        let mut each: Vec<(f32, usize)> = Vec::new();
        for &edge in self.cited.iter().filter(|edge| !needed.contains(edge)) {
            each.push((self.gain_after(&self.scores, edge, -self.pace, &mut room), edge));
        }
        each.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut left = self.scores.clone();
        let still_enough = |&(_, edge): &(f32, usize)| {
            add(&mut left, self.guide.change(edge), -self.pace);
            self.gain(&left) > 0.0
        };
        each.into_iter().take_while(still_enough).map(|(_, edge)| edge).collect()
    }

    /// The edges that can be cited one after another, those that leave the most to spare first, as long as sums say that the item
    /// stays where it is wanted.
    pub(crate) fn harmless(mut self) -> Vec<usize> {
        let mut room = Vec::new();
        loop {
            let mut best: Option<(f32, usize)> = None;
            for edge in (0..self.pool()).filter(|edge| !self.cited.contains(edge)) {
                let gain = self.gain_after(&self.scores, edge, 1.0, &mut room);
                if best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, edge));
                }
            }
            match best {
                Some((gain, edge)) if gain > 0.0 => {
                    add(&mut self.scores, self.guide.change(edge), 1.0);
                    self.cited.push(edge);
                }
                _ => return self.cited,
            }
        }
    }

    /// Edges there are to cite.
    pub(crate) fn pool(&self) -> usize {
        self.guide.edges.len()
    }

    /// With every edge cited.
    pub(crate) fn whole(&self) -> Self {
        Self { cited: (0..self.pool()).collect(), ..self.clone() }
    }

    fn exchanged(&self, out: usize, into: usize) -> Vec<usize> {
        let mut cited = self.cited.clone();
        cited[out] = into;
        sorted(&cited)
    }
}

/// A set is the same in any order.
pub(crate) fn sorted(places: &[usize]) -> Vec<usize> {
    let mut places = places.to_vec();
    places.sort_unstable();
    places
}
