//! LightGCN's step on a card.
//!
//! ```text
//! forward   base + S^2 W x, once a layer below the last; the last at the batch's rows alone
//! backward  from the batch's rows; S G + S^2 W x, once a layer between; the last with Adam, which leaves S E for the next step
//! ```

#[cfg(test)]
mod tests;

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, PushKernelArg as _};
use grease_graph::Graph;
use grease_models::train::{Checkpoint, TrainOptions};

use crate::card::{Card, CardError};
use crate::launch::{THREADS, WARP, grid, launch, rows};
use crate::topology::Topology;
use crate::train::batch::{Batch, most_slots};
use crate::train::epochs::Planned;
use crate::train::learned::Learned;
use crate::train::network::Network;
use crate::train::width::Width;

/// Tables of a row a node, and of a row a slot.
struct Tables {
    /// `S` times the table.
    base: CudaSlice<f32>,
    current: CudaSlice<f32>,
    next: CudaSlice<f32>,
    output: CudaSlice<f32>,
    slopes: CudaSlice<f32>,
    scaled_slopes: CudaSlice<f32>,
}

struct Kernels {
    propagate: CudaFunction,
    at_slots: CudaFunction,
    back_from_slots: CudaFunction,
    back: CudaFunction,
    learn: CudaFunction,
    slope_rows: CudaFunction,
}

impl Kernels {
    fn new(card: &Card, lanes: u32, layers: u32) -> Result<Self, CardError> {
        let of = |name: &str| card.kernel(&format!("{name}_{lanes}"));
        let learn = match layers {
            0 => "learn_alone",
            1 => "learn_from_slots",
            _ => "learn",
        };
        Ok(Self {
            propagate: of("propagate")?,
            at_slots: of("propagate_at_slots")?,
            back_from_slots: of("propagate_back_slots")?,
            back: of("propagate_back")?,
            learn: of(learn)?,
            slope_rows: of("slope_rows")?,
        })
    }
}

/// LightGCN being trained on a card.
pub(crate) struct LightGcn {
    card: Arc<Card>,
    layers: u32,
    width: Width,
    topology: Topology,
    batch: Batch,
    table: Learned,
    tables: Tables,
    kernels: Kernels,
}

impl LightGcn {
    pub(crate) fn new(card: &Arc<Card>, graph: &Graph, state: &Checkpoint) -> Result<Self, CardError> {
        let (nodes, slots) = (graph.users() + graph.items(), most_slots(graph, &state.options));
        let (layers, width) = (state.options.layers as u32, Width::of(state.options.dim));
        let zeros = |rows: usize| card.zeros::<f32>(rows * width.padded());
        let lightgcn = Self {
            layers,
            width,
            topology: Topology::new(card, graph)?,
            batch: Batch::new(card, graph, &state.options)?,
            table: Learned::new(card, state, 0..2, width.padded(), |_| 0)?,
            tables: Tables {
                base: zeros(nodes)?,
                current: zeros(nodes)?,
                next: zeros(nodes)?,
                output: zeros(slots)?,
                slopes: zeros(slots)?,
                scaled_slopes: zeros(slots)?,
            },
            kernels: Kernels::new(card, width.lanes, layers)?,
            card: Arc::clone(card),
        };
        scale_table(card, &lightgcn.topology, width, &lightgcn.table, &lightgcn.tables.base)?;
        Ok(lightgcn)
    }

    pub(crate) fn bytes_needed(graph: &Graph, options: &TrainOptions) -> usize {
        let nodes = graph.users() + graph.items();
        // The last of the seven only while what is watched is looked at.
        Width::of(options.dim).bytes(7 * nodes + 3 * most_slots(graph, options))
    }

    /// The chain below the last layer; says where it ends.
    fn chain(&self) -> Result<&CudaSlice<f32>, CardError> {
        let (Tables { base, current, next, .. }, squares) = (&self.tables, &self.topology.squares);
        let (mut from, mut to, mut other) = (base, current, next);
        for _ in 1..self.layers {
            self.propagate(squares, base, from, to)?;
            (from, to, other) = (to, other, to);
        }
        Ok(from)
    }

    /// `to = base + factor (W from)`, at all nodes.
    fn propagate(
        &self,
        factor: &CudaSlice<f32>,
        base: &CudaSlice<f32>,
        from: &CudaSlice<f32>,
        to: &CudaSlice<f32>,
    ) -> Result<(), CardError> {
        let Topology { nodes, offsets, neighbours, order, .. } = &self.topology;
        let (kernel, stride) = (&self.kernels.propagate, &self.width.stride);
        // SAFETY: every table has a row of `stride` float4 a node, and the graph was checked.
        unsafe {
            launch!(
                self.card,
                kernel,
                rows(*nodes),
                nodes,
                offsets,
                neighbours,
                order,
                factor,
                base,
                from,
                stride,
                to
            )?;
        }
        Ok(())
    }

