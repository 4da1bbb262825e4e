//! What somebody's list would be had they done something else.

use super::ranks::{Ranks, best};
use super::{Candidates, Who, close};
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
    let [mask, mask_after] = edits.each_ref().map(|edit| candidates.after(graph, who, edit));
    let scores = recommender.scores_after(user, Profile::Kept, &edits[0])?;
    check_finite(&scores)?;
    let listed = best(&scores, &mask, k);
    // Somebody new is an edit themselves: the list they have is asked for as everybody asks for it, and so is this one.
    let close = match edits[0].is_empty() {
        true => close::ranks(recommender, (user, &edits[1]), k, &listed, &mask_after)?,
        false => None,
    };
    let after = match close {
        Some(ranks) => ranks,
        None => {
            let scores = recommender.scores_after(user, Profile::Kept, &edits[1])?;
            check_finite(&scores)?;
            Ranks::of_all(&scores, &mask_after, k, &listed)
        }
    };
    let before = Ranks::of_all(&scores, &mask, k, after.list(k));
    let moved = |&row: &u32| Moved {
        item: ItemId(row),
        rank_before: before.rank(row),
        rank_after: after.rank(row),
        score_before: before.score(row),
        score_after: after.score(row),
    };
    Ok(WhatIf {
        before: before.list(k).iter().map(moved).collect(),
        after: after.list(k).iter().map(moved).collect(),
    })
}
