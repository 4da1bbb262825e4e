//! What somebody's list would be had they done something else.

use grease_explain::{Candidates, Who};
use grease_graph::{Catalogue, Edge, Edit, ItemId, Profile, Recommender, ScoreError};
use serde::Serialize;

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
    /// What.
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

/// The same for other programs: names instead of rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NamedWhatIf {
    /// The list as it is, best first.
    pub before: Vec<NamedMoved>,
    /// The list as it would be, best first.
    pub after: Vec<NamedMoved>,
}

/// An item on either list, by name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NamedMoved {
    /// Its id.
    pub item: String,
    /// Its title, where one is known.
    pub title: Option<String>,
    /// As in [`Moved`].
    pub rank_before: Option<usize>,
    /// As in [`Moved`].
    pub rank_after: Option<usize>,
    /// As in [`Moved`].
    pub score_before: f32,
    /// As in [`Moved`].
    pub score_after: f32,
}

impl WhatIf {
    /// With the names of these items.
    pub fn named(&self, items: &Catalogue) -> NamedWhatIf {
        let named = |moved: &Moved| NamedMoved {
            item: items.id(moved.item.0).to_owned(),
            title: items.title(moved.item.0).map(str::to_owned),
            rank_before: moved.rank_before,
            rank_after: moved.rank_after,
            score_before: moved.score_before,
            score_after: moved.score_after,
        };
        NamedWhatIf {
            before: self.before.iter().map(named).collect(),
            after: self.after.iter().map(named).collect(),
        }
    }
}

impl WhatIfError {
    /// The same with the names of these items, for whoever does not know rows.
    pub fn named(&self, items: &Catalogue) -> String {
        let called = |item: &ItemId| items.name(item.0);
        match self {
            Self::NotThere(item) => {
                format!("{} is not in the person's history, so it cannot be taken away", called(item))
            }
            Self::AlreadyThere(item) => format!("{} is in the person's history already", called(item)),
            Self::Score(error) => error.to_string(),
        }
    }
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
/// What somebody has touched is never listed. What is imagined away stays unlisted, as explanations have it: the question is
/// what it did for the others. What is imagined there is not listed either.
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
    if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
        return Err(ScoreError::Failed(format!("a score is {score}, which is not a finite number")).into());
    }
    let (before, after) = scores.split_at(graph.items());
    let mask = candidates.mask(graph.items(), &history);
    let mut mask_after = mask.clone();
    for item in add {
        if let Some(allowed) = mask_after.get_mut(item.row()) {
            *allowed = false;
        }
    }
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

#[cfg(test)]
mod tests {
    use grease_graph::UserId;

    use super::*;
    use crate::recommend;
    use grease_testing::folder;

    #[test]
    fn lists_are_those_recommended_and_ranks_those_explanations_speak_of() {
        let model = &folder().model;
        let (who, all) = (Who::Known(UserId(3)), Candidates::default());
        let history = who.history(model.graph());
        let gone = ItemId(history[0]);
        let imagined = what_if(model, &who, &[gone], &[], 6, &all).unwrap();
        let list: Vec<ItemId> =
            recommend(model, &who, 6, &all).unwrap().iter().map(|listed| listed.item).collect();
        assert_eq!(imagined.before.iter().map(|moved| moved.item).collect::<Vec<_>>(), list);
        let edit = Edit::removing([Edge { user: UserId(3), item: gone }]);
        let scores = model.scores_after(UserId(3), Profile::Kept, &edit).unwrap();
        for moved in &imagined.after {
            let above = (0..scores.len() as u32)
                .filter(|row| !history.contains(row))
                .filter(|&row| scores[row as usize] > scores[moved.item.row()])
                .count();
            assert_eq!(moved.rank_after, Some(above + 1));
        }
        assert!(imagined.after.iter().all(|moved| moved.item != gone));
    }

    #[test]
    fn what_is_added_is_history_and_not_listed() {
        let model = &folder().model;
        let (who, all) = (Who::Known(UserId(3)), Candidates::default());
        let first = recommend(model, &who, 1, &all).unwrap()[0].item;
        let imagined = what_if(model, &who, &[], &[first, first], 5, &all).unwrap();
        assert_eq!(imagined.before[0].item, first);
        assert_eq!(imagined.before[0].rank_after, None);
        assert!(imagined.after.iter().all(|moved| moved.item != first));
        let new = what_if(model, &Who::Newcomer(vec![first]), &[first], &[], 5, &all).unwrap();
        assert_eq!(new.after.len(), 5, "a newcomer who brings nothing has a list too");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let model = &folder().model;
        let (who, all) = (Who::Known(UserId(3)), Candidates::default());
        let own = ItemId(who.history(model.graph())[0]);
        let first = recommend(model, &who, 1, &all).unwrap()[0].item;
        assert_eq!(what_if(model, &who, &[first], &[], 5, &all), Err(WhatIfError::NotThere(first)));
        assert_eq!(what_if(model, &who, &[], &[own], 5, &all), Err(WhatIfError::AlreadyThere(own)));
        let items = &folder().data.items;
        assert!(WhatIfError::NotThere(first).named(items).starts_with(items.name(first.0)));
        let outside = what_if(model, &who, &[], &[ItemId(9999)], 5, &all);
        assert!(matches!(outside, Err(WhatIfError::Score(ScoreError::Edit(_)))), "{outside:?}");
    }
}
