//! Where a search begins, what a set of edges does there, and which way is forward.

use std::collections::BTreeSet;

use grease_graph::{Edge, Edit, Graph, Profile, Who};
use serde::{Deserialize, Serialize};

use super::ledger::Answer;
use super::standing::Standing;
use crate::task::Direction;

/// What is done to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Taken away: counterfactual and why not.
    Removed,
    /// Put back after the eviction: factual.
    Kept,
    /// Imagined there: why not.
    Added,
}

/// An edge of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cited {
    /// What is done to it.
    pub change: Change,
    pub edge: Edge,
}

/// What is taken away before a factual search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Evicted {
    /// All interactions of the person.
    Own,
    /// All interactions of the person and of the item.
    Target,
}

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
    /// Which way the item is to go.
    pub(crate) direction: Direction,
    /// Length of the list it has to leave, or to get into: that of the task, where it need not be firm.
    pub(crate) places: usize,
    /// The most edges to cite.
    pub(crate) cap: usize,
    /// How far beyond rounding the item has to be where it is wanted: more than nothing where answers are estimates.
    pub(crate) spare: f32,
}

impl Rules<'_> {
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

    /// Whether an edge is cited where the graph is edited so.
    pub(crate) fn cites(&self, edit: &Edit, edge: &Edge) -> bool {
        match (self.change, self.who) {
            (Change::Added, _) => edit.added().contains(edge),
            // A newcomer's interaction is taken away by not adding it.
            (Change::Removed, Who::Newcomer(_)) if edge.user == self.graph.newcomer() => {
                !edit.added().contains(edge)
            }
            (Change::Kept, Who::Newcomer(_)) if edge.user == self.graph.newcomer() => {
                edit.added().contains(edge)
            }
            (Change::Removed, _) => edit.removed().contains(edge),
            (Change::Kept, _) => !edit.removed().contains(edge),
        }
    }

    /// How far beyond the edge of the list the item is, on the side where it is wanted.
    pub(crate) fn gain(&self, standing: &Standing) -> f32 {
        standing.gain(self.direction)
    }

    /// Whether the item is where it is wanted, beyond rounding.
    pub(crate) fn reached(&self, answer: &Answer, watched: usize) -> bool {
        self.gain(&answer.standings[watched]) > answer.tolerance + self.spare
    }
}
