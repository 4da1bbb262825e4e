//! What somebody's list would be had they done something else, by names.

use grease_graph::{Catalogue, ItemId, Moved, WhatIf, WhatIfError};
use serde::Serialize;

/// The lists with and without a change, for other programs: names instead of rows.
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

impl NamedWhatIf {
    /// With the names of these items.
    pub fn new(imagined: &WhatIf, items: &Catalogue) -> Self {
        let named = |moved: &Moved| NamedMoved {
            item: items.id(moved.item.0).to_owned(),
            title: items.title(moved.item.0).map(str::to_owned),
            rank_before: moved.rank_before,
            rank_after: moved.rank_after,
            score_before: moved.score_before,
            score_after: moved.score_after,
        };
        Self {
            before: imagined.before.iter().map(named).collect(),
            after: imagined.after.iter().map(named).collect(),
        }
    }

    /// Why there is none, with the names of these items, for whoever does not know rows.
    pub fn refused(error: &WhatIfError, items: &Catalogue) -> String {
        let called = |item: &ItemId| items.name(item.0);
        match error {
            WhatIfError::NotThere(item) => {
                format!("{} is not in the person's history, so it cannot be taken away", called(item))
            }
            WhatIfError::AlreadyThere(item) => format!("{} is in the person's history already", called(item)),
            WhatIfError::Score(error) => error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::{Candidates, Edge, Edit, Profile, Recommender, ScoreError, UserId, Who, what_if};

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
        let said = NamedWhatIf::refused(&WhatIfError::NotThere(first), items);
        assert!(said.starts_with(items.name(first.0)));
        let outside = what_if(model, &who, &[], &[ItemId(9999)], 5, &all);
        assert!(matches!(outside, Err(WhatIfError::Score(ScoreError::Edit(_)))), "{outside:?}");
    }
}
