//! What each edge does by itself, and what several would do together if effects simply added up.
//!
//! They do not quite: taking one interaction away makes the others count for more. So a sum is never trusted: it says where
//! to look, and each answer of the recommender becomes the point the next sum starts from.

use grease_graph::Edge;
use grease_kernels::vectorise;

use crate::ask::{AnswerId, Ledger};
use crate::task::Direction;

/// Score changes of the contenders for each edge of a pool, cited alone.
#[derive(Debug, Clone)]
pub(crate) struct Effects {
    /// The pool.
    pub(crate) edges: Vec<Edge>,
    /// Contenders' scores with nothing cited.
    pub(crate) start: Vec<f32>,
    /// `[edges, contenders]`.
    changes: Vec<f32>,
    /// Length of the list.
    k: usize,
    /// Whose scores these are: places among the ledger's contenders.
    places: Vec<usize>,
    /// How far a contender falls that an edge makes part of the history: behind all others, whatever else happens.
    fall: f32,
}

impl Effects {
    /// From the answers with nothing and with one edge cited.
    pub(crate) fn new(ledger: &Ledger<'_>, k: usize, start: AnswerId, singles: &[(Edge, AnswerId)]) -> Self {
        let start = ledger.answer(start).scores.clone();
        let (lowest, highest) = start
            .iter()
            .fold((0f32, 0f32), |(lowest, highest), &score| (lowest.min(score), highest.max(score)));
        let fall = 4.0 * (highest - lowest) + 1.0;
        let mut changes = Vec::with_capacity(singles.len() * start.len());
        for &(_, at) in singles {
            let change = |(after, before): (&f32, &f32)| (after - before).max(-fall);
            changes.extend(ledger.answer(at).scores.iter().zip(&start).map(change));
        }
        let places = (0..start.len()).collect();
        Self { edges: singles.iter().map(|&(edge, _)| edge).collect(), start, changes, k, places, fall }
    }

    /// Both pools together; they start from the same answer.
    pub(crate) fn joined(mut self, other: &Self) -> Self {
        self.edges.extend_from_slice(&other.edges);
        self.changes.extend_from_slice(&other.changes);
        self
    }

    /// The part of the pool that is in `edges`.
    pub(crate) fn only(&self, edges: &[Edge]) -> Self {
        let kept: Vec<usize> = (0..self.edges.len()).filter(|&at| edges.contains(&self.edges[at])).collect();
        Self {
            edges: kept.iter().map(|&at| self.edges[at]).collect(),
            start: self.start.clone(),
            changes: kept.iter().flat_map(|&at| self.change(at)).copied().collect(),
            k: self.k,
            places: self.places.clone(),
            fall: self.fall,
        }
    }

    /// Without the contenders that all edges together will not bring past `contender`: they have no say in whether it leaves the list.
    ///
    /// The best of the start stay anyhow.
    pub(crate) fn without_bystanders(&self, contender: usize) -> Self {
        let mut helps = vec![0f32; self.start.len()];
        for edge in 0..self.edges.len() {
            let change = self.change(edge);
            let own = change[contender];
            vectorise(|| {
                helps.iter_mut().zip(change).for_each(|(helps, change)| *helps += (change - own).max(0.0));
            });
        }
        let best = best_of_others(&self.start, contender, self.k.saturating_mul(2).min(self.start.len()));
        let sure = best.first().copied().unwrap_or(f32::NEG_INFINITY);
        let mut kept: Vec<usize> = (0..self.start.len())
            .filter(|&at| {
                at == contender
                    || self.start[at] >= sure
                    || self.start[at] + helps[at] > self.start[contender]
            })
            .collect();
        // The best first: who is k-th best is then found early.
        kept.sort_by(|&a, &b| self.start[b].total_cmp(&self.start[a]).then(a.cmp(&b)));
        let only = |scores: &[f32]| kept.iter().map(|&at| scores[at]).collect::<Vec<f32>>();
        Self {
            edges: self.edges.clone(),
            start: only(&self.start),
            changes: (0..self.edges.len()).flat_map(|edge| only(self.change(edge))).collect(),
            k: self.k,
            places: kept.iter().map(|&at| self.places[at]).collect(),
            fall: self.fall,
        }
    }

    /// The scores that matter here, of all that an answer has.
    pub(crate) fn of_answer(&self, scores: &[f32]) -> Vec<f32> {
        let lowest = self.start.iter().map(|start| start - self.fall);
        self.places.iter().zip(lowest).map(|(&place, lowest)| scores[place].max(lowest)).collect()
    }

    /// Where one of the ledger's contenders stands here.
    pub(crate) fn place_of(&self, contender: usize) -> usize {
        let place = self.places.iter().position(|&place| place == contender);
        place.expect("the explained item is never a bystander")
    }

    /// What one edge does to the contenders.
    pub(crate) fn change(&self, edge: usize) -> &[f32] {
        &self.changes[edge * self.start.len()..][..self.start.len()]
    }

    /// The margin of a contender: its score minus the k-th best of the others.
    pub(crate) fn margin(&self, scores: &[f32], contender: usize) -> f32 {
        margin_among(scores, contender, self.k)
    }

