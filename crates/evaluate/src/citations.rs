//! What the explanations of one list name, taken together; and whether somebody might have the histories they leave.

use std::collections::BTreeMap;

use grease_explain::Status;

use crate::unit::Answer;

/// Sums over the lists of one repeat of one row.
#[derive(Debug, Default)]
pub(crate) struct Citations {
    /// Lists with two verified explanations or more: fewer have nothing to share.
    pub(crate) lists: usize,
    /// Different edges that they name.
    pub(crate) distinct: usize,
    /// Of the verified explanations of a list, the share that names the edge most of them name.
    pub(crate) most_named: f64,
    /// Verified explanations, with how plausible the history is that each leaves, and the one it starts from.
    pub(crate) edited: usize,
    pub(crate) plausibility: f64,
    pub(crate) before: f64,
}

impl Citations {
    /// The answers of one list; `before` is how plausible the person's history is as it is.
    pub(crate) fn add<'a>(&mut self, answers: impl Iterator<Item = &'a Answer>, before: Option<f64>) {
        let (mut explanations, mut named) = (0, BTreeMap::<(u32, u32), usize>::new());
        for answer in answers.filter(|answer| !answer.beyond && answer.status == Status::Verified) {
            explanations += 1;
            answer.edges.iter().for_each(|&edge| *named.entry(edge).or_default() += 1);
            if let (Some(after), Some(before)) = (answer.plausibility, before) {
                self.edited += 1;
                self.plausibility += after;
                self.before += before;
            }
        }
        if explanations > 1 {
            self.lists += 1;
            self.distinct += named.len();
            self.most_named += named.values().copied().max().unwrap_or(0) as f64 / f64::from(explanations);
        }
    }
}
