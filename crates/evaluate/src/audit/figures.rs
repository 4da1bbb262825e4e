//! Cases counted.

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

/// So many of so many, and what that says of everybody else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub count: usize,
    pub of: usize,
    /// Their ratio; 0 of nobody.
    pub share: f64,
    /// Where the Wilson interval of 95 % begins.
    pub low: f64,
    pub high: f64,
}

impl Share {
    /// With its interval: Wilson's, which unlike the usual one is also right near 0 and 1 and of few.
    pub fn new(count: usize, of: usize) -> Self {
        if of == 0 {
            return Self { count, of, share: 0.0, low: 0.0, high: 1.0 };
        }
        /// 95 % of a normal distribution are this many deviations from its mean.
        const Z: f64 = 1.959_963_984_540_054;
        let (n, share) = (of as f64, count as f64 / of as f64);
        let centre = share + Z * Z / (2.0 * n);
        let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let whole = 1.0 + Z * Z / n;
        // Rounding must not put the interval's end beside the share itself.
        let (low, high) = ((centre - reach) / whole, (centre + reach) / whole);
        Self { count, of, share, low: low.clamp(0.0, share), high: high.clamp(share, 1.0) }
    }
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
    fn the_interval_is_the_published_one() {
        // Brown, Cai and DasGupta's formula by hand for 83 of 100; ends of nothing and everything.
        let share = Share::new(83, 100);
        assert!((share.low - 0.7445).abs() < 5e-4 && (share.high - 0.8911).abs() < 5e-4, "{share:?}");
        let (none, all) = (Share::new(0, 10), Share::new(10, 10));
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 5e-4, "{none:?}");
        assert!(all.high == 1.0 && (all.low - 0.7225).abs() < 5e-4, "{all:?}");
        assert_eq!(Share::new(0, 0), Share { count: 0, of: 0, share: 0.0, low: 0.0, high: 1.0 });
    }

    #[test]
    fn verdicts_are_counted_where_they_belong() {
        let case = |rank_edited, rank_jointly_edited, rank_retrained| Audited {
            user: "u".into(),
            item: "i".into(),
            group: Group::Explained,
            deleted: vec!["j".into()],
            rank_before: 3,
            rank_edited,
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