    /// The margin of a contender once one more edge is cited, `factor` times.
    pub(crate) fn margin_after(
        &self,
        scores: &[f32],
        (edge, factor): (usize, f32),
        contender: usize,
        room: &mut Vec<f32>,
    ) -> f32 {
        let change = self.change(edge);
        let own = scores[contender] + factor * change[contender];
        best_after(scores, (change, factor), contender, self.k, None, room);
        own - room.first().copied().unwrap_or(f32::NEG_INFINITY)
    }

    /// How far a contender is from where it is wanted once one more edge is cited, `factor` times, added up over all others that stand
    /// in the way: to get out, k of the others have to pass it; to get in, all but k - 1 of those above it have to fall behind it. 0
    /// exactly where it is wanted.
    pub(crate) fn shortfall_after(
        &self,
        scores: &[f32],
        (edge, factor): (usize, f32),
        (contender, direction): (usize, Direction),
        room: &mut Vec<f32>,
    ) -> f32 {
        let change = self.change(edge);
        let own = scores[contender] + factor * change[contender];
        match direction {
            Direction::In => {
                let above = best_after(scores, (change, factor), contender, self.k - 1, Some(own), room);
                above - room.iter().map(|other| (other - own).max(0.0)).sum::<f32>()
            }
            Direction::Out => {
                best_after(scores, (change, factor), contender, self.k, None, room);
                room.iter().map(|other| (own - other).max(0.0)).sum()
            }
        }
    }

    /// How far the recommender went of what the sum of these edges' effects said, as one factor (least squares).
    pub(crate) fn pace(&self, cited: &[usize], answer: &[f32]) -> f32 {
        let mut sum = vec![0f32; self.start.len()];
        cited.iter().for_each(|&edge| add(&mut sum, self.change(edge), 1.0));
        let (mut along, mut square) = (0f64, 0f64);
        let all = sum.iter().zip(answer).zip(&self.start);
        for ((&predicted, &after), &before) in
            all.filter(|((_, after), before)| *after - *before > -self.fall)
        {
            along += f64::from(predicted) * f64::from(after - before);
            square += f64::from(predicted) * f64::from(predicted);
        }
        if square > 0.0 { (along / square).clamp(0.2, 5.0) as f32 } else { 1.0 }
    }
}

/// The margin of a contender among these scores: its own minus the k-th best of the others.
pub(crate) fn margin_among(scores: &[f32], contender: usize, k: usize) -> f32 {
    scores[contender] - best_of_others(scores, contender, k).first().copied().unwrap_or(f32::NEG_INFINITY)
}

/// `scores += factor * change`.
pub(crate) fn add(scores: &mut [f32], change: &[f32], factor: f32) {
    vectorise(|| scores.iter_mut().zip(change).for_each(|(score, change)| *score += factor * change));
}

/// The k best, worst first; minus infinity for those that are missing.
pub(super) fn best_of(scores: &[f32], k: usize) -> Vec<f32> {
    best_of_others(scores, usize::MAX, k)
}

/// Scores looked at together: those whose best is not good enough cost one comparison, so it is quick where the best come first.
const STRETCH: usize = 32;

/// The k best, worst first, `except` not counted; minus infinity for those that are missing.
fn best_of_others(scores: &[f32], except: usize, k: usize) -> Vec<f32> {
    let mut best = vec![f32::NEG_INFINITY; k];
    if k > 0 {
        vectorise(|| {
            for (stretch, scores) in scores.chunks(STRETCH).enumerate() {
                if best_in(scores) > best[0] {
                    keep_best(scores, stretch, except, &mut best);
                }
            }
        });
    }
    best
}

/// The same after `scores += factor * change`, into `best`; and, of all that are then above `line`, how far they are, added up.
fn best_after(
    scores: &[f32],
    (change, factor): (&[f32], f32),
    except: usize,
    k: usize,
    line: Option<f32>,
    best: &mut Vec<f32>,
) -> f32 {
    best.clear();
    best.resize(k, f32::NEG_INFINITY);
    let mut above = 0.0;
    vectorise(|| {
        let mut after = [f32::NEG_INFINITY; STRETCH];
        for (stretch, (scores, change)) in scores.chunks(STRETCH).zip(change.chunks(STRETCH)).enumerate() {
            let after = &mut after[..scores.len()];
            let sums = scores.iter().zip(change).map(|(score, change)| score + factor * change);
            after.iter_mut().zip(sums).for_each(|(after, sum)| *after = sum);
            let most = best_in(after);
            if let Some(line) = line.filter(|&line| most > line) {
                // Those below would add nothing.
                above = after.iter().fold(above, |above, score| above + (score - line).max(0.0));
            }
            if k > 0 && most > best[0] {
                keep_best(after, stretch, except, best);
            }
        }
    });
    above
}

#[inline(always)]
fn best_in(scores: &[f32]) -> f32 {
    scores.iter().fold(f32::NEG_INFINITY, |most, &score| if score > most { score } else { most })
}

