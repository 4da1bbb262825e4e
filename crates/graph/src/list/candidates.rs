//! Which items may be listed.

use std::collections::BTreeSet;

use crate::{Edit, Graph, ItemId};

use super::Who;

/// Which items may be listed, besides that nobody is recommended what is in their history already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Only these, where it is given.
    pub only: Option<BTreeSet<ItemId>>,
    /// None of these.
    pub except: BTreeSet<ItemId>,
}

impl Candidates {
    /// For every item of a graph whether it may be listed for somebody on an edited graph.
    ///
    /// What an edit takes out of their history does not come back as a candidate: the question is what it did for the others. What
    /// it puts there is history.
    pub fn after(&self, graph: &Graph, who: &Who, edit: &Edit) -> Vec<bool> {
        let mut allowed = self.mask(graph.items(), &who.history(graph));
        let gained = edit.gained(who.row(graph)).filter(|item| item.row() < graph.items());
        gained.for_each(|item| allowed[item.row()] = false);
        allowed
    }

    /// For every item of a graph whether it may be listed for somebody with this history (ascending rows).
    pub fn mask(&self, items: usize, history: &[u32]) -> Vec<bool> {
        let mut allowed = match &self.only {
            None => vec![true; items],
            Some(only) => {
                let mut allowed = vec![false; items];
                only.iter().filter(|item| item.row() < items).for_each(|item| allowed[item.row()] = true);
                allowed
            }
        };
        let excluded =
            self.except.iter().map(|item| item.row()).chain(history.iter().map(|&item| item as usize));
        excluded.filter(|&item| item < items).for_each(|item| allowed[item] = false);
        allowed
    }
}
