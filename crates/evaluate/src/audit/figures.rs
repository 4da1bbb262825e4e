//! Cases counted.

use grease::Share;
use serde::{Deserialize, Serialize};

use super::Audited;

/// What came of some people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub people: usize,
    /// Interactions deleted, a person.
    pub mean_deleted: f64,
    /// How many items leave the list when the model is asked about the graph without the person's deletions.
    pub leave_edited: Share,
    /// How many leave it when training is done without everybody's.
    pub leave_retrained: Share,
    /// The verdict on the graph without the person's deletions, beside that after training again.
    pub edited: Comparison,
    /// The verdict on the graph without everybody's deletions, beside that after training again.
    pub jointly_edited: Comparison,
    /// Mean share of a list that is still on it after training again.
    pub list_kept: f64,
}

/// Two verdicts on the same items, counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The item leaves the list on the edited graph, and after training again.
    pub both_leave: usize,
    /// It leaves on the edited graph only.
    pub edited_leaves: usize,
    /// It leaves after training again only.
    pub retrained_leaves: usize,
    /// It stays on the list in both.
    pub both_stay: usize,
    /// How often they say the same.
    pub agreement: Share,
}

impl Comparison {
    /// Of pairs of whether an item leaves the edited graph's list, and the retrained model's.
    fn of(verdicts: impl Iterator<Item = (bool, bool)>) -> Self {
        let mut counts = [[0; 2]; 2];
        verdicts.for_each(|(edited, retrained)| counts[usize::from(edited)][usize::from(retrained)] += 1);
        let [[both_stay, retrained_leaves], [edited_leaves, both_leave]] = counts;
        let all = both_stay + retrained_leaves + edited_leaves + both_leave;
        let agreement = Share::new(both_stay + both_leave, all);
        Self { both_leave, edited_leaves, retrained_leaves, both_stay, agreement }
    }
}

impl Figures {
    /// Of these cases, on lists of `k`.
    pub(super) fn of<'a>(cases: impl Iterator<Item = &'a Audited>, k: usize) -> Self {
        let cases: Vec<&Audited> = cases.collect();
        let people = cases.len();
        let mean = |sum: f64| sum / people.max(1) as f64;
        let leave = |rank: fn(&Audited) -> usize| {
            Share::new(cases.iter().filter(|case| rank(case) > k).count(), people)
        };
        let compare = |rank: fn(&Audited) -> usize| {
            Comparison::of(cases.iter().map(|case| (rank(case) > k, case.rank_retrained > k)))
        };
        Self {
            people,
            mean_deleted: mean(cases.iter().map(|case| case.deleted.len() as f64).sum()),
            leave_edited: leave(|case| case.rank_edited),
            leave_retrained: leave(|case| case.rank_retrained),
            edited: compare(|case| case.rank_edited),
            jointly_edited: compare(|case| case.rank_jointly_edited),
            list_kept: mean(cases.iter().map(|case| case.list_kept).sum()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Group;

    #[test]
    fn verdicts_are_counted_where_they_belong() {
        let case = |rank_edited, rank_jointly_edited, rank_retrained| Audited {
            user: "u".into(),
            item: "i".into(),
            group: Group::Explained,
            seed: 1,
            firm: 1,
            deleted: vec!["j".into()],
            rank_before: 3,
            margin_before: Some(0.1),
            rank_edited,
            margin_edited: Some(-0.1),
            rank_jointly_edited,
            rank_retrained,
            list_kept: 0.5,
        };
        let cases = [case(11, 12, 13), case(11, 9, 10), case(10, 11, 11), case(1, 1, 1), case(99, 10, 99)];
        let figures = Figures::of(cases.iter(), 10);
        let table = |c: Comparison| [c.both_leave, c.edited_leaves, c.retrained_leaves, c.both_stay];
        assert_eq!(table(figures.edited), [2, 1, 1, 1]);
        assert_eq!(table(figures.jointly_edited), [2, 0, 1, 2]);
        assert_eq!((figures.edited.agreement.count, figures.jointly_edited.agreement.count), (3, 4));
        assert_eq!((figures.leave_edited.count, figures.leave_retrained.count), (3, 3));
        assert_eq!((figures.people, figures.mean_deleted, figures.list_kept), (5, 1.0, 0.5));
    }
}