/// Takes up the scores of a stretch that belong among the best.
#[inline(always)]
fn keep_best(scores: &[f32], stretch: usize, except: usize, best: &mut [f32]) {
    for (at, &score) in scores.iter().enumerate() {
        if score <= best[0] || stretch * STRETCH + at == except {
            continue;
        }
        let mut place = 0;
        while place + 1 < best.len() && best[place + 1] < score {
            best[place] = best[place + 1];
            place += 1;
        }
        best[place] = score;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Effects {
        /// [`shortfall_after`](Self::shortfall_after) nothing, the plain way.
        fn shortfall(&self, scores: &[f32], contender: usize, direction: Direction) -> f32 {
            let own = scores[contender];
            match direction {
                Direction::In => {
                    let above =
                        |others: &[f32]| others.iter().map(|other| (other - own).max(0.0)).sum::<f32>();
                    above(scores) - above(&best_of_others(scores, contender, self.k - 1))
                }
                Direction::Out => {
                    let best = best_of_others(scores, contender, self.k);
                    best.iter().map(|other| (own - other).max(0.0)).sum()
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_best_of_the_others_are_as_sorted(scores in proptest::collection::vec(-9i8..9, 1..30), k in 1usize..8, except in 0usize..30) {
            let scores: Vec<f32> = scores.iter().map(|&s| f32::from(s)).collect();
            let except = except % scores.len();
            let mut others: Vec<f32> = scores.iter().enumerate().filter(|&(at, _)| at != except).map(|(_, &s)| s).collect();
            others.sort_by(|a, b| b.total_cmp(a));
            others.resize(others.len().max(k), f32::NEG_INFINITY);
            others.truncate(k);
            others.reverse();
            prop_assert_eq!(best_of_others(&scores, except, k), others);
        }

        #[test]
        fn nothing_is_short_exactly_where_the_item_is_wanted(
            scores in proptest::collection::vec(-9i8..9, 2..30), k in 1usize..8, contender in 0usize..30, inside: bool,
        ) {
            let start: Vec<f32> = scores.iter().map(|&s| f32::from(s)).collect();
            let (contender, places) = (contender % start.len(), (0..start.len()).collect());
            let effects = Effects { edges: Vec::new(), start: start.clone(), changes: Vec::new(), k, places, fall: 99.0 };
            let direction = if inside { Direction::In } else { Direction::Out };
            let (margin, short) = (effects.margin(&start, contender), effects.shortfall(&start, contender, direction));
            prop_assert!(short >= 0.0);
            // At a tie nobody has to move, and nobody has arrived.
            prop_assert_eq!(short == 0.0, if inside { margin >= 0.0 } else { margin <= 0.0 });
        }

        #[test]
        fn what_an_edge_would_do_is_as_after_adding_it(
            start in proptest::collection::vec(-9i8..9, 2..90), change in proptest::collection::vec(-9i8..9, 90), k in 1usize..8,
            contender in 0usize..90, factor in -2f32..2.0, inside: bool,
        ) {
            let start: Vec<f32> = start.iter().map(|&s| f32::from(s) * 0.37).collect();
            let (contender, places) = (contender % start.len(), (0..start.len()).collect());
            let changes: Vec<f32> = change[..start.len()].iter().map(|&c| f32::from(c) * 0.11).collect();
            let effects = Effects { edges: vec![Edge::new(0, 0)], start: start.clone(), changes, k, places, fall: 99.0 };
            let direction = if inside { Direction::In } else { Direction::Out };
            let mut after = start.clone();
            add(&mut after, effects.change(0), factor);
            let mut room = vec![7.0];
            prop_assert_eq!(effects.margin_after(&start, (0, factor), contender, &mut room), effects.margin(&after, contender));
            prop_assert_eq!(
                effects.shortfall_after(&start, (0, factor), (contender, direction), &mut room),
                effects.shortfall(&after, contender, direction)
            );
        }

        #[test]
        fn who_could_pass_the_item_is_no_bystander(
            start in proptest::collection::vec(-9i8..9, 2..30), changes in proptest::collection::vec(-9i8..9, 90), k in 1usize..4, contender in 0usize..30,
        ) {
            let start: Vec<f32> = start.iter().map(|&s| f32::from(s)).collect();
            let (width, contender) = (start.len(), contender % start.len());
            let edges: Vec<Edge> = (0..3).map(|item| Edge::new(0, item)).collect();
            let changes = changes[..3 * width].iter().map(|&c| f32::from(c)).collect();
            let all = Effects { edges, start, changes, k, places: (0..width).collect(), fall: 99.0 };
            let few = all.without_bystanders(contender);
            let at = few.place_of(contender);
            // Every sum of effects is foreseen: the item is out of the list in both or in neither.
            for cited in 0..8usize {
                let with = |effects: &Effects| {
                    let mut scores = effects.start.clone();
                    (0..3).filter(|edge| cited & (1 << edge) != 0).for_each(|edge| add(&mut scores, effects.change(edge), 1.0));
                    scores
                };
                prop_assert_eq!(few.of_answer(&with(&all)), with(&few));
                prop_assert_eq!(all.margin(&with(&all), contender) < 0.0, few.margin(&with(&few), at) < 0.0);
            }
        }
    }
}
