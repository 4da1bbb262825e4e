//! The nodes whose interactions have weights, or are edited.

use std::collections::BTreeMap;

use grease_graph::{Edge, Edit, Graph, UserId};
use grease_kernels::normalise::inverse_root;

use crate::edited::changed_rows;
use crate::halves::Side;

/// A node that is not as the unedited graph has it.
pub(super) struct Touched {
    pub(super) row: u32,
    /// Neighbours whatever the weights.
    pub(super) fixed: Vec<u32>,
    /// Neighbours by weighted interactions, each with the interaction's place among them.
    pub(super) weighed: Vec<(u32, usize)>,
}

impl Touched {
    /// `1 / sqrt(degree)`.
    pub(super) fn root(&self, weights: &[f32]) -> f32 {
        inverse_root(self.fixed.len() as f32 + self.weighed.iter().map(|&(_, at)| weights[at]).sum::<f32>())
    }

    fn neighbours(&self) -> impl Iterator<Item = u32> + '_ {
        self.fixed.iter().copied().chain(self.weighed.iter().map(|&(row, _)| row))
    }
}

/// An edited graph, some of whose interactions have weights.
pub(super) struct Scene<'g> {
    pub(super) graph: &'g Graph,
    /// Touched users and items, rows ascending.
    touched: [Vec<Touched>; 2],
}

impl<'g> Scene<'g> {
    /// `person` is touched even where no interaction of theirs is: their input row is not the one in the table.
    pub(super) fn new(graph: &'g Graph, edit: &Edit, edges: &[Edge], person: Option<UserId>) -> Self {
        let mut weighed = edges.to_vec();
        weighed.sort_unstable();
        let is_weighed = |edge: &Edge| weighed.binary_search(edge).is_ok();
        let there = edges.iter().copied().filter(|&edge| graph.has(edge));
        let rest = Edit::new(
            edit.removed().iter().copied().chain(there),
            edit.added().iter().copied().filter(|edge| !is_weighed(edge)),
        );
        let touched = Side::BOTH.map(|side| {
            let as_it_is =
                |row: u32| Touched { row, fixed: known(graph, side, row).to_vec(), weighed: Vec::new() };
            let mut nodes: BTreeMap<u32, Touched> = changed_rows(graph, &rest, side)
                .into_iter()
                .map(|c| (c.row, Touched { row: c.row, fixed: c.neighbours, weighed: Vec::new() }))
                .collect();
            for (at, edge) in edges.iter().enumerate() {
                let (row, far) = match side {
                    Side::Users => (edge.user.0, edge.item.0),
                    Side::Items => (edge.item.0, edge.user.0),
                };
                nodes.entry(row).or_insert_with(|| as_it_is(row)).weighed.push((far, at));
            }
            if let Some(UserId(row)) = person.filter(|_| side == Side::Users) {
                nodes.entry(row).or_insert_with(|| as_it_is(row));
            }
            nodes.into_values().collect()
        });
        Self { graph, touched }
    }

    pub(super) fn touched(&self, side: Side) -> &[Touched] {
        &self.touched[side as usize]
    }

    /// The place of a node among the touched.
    pub(super) fn find(&self, side: Side, row: u32) -> Option<usize> {
        self.touched(side).binary_search_by_key(&row, |touched| touched.row).ok()
    }

    /// Neighbours of a node, also those by interactions with weights.
    pub(super) fn neighbours(&self, side: Side, row: u32) -> impl Iterator<Item = u32> + '_ {
        let touched = self.find(side, row).map(|at| &self.touched(side)[at]);
        let untouched = if touched.is_some() { &[] } else { self.untouched(side, row) };
        untouched.iter().copied().chain(touched.into_iter().flat_map(Touched::neighbours))
    }

    /// Neighbours in the unedited graph.
    pub(super) fn untouched(&self, side: Side, row: u32) -> &'g [u32] {
        known(self.graph, side, row)
    }

    /// How many nodes a side has, a newcomer among the users.
    pub(super) fn nodes(&self, side: Side) -> usize {
        match side {
            Side::Users => self.graph.users() + 1,
            Side::Items => self.graph.items(),
        }
    }
}

/// Neighbours in the unedited graph.
fn known(graph: &Graph, side: Side, row: u32) -> &[u32] {
    let pattern = match side {
        Side::Users => graph.by_user(),
        Side::Items => graph.by_item(),
    };
    if (row as usize) < pattern.rows() { pattern.row(row as usize) } else { &[] }
}
