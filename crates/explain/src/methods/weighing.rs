//! What an item and its rivals score where edges are cited in part, and which way that goes with each of them.

use grease_graph::{Edge, ItemId, Weighed};
use grease_kernels::top_k;

use crate::ask::{Change, Person, Rules};
use crate::find::{Search, Stop};
use crate::surrogate::{Anchored, LocalSurrogate};

/// Scores of an item and of everybody who contends with it, as a function of how far each edge of a pool is cited: 0 is as the search
/// starts, 1 is cited. None of it is a question: no answer of it is told.
pub(super) struct Weighing<'c> {
    by: By<'c>,
    /// Whether an edge is there where it is cited.
    is_there: bool,
    item: usize,
    places: usize,
    /// What margins are measured in: how far the first of the person's list is ahead of the last.
    unit: f32,
    scores: Vec<f32>,
    room: Vec<f32>,
}

/// Who says so.
enum By<'c> {
    /// The recommender itself.
    Model(Box<dyn Weighed + 'c>),
    /// A surrogate, which knows whole edges alone: what is cited by half or more is cited. By their places in the neighbourhood.
    Surrogate { anchored: Box<Anchored<'c>>, places: Vec<Option<u32>>, cited: Vec<bool> },
}

/// A margin, and who is on the other side of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Margin {
    /// In the unit of the list.
    pub(super) of: f32,
    threshold: Option<usize>,
}

impl<'c> Weighing<'c> {
    /// Of the edges of a pool under these rules; none where there is neither a recommender with gradients nor a surrogate.
    pub(super) fn of<'a: 'c>(
        (person, surrogate): (&Person<'a>, Option<&'c LocalSurrogate<'c>>),
        search: &mut Search<'_, '_>,
        rules: &Rules<'_>,
        pool: &[Edge],
    ) -> Result<Option<Self>, Stop> {
        let items: Vec<ItemId> = search.ledger.contenders().iter().map(|&item| ItemId(item)).collect();
        let start = rules.edit(&[]);
        let by = match (
            person.recommender.weighed(person.user, rules.profile, &start, pool, &items)?,
            surrogate,
        ) {
            (Some(model), _) => By::Model(model),
            (None, Some(surrogate)) => {
                let at = search.ask_edits(rules.profile, &[start])?[0];
                let real = search.ledger.contenders_with(at);
                let near = surrogate.inputs.neighbourhood();
                By::Surrogate {
                    anchored: Box::new(surrogate.anchored(&real, &surrogate.local(&rules.evicted))),
                    places: pool.iter().map(|&edge| near.find(edge)).collect(),
                    cited: vec![false; pool.len()],
                }
            }
            (None, None) => return Ok(None),
        };
        let listed = &search.ledger.answer(person.before).scores;
        let best = top_k(listed, person.task.k, |_| true);
        let spread = best.first().zip(best.last()).map_or(0.0, |(first, last)| first.score - last.score);
        Ok(Some(Self {
            by,
            is_there: rules.change != Change::Removed,
            item: search.contender(),
            places: rules.places,
            unit: if spread > 0.0 && spread.is_finite() { spread } else { 1.0 },
            scores: vec![0.0; items.len()],
            room: vec![0.0; pool.len()],
        }))
    }

    /// Of a recommender's answers about so many items and edges.
    #[cfg(test)]
    pub(super) fn of_model(
        model: Box<dyn Weighed + 'c>,
        is_there: bool,
        (item, places, unit): (usize, usize, f32),
        (items, edges): (usize, usize),
    ) -> Self {
        let (scores, room) = (vec![0.0; items], vec![0.0; edges]);
        Self { by: By::Model(model), is_there, item, places, unit, scores, room }
    }

    /// Asks what all score where each edge is cited so far.
    pub(super) fn cite(&mut self, cited: &[f32]) -> Result<(), Stop> {
        match &mut self.by {
            By::Model(model) => {
                let weight = |&cited: &f32| if self.is_there { cited } else { 1.0 - cited };
                self.room.iter_mut().zip(cited).for_each(|(room, cited)| *room = weight(cited));
                model.score(&self.room, &mut self.scores)?;
            }
            By::Surrogate { anchored, places, cited: before } => {
                let mut flips = Vec::new();
                for ((now, before), place) in cited.iter().zip(before).zip(places) {
                    let now = *now >= 0.5;
                    flips.extend(place.filter(|_| now != *before));
                    *before = now;
                }
                anchored.flip(&flips);
                self.scores.copy_from_slice(anchored.scores());
            }
        }
        Ok(())
    }

    /// The item's margin there.
    pub(super) fn margin(&self) -> Margin {
        let best = top_k(&self.scores, self.places, |other| other as usize != self.item);
        let threshold =
            if best.len() < self.places { None } else { best.last().map(|last| last.index as usize) };
        let of = self.scores[self.item] - threshold.map_or(0.0, |at| self.scores[at]);
        Margin { of: of / self.unit, threshold }
    }

    /// Adds `factor` times the gradient of a margin, by how far each edge is cited.
    pub(super) fn add_slopes_of(
        &mut self,
        margin: Margin,
        factor: f32,
        into: &mut [f32],
    ) -> Result<(), Stop> {
        let mut by_score = vec![0f32; self.scores.len()];
        by_score[self.item] += factor / self.unit;
        if let Some(threshold) = margin.threshold {
            by_score[threshold] -= factor / self.unit;
        }
        self.add_slopes(&by_score, into)
    }

    /// The logarithm of the item's share of all contenders, by their scores' exponentials.
    #[cfg(test)]
    pub(super) fn log_share(&self) -> f32 {
        let most = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let all: f32 = self.scores.iter().map(|score| ((score - most) / self.unit).exp()).sum();
        (self.scores[self.item] - most) / self.unit - all.ln()
    }

    /// Adds `factor` times the gradient of that.
    pub(super) fn add_slopes_of_log_share(&mut self, factor: f32, into: &mut [f32]) -> Result<(), Stop> {
        let most = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut shares: Vec<f32> =
            self.scores.iter().map(|score| ((score - most) / self.unit).exp()).collect();
        let all: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share *= -factor / (all * self.unit));
        shares[self.item] += factor / self.unit;
        self.add_slopes(&shares, into)
    }

    /// Adds the gradient of a sum of scores, each counted so much.
    fn add_slopes(&mut self, by_score: &[f32], into: &mut [f32]) -> Result<(), Stop> {
        let sign = if self.is_there { 1.0 } else { -1.0 };
        match &mut self.by {
            By::Model(model) => model.gradient(by_score, &mut self.room)?,
            By::Surrogate { anchored, places, .. } => {
                let known: Vec<u32> = places.iter().copied().flatten().collect();
                let mut slopes = anchored.slopes_of_sum(by_score, &known).into_iter();
                let slope = |place: &Option<u32>| place.and_then(|_| slopes.next()).unwrap_or(0.0);
                self.room.iter_mut().zip(places.iter().map(slope)).for_each(|(room, slope)| *room = slope);
            }
        }
        into.iter_mut().zip(&self.room).for_each(|(into, slope)| *into += sign * slope);
        Ok(())
    }
}
