//! Looking at one person closely: many edits, few items, and what is known of all the others.
//!
//! Scores of the whole catalogue are mostly thrown away: an explanation wants to know where a few items stand. A recommender that can
//! score some items without the rest says so by [`Recommender::closely`](crate::Recommender::closely).

use crate::{Edit, Profile, ScoreError};

/// Number of a set of items that was [chosen](Closely::choose).
pub type Panel = usize;

/// How much the scores of somebody looked at closely are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// They are the recommender's own, but for rounding, and nobody outside a panel is above what [`Closely::above`] is asked about
    /// but those it names.
    Exact,
    /// They are close: they say where to look, and prove nothing.
    Estimate,
}

/// One person, prepared for many questions.
///
/// Candidates are the items that could be listed at all, given when it was made. The same question has the same answer, whatever was
/// asked before.
pub trait Closely {
    /// What its scores are worth.
    fn sight(&self) -> Sight;

    /// Prepares some items to be scored together. Each once, in any order.
    fn choose(&mut self, items: &[u32]) -> Result<Panel, ScoreError>;

    /// Scores of a panel's items after an edit, in the order they were chosen.
    fn score(
        &mut self,
        profile: Profile,
        edit: &Edit,
        panel: Panel,
        out: &mut [f32],
    ) -> Result<(), ScoreError>;

    /// The candidates that look best after an edit, best first: enough to choose a panel from, and no more than that.
    fn best(&mut self, profile: Profile, edit: &Edit, count: usize) -> Result<Vec<u32>, ScoreError>;

    /// Every candidate outside the panel whose score after an edit could be above a threshold, ascending: with certainty where sight
    /// is exact. There may be others among them.
    fn above(
        &mut self,
        profile: Profile,
        edit: &Edit,
        panel: Panel,
        threshold: f32,
    ) -> Result<Vec<u32>, ScoreError>;

    /// Forgets a panel, and those chosen after it.
    fn forget(&mut self, panel: Panel);

    /// What taking away so many of these own interactions does, as a sum of what each does; none where that is not known. For a profile
    /// as it is kept. How far sums may be off is worked out where it is `proven`, else left out as zeros: to look, not to claim.
    fn sums(
        &mut self,
        items: &[u32],
        size: usize,
        panel: Panel,
        proven: bool,
    ) -> Result<Option<Sums>, ScoreError> {
        let _ = (items, size, panel, proven);
        Ok(None)
    }
}

/// Scores after taking away exactly so many of some own interactions, a set `T`: `start[i] + sum over t in T of change[t][i]`, off by at
/// most `slack[i] + slack_by_weight[i] * sum over t in T of weight[t]`; every candidate outside the panel scores at most `outside`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    /// One a panel's item.
    pub start: Vec<f32>,
    /// `[interactions, panel]`.
    pub change: Vec<f32>,
    /// One a panel's item.
    pub slack: Vec<f32>,
    /// One a panel's item.
    pub slack_by_weight: Vec<f32>,
    /// One an interaction.
    pub weight: Vec<f32>,
    pub outside: f32,
}
