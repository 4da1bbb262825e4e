//! The best items of people, from embeddings on the card.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg as _};

use crate::card::{Card, CardError};
use crate::launch::{grid, launch};
use crate::topology::Topology;

/// The longest lists there are.
pub(crate) const LONGEST: usize = 32;

/// Scores that lie on the card at a time, but for one row.
const SCORES: usize = 64 << 20;

/// What stands where there are no more items.
const NONE: u32 = u32::MAX;

/// Bytes that ranking needs.
pub(crate) fn bytes_needed(items: usize) -> usize {
    4 * SCORES.max(items)
}

/// Ranks items for people.
pub(crate) struct Ranker {
    card: Arc<Card>,
    users: u32,
    score: CudaFunction,
    best: CudaFunction,
}

impl Ranker {
    pub(crate) fn new(card: &Arc<Card>, users: usize) -> Result<Self, CardError> {
        let (score, best) = (card.kernel("score_people")?, card.kernel("best_items")?);
        Ok(Self { card: Arc::clone(card), users: users as u32, score, best })
    }

    /// The `k` best items of each of these people that they do not have, best first, the lower item at equal scores. `embeddings` have
    /// a row of `stride` float4 for everybody and behind them for every item.
    pub(crate) fn best(
        &self,
        topology: &Topology,
        embeddings: &CudaSlice<f32>,
        stride: u32,
        people: &[u32],
        k: usize,
    ) -> Result<Vec<Vec<u32>>, CardError> {
        let Self { card, users, .. } = self;
        let items = topology.nodes - users;
        let together = (SCORES / items.max(1) as usize).clamp(1, 65_535).min(people.len().max(1));
        let scores = card.zeros::<f32>(together * items as usize)?;
        let lists = card.zeros::<u32>(together * LONGEST)?;
        let mut all = Vec::with_capacity(people.len());
        for block in people.chunks(together) {
            let (those, count) = (card.upload(block)?, block.len() as u32);
            let tiles = (items.div_ceil(64).max(1), count.div_ceil(64), 1);
            // SAFETY: people are rows of the embeddings, and there is room for a row of scores and a list for each of a block.
            unsafe {
                launch!(
                    card,
                    &self.score,
                    LaunchConfig { grid_dim: tiles, ..grid(1) },
                    &those,
                    &count,
                    users,
                    &items,
                    embeddings,
                    &stride,
                    &scores
                )?;
                launch!(
                    card,
                    &self.best,
                    grid(count),
                    &those,
                    users,
                    &items,
                    &topology.offsets,
                    &topology.neighbours,
                    &scores,
                    &lists
                )?;
            }
            let found = card.download(&lists)?;
            let listed =
                |list: &[u32]| list.iter().copied().take(k).take_while(|&item| item != NONE).collect();
            all.extend(found.chunks_exact(LONGEST).take(block.len()).map(listed));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::{Edge, Graph, seed};

    use super::*;

    /// Whole numbers, so that scores are exact in any order of adding, and there are many ties.
    fn embeddings(rows: usize, width: usize) -> Vec<f32> {
        (0..rows * width).map(|at| (seed::mix(3, at as u64) % 7) as f32 - 3.0).collect()
    }

    fn naive(graph: &Graph, embeddings: &[f32], width: usize, person: u32, k: usize) -> Vec<u32> {
        let row = |node: usize| &embeddings[node * width..][..width];
        let score = |item: u32| -> f32 {
            let item = row(graph.users() + item as usize);
            row(person as usize).iter().zip(item).map(|(a, b)| a * b).sum()
        };
        let touched = graph.by_user().row(person as usize);
        let numbers = |item: &u32| !touched.contains(item) && !score(*item).is_nan();
        let mut items: Vec<u32> = (0..graph.items() as u32).filter(numbers).collect();
        items.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        items.truncate(k);
        items
    }

    #[test]
    #[ignore = "needs a card"]
    fn lists_equal_sorting_everything() {
        let card = Arc::new(Card::open(0).unwrap());
        for (users, items, width, k) in
            [(70, 300, 8, 20), (3, 5, 4, 20), (5, 31, 68, 32), (130, 1000, 256, 32), (2, 64, 12, 1)]
        {
            let some = (0..users as u32)
                .flat_map(|u| (0..u % 9).map(move |j| Edge::new(u, (u * 5 + j * 3) % items)));
            let edges: Vec<Edge> = some.chain((0..items).map(|item| Edge::new(1, item))).collect();
            let graph = Graph::new(users, items as usize, &edges).unwrap();
            let mut rows = embeddings(users + items as usize, width);
            // What is no number is in nobody's list.
            rows[(users + 2) * width] = f32::NAN;
            let topology = Topology::new(&card, &graph).unwrap();
            let on_card = card.upload(&rows).unwrap();
            let people: Vec<u32> = (0..users as u32).rev().collect();
            let ranker = Ranker::new(&card, users).unwrap();
            let lists = ranker.best(&topology, &on_card, width as u32 / 4, &people, k).unwrap();
            assert_eq!(lists.len(), people.len());
            for (list, &person) in lists.iter().zip(&people) {
                let want = naive(&graph, &rows, width, person, k);
                assert_eq!(list, &want, "person {person} of {users}, {items} items, width {width}");
            }
        }
    }

    #[test]
    #[ignore = "needs a card"]
    fn a_card_too_small_says_what_is_needed() {
        let card = Card::open(0).unwrap();
        let refused = card.need(usize::MAX / 2).unwrap_err();
        let CardError::Memory { needed, free } = refused else { panic!("{refused}") };
        assert!(needed == (usize::MAX / 2).div_ceil(1_000_000) && free > 0);
    }
}
