//! NGCF's step on a card.
//!
//! ```text
//! forward   S W S h and the layer itself, at all nodes below the last layer; the last at the batch's rows alone; the layers, normalised,
//!           side by side at the batch's rows
//! backward  what the batch asks of each layer's rows; from the last layer down: the gradients by its tensors, part by part, and by its
//!           inputs, which go back through the graph; Adam as soon as a gradient is there
//! ```

mod backward;
mod forward;
mod kernels;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaView};
use grease_graph::Graph;
use grease_models::train::{Checkpoint, TrainOptions};

use crate::card::{Card, CardError};
use crate::topology::Topology;
use crate::train::batch::{Batch, most_slots};
use crate::train::epochs::Planned;
use crate::train::learned::Learned;
use crate::train::lightgcn::scale_table;
use crate::train::network::Network;
use crate::train::ngcf::kernels::Kernels;
use crate::train::ngcf::tables::{Tables, parts};
use crate::train::width::Width;

/// NGCF being trained on a card.
pub(crate) struct Ngcf {
    card: Arc<Card>,
    layers: usize,
    width: Width,
    users: u32,
    dropout: Dropout,
    topology: Topology,
    batch: Batch,
    table: Learned,
    /// W1, b1, W2 and b2 of every layer.
    tensors: Learned,
    tables: Tables,
    kernels: Kernels,
}

/// What a value is compared with to be dropped, of sixteen random bits, and what the others are multiplied with.
#[derive(Debug, Clone, Copy)]
struct Dropout {
    threshold: u32,
    up: f32,
}

impl Dropout {
    const NONE: Self = Self { threshold: 0, up: 1.0 };

    fn of(rate: f32) -> Self {
        Self { threshold: (rate * 65536.0) as u32, up: 1.0 / (1.0 - rate) }
    }
}

impl Ngcf {
    pub(crate) fn new(card: &Arc<Card>, graph: &Graph, state: &Checkpoint) -> Result<Self, CardError> {
        let TrainOptions { layers, dim, dropout, .. } = state.options;
        let width = Width::of(dim);
        let (nodes, slots) = (graph.users() + graph.items(), most_slots(graph, &state.options));
        // Every other tensor is a matrix, the rest are biases.
        let rows = |at: usize| if at.is_multiple_of(2) { width.padded() } else { 1 };
        let ngcf = Self {
            layers,
            width,
            users: graph.users() as u32,
            dropout: Dropout::of(dropout),
            topology: Topology::new(card, graph)?,
            batch: Batch::new(card, graph, &state.options)?,
            table: Learned::new(card, state, 0..2, width.padded(), |_| 0)?,
            tensors: Learned::new(card, state, 2..2 + 4 * layers, width.padded(), rows)?,
            tables: Tables::new(card, nodes, slots, width, layers)?,
            kernels: Kernels::new(card, width.lanes, layers)?,
            card: Arc::clone(card),
        };
        scale_table(card, &ngcf.topology, width, &ngcf.table, &ngcf.tables.base)?;
        Ok(ngcf)
    }

    pub(crate) fn bytes_needed(graph: &Graph, options: &TrainOptions) -> usize {
        let (width, layers) = (Width::of(options.dim), options.layers);
        let (nodes, slots) = (graph.users() + graph.items(), most_slots(graph, options));
        let tensors = 3 * layers * 2 * width.bytes(width.padded() + 1);
        let parts = parts(width) as usize * width.bytes(2 * width.padded() + 1);
        // The last embeddings only while what is watched is looked at.
        let embeddings = width.bytes(nodes * (layers + 1));
        let by_node = width.bytes(nodes * (3 + 4 + 2 * layers.saturating_sub(1)));
        let by_slot = width.bytes(slots * (4 + 2 * (layers + 1))) + 4 * slots * (layers + 1);
        by_node + by_slot + tensors + parts + embeddings
    }

    /// All nodes' rows of what goes into layer `l`.
    fn input(&self, l: usize) -> &CudaSlice<f32> {
        if l == 0 { &self.table.values } else { &self.tables.hidden[l - 1] }
    }

    /// Where one layer's tensors lie among those of all.
    fn tensors_of(&self, l: usize) -> std::ops::Range<usize> {
        let size = 2 * self.width.padded() * (self.width.padded() + 1);
        l * size..(l + 1) * size
    }

    /// What layer `l` is asked for: its part of each slot's row, the first begins here.
    fn asked(&self, l: usize) -> CudaView<'_, f32> {
        self.tables.asked.slice(l * self.width.padded()..)
    }
}

impl Network for Ngcf {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn gain(&self) -> f32 {
        1.0
    }

    fn launch_step(&self, planned: &Planned) -> Result<(), CardError> {
        self.batch.mark(planned)?;
        self.forward(planned)?;
        self.batch.judge(planned, &self.tables.output, self.output_stride(), self.gain())?;
        self.backward(planned)?;
        self.batch.finish(planned)
    }

    fn fetch(&self, state: &mut Checkpoint) -> Result<(), CardError> {
        self.table.fetch(&self.card, state)?;
        self.tensors.fetch(&self.card, state)
    }

    fn output_stride(&self) -> u32 {
        self.width.stride * (self.layers as u32 + 1)
    }

    fn embed(&self, out: &mut CudaSlice<f32>) -> Result<(), CardError> {
        self.embed_all(out)
    }
}
