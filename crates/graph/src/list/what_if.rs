//! What somebody's list would be had they done something else.

use super::{Candidates, Who};
use crate::{Edge, Edit, ItemId, Profile, Recommender, ScoreError, check_finite};

/// Another history of one person, and what comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The list as it is, best first.
    pub before: Vec<Moved>,
    /// The list as it would be, best first.
    pub after: Vec<Moved>,
}

/// An item on either list, and where it stands on both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    pub item: ItemId,
    /// Its rank among all candidates as things are; none if it is none.
    pub rank_before: Option<usize>,
    /// Its rank among all candidates as they would be; none if it would be none, being in the history.
    pub rank_after: Option<usize>,
    /// The recommender's score as things are.
    pub score_before: f32,
    /// The recommender's score as things would be.
    pub score_after: f32,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WhatIfError {
    /// Only what happened can be imagined away.
    #[error("item row {} is not in the person's history, so it cannot be taken away", .0.0)]
    NotThere(ItemId),
    /// Only what did not happen can be imagined there.
    #[error("item row {} is in the person's history already", .0.0)]
    AlreadyThere(ItemId),
    /// The recommender refused or failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// The lists of `k` with and without the change: `remove` imagined away, `add` imagined there. Order and repetition do not matter.
///
/// What may be listed is as explanations have it: see [`Candidates::after`].
pub fn what_if(
    recommender: &dyn Recommender,
    who: &Who,
    remove: &[ItemId],
    add: &[ItemId],
    k: usize,
    candidates: &Candidates,
) -> Result<WhatIf, WhatIfError> {
    let graph = recommender.graph();
    let (user, history) = (who.row(graph), who.history(graph));
    let in_history = |item: &&ItemId| history.binary_search(&item.0).is_ok();
    if let Some(&item) = remove.iter().find(|item| !in_history(item)) {
        return Err(WhatIfError::NotThere(item));
    }
    if let Some(&item) = add.iter().find(in_history) {
        return Err(WhatIfError::AlreadyThere(item));
    }
    let edges = |items: &[ItemId]| items.iter().map(|&item| Edge { user, item }).collect::<Vec<_>>();
    let edits: [Edit; 2] = [who.edit(graph, &[], &[]), who.edit(graph, &edges(remove), &edges(add))];
    let mut scores = vec![0f32; 2 * graph.items()];
    recommender.score(user, Profile::Kept, &edits, &mut scores)?;
    check_finite(&scores)?;
    let (before, after) = scores.split_at(graph.items());
    let [mask, mask_after] = edits.each_ref().map(|edit| candidates.after(graph, who, edit));
    let (before, after) = (Ranks::of(before, &mask), Ranks::of(after, &mask_after));
    let moved = |&row: &u32| Moved {
        item: ItemId(row),
        rank_before: before.rank(row),
        rank_after: after.rank(row),
        score_before: before.scores[row as usize],
        score_after: after.scores[row as usize],
    };
    Ok(WhatIf {
        before: before.order.iter().take(k).map(moved).collect(),
        after: after.order.iter().take(k).map(moved).collect(),
    })
}

/// All candidates, best first; at equal scores the lower row.
///
/// Sorted, since the ranks of two whole lists are wanted; who needs the ranks of a few items on hundreds of graphs, as explaining
/// does, counts who is ahead of each instead.
struct Ranks<'s> {
    scores: &'s [f32],
    order: Vec<u32>,
    /// From 1, by row; 0 where it is no candidate.
    ranks: Vec<usize>,
}

impl<'s> Ranks<'s> {
    fn of(scores: &'s [f32], allowed: &[bool]) -> Self {
        let mut order: Vec<u32> = (0..scores.len() as u32).filter(|&row| allowed[row as usize]).collect();
        order.sort_unstable_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        let mut ranks = vec![0; scores.len()];
        for (&row, rank) in order.iter().zip(1..) {
            ranks[row as usize] = rank;
        }
        Self { scores, order, ranks }
    }

    fn rank(&self, row: u32) -> Option<usize> {
        Some(self.ranks[row as usize]).filter(|&rank| rank > 0)
    }
}
