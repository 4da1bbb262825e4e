//! What each item of a history adds to the items of a list, by leaving it out and asking the model again.

use grease_explain::Standing;
use grease_graph::{Edge, ItemId, Profile, Recommender, ScoreError};

use crate::{Candidates, Who};

/// One item of a list and what every item of the history adds to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// The item.
    pub item: ItemId,
    /// Its rank among the candidates, from 1.
    pub rank: usize,
    /// Its score.
    pub score: f32,
    /// Its score minus the k-th best of the other candidates: positive on the list. Infinite where fewer than k compete.
    pub margin: f32,
    /// One for each item of the history; what the margin needs most first.
    pub history: Vec<Contribution>,
}

/// What one item of the history adds to one item of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// The item of the history.
    pub item: ItemId,
    /// How much of the score goes without it; negative if the score rises.
    pub score_drop: f32,
    /// How much of the margin goes without it.
    pub margin_drop: f32,
    /// The rank without it.
    pub rank_without: usize,
    /// Whether the listed item leaves the top k without it.
    pub decisive: bool,
}

/// Scores asked for at once: a gigabyte of them. Histories that need more are asked about in parts.
const ROOM: usize = 1 << 28;

/// Leave-one-out for every item of `listed`: history items are removed one at a time, and the model is asked for all of
/// them together. Candidates stay as they are: a removed item does not become one.
///
/// Exact for one item; two items that carry a recommendation together each seem to add little.
/// Costs one query for each item of the history, shared by the whole list, and O(history x items) memory.
pub fn contributions(
    recommender: &dyn Recommender,
    who: &Who,
    k: usize,
    candidates: &Candidates,
    listed: &[ItemId],
) -> Result<Vec<Contributions>, ScoreError> {
    let graph = recommender.graph();
    let (items, row, history) = (graph.items(), who.row(graph), who.history(graph));
    let allowed = candidates.mask(items, &history);
    let listed: Vec<ItemId> =
        listed.iter().copied().filter(|item| allowed.get(item.row()).copied().unwrap_or(false)).collect();
    let edits: Vec<_> = [None]
        .into_iter()
        .chain(history.iter().copied().map(Some))
        .map(|without: Option<u32>| {
            who.edit(graph, without.map(|item| Edge::new(row.0, item)).as_slice(), &[])
        })
        .collect();
    let mut standings = Vec::with_capacity(edits.len());
    for edits in edits.chunks((ROOM / items.max(1)).max(1)) {
        let mut scores = vec![0f32; items * edits.len()];
        recommender.score(row, Profile::Kept, edits, &mut scores)?;
        standings.extend((0..edits.len()).map(|at| {
            let scores = &scores[at * items..][..items];
            Standing::of_all(scores, &allowed, k, &listed)
        }));
    }
    let Some((before, after)) = standings.split_first() else { return Ok(Vec::new()) };
    let of = |at: usize| {
        let Standing { score, rank, margin } = before[at];
        let mut parts: Vec<Contribution> = history
            .iter()
            .zip(after)
            .map(|(&item, without)| Contribution {
                item: ItemId(item),
                score_drop: score - without[at].score,
                // Without competition there is no margin to lose.
                margin_drop: if margin.is_finite() { margin - without[at].margin } else { 0.0 },
                rank_without: without[at].rank,
                decisive: rank <= k && without[at].rank > k,
            })
            .collect();
        parts.sort_by(|a, b| {
            let by_margin = b.margin_drop.total_cmp(&a.margin_drop);
            by_margin.then(b.score_drop.total_cmp(&a.score_drop)).then(a.item.cmp(&b.item))
        });
        Contributions { item: listed[at], rank, score, margin, history: parts }
    };
    Ok((0..listed.len()).map(of).collect())
}
