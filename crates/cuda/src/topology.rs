//! The graph as a card has it.

use cudarc::driver::CudaSlice;
use grease_graph::Graph;

use crate::card::{Card, CardError};

/// From so many neighbours on a row is taken before others: the last warps then have little to do. Others keep their order, because
/// those who are near each other in the data have neighbours in common, and find them in the cache.
const MANY: u32 = 512;

/// The graph on the card: people first, then items, neighbours of each.
pub(crate) struct Topology {
    pub(crate) nodes: u32,
    pub(crate) offsets: CudaSlice<u32>,
    pub(crate) neighbours: CudaSlice<u32>,
    /// All nodes, those with very many neighbours first, the others as they are in the data.
    pub(crate) order: CudaSlice<u32>,
    /// `1 / sqrt(degree)` and `1 / degree`; 0 without neighbours.
    pub(crate) roots: CudaSlice<f32>,
    pub(crate) squares: CudaSlice<f32>,
}

impl Topology {
    pub(crate) fn new(card: &Card, graph: &Graph) -> Result<Self, CardError> {
        let (users, nodes) = (graph.users(), graph.users() + graph.items());
        let mut offsets = Vec::with_capacity(nodes + 1);
        let mut neighbours = Vec::with_capacity(2 * graph.len());
        offsets.push(0);
        for user in 0..users {
            neighbours.extend(graph.by_user().row(user).iter().map(|&item| users as u32 + item));
            offsets.push(neighbours.len() as u32);
        }
        for item in 0..graph.items() {
            neighbours.extend(graph.by_item().row(item));
            offsets.push(neighbours.len() as u32);
        }
        let degree = |node: usize| offsets[node + 1] - offsets[node];
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.sort_by_key(|&node| std::cmp::Reverse(degree(node as usize).max(MANY)));
        let root = |node: usize| if degree(node) == 0 { 0.0 } else { 1.0 / (degree(node) as f32).sqrt() };
        let roots: Vec<f32> = (0..nodes).map(root).collect();
        let squares: Vec<f32> = roots.iter().map(|root| root * root).collect();
        Ok(Self {
            nodes: nodes as u32,
            offsets: card.upload(&offsets)?,
            neighbours: card.upload(&neighbours)?,
            order: card.upload(&order)?,
            roots: card.upload(&roots)?,
            squares: card.upload(&squares)?,
        })
    }
}
