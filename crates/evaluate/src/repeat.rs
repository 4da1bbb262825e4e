//! What is counted in one repeat.

use std::collections::BTreeMap;

use grease_explain::{Goal, Status};

use crate::citations::Citations;
use crate::unit::Answer;

/// One repeat of one row.
#[derive(Default)]
pub(crate) struct Repeat {
    pub(crate) lists: usize,
    pub(crate) attempted: usize,
    pub(crate) verified: usize,
    pub(crate) refuted: usize,
    pub(crate) trivial: usize,
    /// With an answer, or one to a weaker question.
    pub(crate) answered: usize,
    pub(crate) minimal: usize,
    pub(crate) edges: usize,
    pub(crate) judged: usize,
    pub(crate) judged_edges: usize,
    /// Claims about items off the list before any edit, and their edges.
    pub(crate) off_list: (usize, usize),
    /// Claims that nothing is needed.
    pub(crate) of_nothing: usize,
    /// Pairs with a surrogate, and those it has on the list before any edit.
    pub(crate) imitated: (usize, usize),
    pub(crate) queries: f64,
    /// Verified by number of edges; what was found beyond the caps stands beyond them.
    pub(crate) by_edges: BTreeMap<usize, usize>,
    /// Pairs and verified by rank.
    pub(crate) by_rank: BTreeMap<usize, (usize, usize)>,
    /// Pairs and verified by band of interactions.
    pub(crate) by_degree: BTreeMap<usize, (usize, usize)>,
    pub(crate) named: Citations,
}

impl Repeat {
    /// What the surrogate of method `paper` thinks of its own answer.
    pub(crate) fn add_judged(&mut self, answer: &Answer, k: usize) {
        self.imitated.0 += 1;
        let Some(view) = answer.surrogate else { return };
        let (is_on, edges) = (view.rank_before <= k, answer.edges.len());
        self.imitated.1 += usize::from(is_on);
        // Where the recommender itself needs nothing, the surrogate's answer was not looked at.
        let needs_nothing = answer.status == Status::NotFound && view.rank_after.is_some();
        match (answer.is_found(), is_on) {
            (true, true) => {
                self.judged += 1;
                self.judged_edges += edges;
            }
            (true, false) => self.off_list = (self.off_list.0 + 1, self.off_list.1 + edges),
            (false, false) if needs_nothing || answer.goal == Goal::Counterfactual => self.off_list.0 += 1,
            (false, _) => self.of_nothing += usize::from(needs_nothing),
        }
    }

    pub(crate) fn claimed(&self) -> usize {
        self.judged + self.off_list.0 + self.of_nothing
    }
}
