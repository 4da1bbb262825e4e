//! The best items of people, from embeddings on the card.

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
    score: CudaFunction,
    best: CudaFunction,
}

impl Ranker {
    pub(crate) fn new(card: &Card) -> Result<Self, CardError> {
        Ok(Self { score: card.kernel("score_people")?, best: card.kernel("best_items")? })
    }

    /// The `k` best items of each of these people that they do not have, best first, the lower item at equal scores. `embeddings` have
    /// a row of `stride` float4 for everybody and behind them for every item.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn best(
        &self,
        card: &Card,
        topology: &Topology,
        users: u32,
        embeddings: &CudaSlice<f32>,
        stride: u32,
        people: &[u32],
        k: usize,
    ) -> Result<Vec<Vec<u32>>, CardError> {
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
                    &users,
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
                    &users,
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
