//! Where a search begins, what a set of edges does there, and which way is forward.

use std::collections::BTreeSet;

use grease_graph::{Edge, Edit, Graph, Profile};

use crate::ledger::Answer;
use crate::{Change, Goal, Who};

/// The rules of one search.
#[derive(Debug, Clone)]
pub(crate) struct Rules<'a> {
    /// The graph of the recommender.
    pub(crate) graph: &'a Graph,
    /// Whose list.
    pub(crate) who: &'a Who,
    /// How their learned row is read.
    pub(crate) profile: Profile,
    /// What is done to cited edges.
    pub(crate) change: Change,
    /// What is away at the start; only for [`Change::Kept`].
    pub(crate) evicted: BTreeSet<Edge>,
    /// Whether the item is to come in; else it is to go.
    pub(crate) wanted_inside: bool,
    /// The most edges to cite.
    pub(crate) cap: usize,
}

impl Rules<'_> {
    /// The goal says which way is forward.
    pub(crate) fn wants_inside(goal: Goal) -> bool {
        match goal {
            Goal::Counterfactual => false,
            Goal::Factual | Goal::WhyNot => true,
        }
    }

    /// The graph with these edges cited.
    pub(crate) fn edit(&self, edges: &[Edge]) -> Edit {
        match self.change {
            Change::Removed => self.who.edit(self.graph, edges, &[]),
            Change::Added => self.who.edit(self.graph, &[], edges),
            Change::Kept => {
                let away: Vec<Edge> =
                    self.evicted.iter().filter(|edge| !edges.contains(edge)).copied().collect();
                self.who.edit(self.graph, &away, &[])
            }
        }
    }

    /// How far beyond the edge of the list the item is, on the side where it is wanted.
    pub(crate) fn gain(&self, margin: f32) -> f32 {
        if self.wanted_inside { margin } else { -margin }
    }

    /// Whether the item is where it is wanted, beyond rounding.
    pub(crate) fn reached(&self, answer: &Answer, watched: usize) -> bool {
        self.gain(answer.standings[watched].margin) > answer.tolerance
    }
}