    /// The embeddings of the batch's rows, and the gradients by them.
    fn judge(&self, planned: &Planned, source: &CudaSlice<f32>) -> Result<(), CardError> {
        let Planned { steps, now, nodes, segments, entries, triples, .. } = planned;
        let Topology { offsets, neighbours, roots, .. } = &self.topology;
        let (Tables { output, slopes, scaled_slopes, .. }, table) = (&self.tables, &self.table.values);
        let (Width { stride, lanes, .. }, slots) = (self.width, self.batch.slots);
        // SAFETY: tables have a row of `stride` float4 for each node or slot, and what a step names lies within the plan that was
        // uploaded, whose arrays stay where they are for as long as the captured graph does.
        unsafe {
            launch!(
                self.card,
                &self.kernels.at_slots,
                rows(slots),
                steps,
                now,
                nodes,
                offsets,
                neighbours,
                roots,
                table,
                source,
                &self.layers,
                &stride,
                output
            )?;
            self.batch.judge(planned, output, stride, self.gain())?;
            launch!(
                self.card,
                &self.kernels.slope_rows,
                rows(slots.div_ceil(WARP / lanes)),
                steps,
                now,
                nodes,
                segments,
                entries,
                triples,
                &self.batch.triple_slopes,
                output,
                roots,
                table,
                &stride,
                slopes,
                scaled_slopes
            )?;
        }
        Ok(())
    }

    /// The chain back; says where it ends. It begins with what the batch's rows ask for.
    fn chain_back(&self) -> Result<&CudaSlice<f32>, CardError> {
        let Topology { nodes, offsets, neighbours, order, squares, .. } = &self.topology;
        let Tables { current, next, scaled_slopes, .. } = &self.tables;
        let (mut from, mut to) = (next, current);
        for layer in 1..self.layers {
            let kernel = if layer == 1 { &self.kernels.back_from_slots } else { &self.kernels.back };
            // SAFETY: as in `judge`.
            unsafe {
                launch!(
                    self.card,
                    kernel,
                    rows(*nodes),
                    nodes,
                    offsets,
                    neighbours,
                    order,
                    squares,
                    &self.batch.slot_of,
                    scaled_slopes,
                    from,
                    &self.width.stride,
                    to
                )?;
            }
            (from, to) = (to, from);
        }
        Ok(from)
    }

    fn learn(&self, planned: &Planned, source: &CudaSlice<f32>) -> Result<(), CardError> {
        let Topology { nodes, offsets, neighbours, order, roots, .. } = &self.topology;
        let Tables { base, slopes, scaled_slopes, .. } = &self.tables;
        let Learned { values, means, squares, .. } = &self.table;
        // SAFETY: as in `judge`.
        unsafe {
            launch!(
                self.card,
                &self.kernels.learn,
                rows(*nodes),
                &planned.steps,
                &planned.now,
                nodes,
                offsets,
                neighbours,
                order,
                roots,
                &self.batch.slot_of,
                slopes,
                scaled_slopes,
                source,
                &self.width.stride,
                values,
                means,
                squares,
                base
            )?;
        }
        Ok(())
    }
}

/// `base = S E`, as every step leaves it.
pub(crate) fn scale_table(
    card: &Card,
    topology: &Topology,
    width: Width,
    table: &Learned,
    base: &CudaSlice<f32>,
) -> Result<(), CardError> {
    let (kernel, stride) = (card.kernel("scale_rows")?, width.stride);
    let values = u64::from(topology.nodes) * u64::from(stride);
    let blocks = grid(values.div_ceil(u64::from(THREADS)) as u32);
    // SAFETY: both tables have `values` float4, and there is a factor for each `stride` of them.
    unsafe { launch!(card, &kernel, blocks, &values, &stride, &topology.roots, &table.values, base) }?;
    Ok(())
}

impl Network for LightGcn {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The mean of the layers on both sides, of which a step's output is the sum.
    fn gain(&self) -> f32 {
        let share = 1.0 / (self.layers + 1) as f32;
        share * share
    }

    fn launch_step(&self, planned: &Planned) -> Result<(), CardError> {
        self.batch.mark(planned)?;
        let source = self.chain()?;
        self.judge(planned, source)?;
        let source = self.chain_back()?;
        self.learn(planned, source)?;
        self.batch.finish(planned)
    }

    fn fetch(&self, state: &mut Checkpoint) -> Result<(), CardError> {
        self.table.fetch(&self.card, state)
    }

    fn output_stride(&self) -> u32 {
        self.width.stride
    }

    fn embed(&self, out: &mut CudaSlice<f32>) -> Result<(), CardError> {
        if self.layers == 0 {
            return Ok(self.card.stream.memcpy_dtod(&self.table.values, out)?);
        }
        let source = self.chain()?;
        self.propagate(&self.topology.roots, &self.table.values, source, out)
    }
}
