//! Backward: from the slopes of the triples to Adam's steps with everything that is learned.

use cudarc::driver::{CudaSlice, CudaView, LaunchConfig, PushKernelArg as _};

use crate::card::CardError;
use crate::launch::{WARP, grid, launch, rows, tiles};
use crate::topology::Topology;
use crate::train::epochs::Planned;
use crate::train::learned::Learned;
use crate::train::ngcf::Ngcf;
use crate::train::ngcf::kernels::Tiles;
use crate::train::ngcf::tables::parts;

/// What a layer's way back reads and writes: at all nodes, or at the batch's rows.
struct Slab<'a> {
    kernels: &'a Tiles,
    /// Rows there can be.
    rows: u32,
    p: &'a CudaSlice<f32>,
    out: &'a CudaSlice<f32>,
    /// The gradient by the output, rows of `slope_stride` float4.
    slopes: CudaView<'a, f32>,
    slope_stride: u32,
    by_input: &'a CudaSlice<f32>,
    scaled: &'a CudaSlice<f32>,
}

impl Ngcf {
    pub(super) fn backward(&self, planned: &Planned) -> Result<(), CardError> {
        self.back_readout(planned)?;
        for l in (0..self.layers).rev() {
            let slab = self.slab(l);
            self.back_tensors(planned, l, &slab)?;
            self.back_rows(planned, l, &slab)?;
            self.learn_layer(planned, l)?;
            if l > 0 {
                self.back_through_graph(l, &slab)?;
            }
        }
        self.learn_rows(planned)
    }

    fn slab(&self, l: usize) -> Slab<'_> {
        let (tables, last) = (&self.tables, &self.tables.last);
        if l + 1 == self.layers {
            Slab {
                kernels: &self.kernels.slots,
                rows: self.batch.slots,
                p: &last.aggregated,
                out: &last.output,
                slopes: self.asked(l + 1),
                slope_stride: self.asked_stride(),
                by_input: &last.by_input,
                scaled: &last.scaled,
            }
        } else {
            Slab {
                kernels: &self.kernels.all,
                rows: self.topology.nodes,
                p: &tables.aggregated[l],
                out: &tables.hidden[l],
                slopes: tables.by_output.slice(..),
                slope_stride: self.width.stride,
                by_input: &tables.by_input,
                scaled: &tables.scaled,
            }
        }
    }

    /// float4 between two slots of what is asked.
    fn asked_stride(&self) -> u32 {
        self.width.stride * (self.layers as u32 + 1)
    }

    /// What the batch asks of each layer's rows.
    fn back_readout(&self, planned: &Planned) -> Result<(), CardError> {
        let Planned { steps, now, nodes, segments, entries, triples, .. } = planned;
        let parts = self.layers as u32 + 1;
        let shape = rows((self.batch.slots * parts).div_ceil(WARP / self.width.lanes));
        // SAFETY: what a step names lies within the plan that was uploaded, whose arrays stay where they are for as long as the captured
        // graph does; output, shrinks and asked have a row of all layers' parts a slot.
        unsafe {
            launch!(
                self.card,
                &self.kernels.back_readout,
                shape,
                steps,
                now,
                nodes,
                segments,
                entries,
                triples,
                &self.batch.triple_slopes,
                &self.tables.output,
                &self.tables.shrinks,
                &self.table.values,
                &self.width.stride,
                &parts,
                &self.tables.asked
            )?;
        }
        Ok(())
    }

    /// The gradients by layer `l`'s tensors, in parts.
    fn back_tensors(&self, planned: &Planned, l: usize, slab: &Slab<'_>) -> Result<(), CardError> {
        let Planned { steps, now, nodes: slots, .. } = planned;
        let (stride, sides) = (&self.width.stride, self.width.stride.div_ceil(16));
        let shape = LaunchConfig { grid_dim: (parts(self.width), sides * sides, 1), ..grid(1) };
        // SAFETY: the slab's tables have a row for each row there can be, and there is room for every part.
        unsafe {
            launch!(
                self.card,
                &slab.kernels.back_tensors,
                shape,
                steps,
                now,
                slots,
                &self.topology.nodes,
                &self.dropout.up,
                self.input(l),
                slab.p,
                slab.out,
                &slab.slopes,
                &slab.slope_stride,
                stride,
                &sides,
                &self.tables.parts
            )?;
        }
        Ok(())
    }

    /// The gradients by layer `l`'s input, and, scaled, by its aggregate.
    fn back_rows(&self, planned: &Planned, l: usize, slab: &Slab<'_>) -> Result<(), CardError> {
        let Planned { steps, now, nodes: slots, .. } = planned;
        let (stride, tensors) = (&self.width.stride, self.tensors.values.slice(self.tensors_of(l)));
        // SAFETY: the slab's tables have a row for each row there can be.
        unsafe {
            launch!(
                self.card,
                &slab.kernels.back_rows,
                tiles(slab.rows, *stride),
                steps,
                now,
                slots,
                &self.topology.nodes,
                &self.dropout.up,
                &self.topology.roots,
                &tensors,
                self.input(l),
                slab.p,
                slab.out,
                &slab.slopes,
                &slab.slope_stride,
                stride,
                slab.by_input,
                slab.scaled
            )?;
        }
        Ok(())
    }

    /// Adds up the parts, and takes Adam's step with layer `l`'s tensors: nobody reads them any more in this step.
    fn learn_layer(&self, planned: &Planned, l: usize) -> Result<(), CardError> {
        let Learned { values, means, squares, .. } = &self.tensors;
        let own = self.tensors_of(l);
        let [values, means, squares] = [values, means, squares].map(|all| all.slice(own.clone()));
        let (count, size) = (parts(self.width), self.width.padded() * (2 * self.width.padded() + 1));
        // SAFETY: there is room for `count` parts, and a layer's tensors are as long as a part and the second bias.
        unsafe {
            launch!(
                self.card,
                &self.kernels.learn_layer,
                grid(size.div_ceil(WARP as usize) as u32),
                &planned.steps,
                &planned.now,
                &count,
                &self.width.stride,
                &self.tables.parts,
                &values,
                &means,
                &squares
            )?;
        }
        Ok(())
    }

    /// The gradient by the output of the layer below `l`, at all nodes.
    fn back_through_graph(&self, l: usize, slab: &Slab<'_>) -> Result<(), CardError> {
        let Topology { nodes, offsets, neighbours, order, roots, .. } = &self.topology;
        let last = l + 1 == self.layers;
        let kernel = if last { &self.kernels.back_from_slots } else { &self.kernels.back_from_all };
        let (asked, asked_stride) = (self.asked(l), self.asked_stride());
        // SAFETY: as above, and the graph was checked.
        unsafe {
            launch!(
                self.card,
                kernel,
                rows(*nodes),
                nodes,
                offsets,
                neighbours,
                order,
                roots,
                &self.batch.slot_of,
                slab.by_input,
                slab.scaled,
                &asked,
                &asked_stride,
                &self.width.stride,
                &self.tables.by_output
            )?;
        }
        Ok(())
    }

    /// The gradient by the table of embeddings, and Adam's step with it.
    fn learn_rows(&self, planned: &Planned) -> Result<(), CardError> {
        let Topology { nodes, offsets, neighbours, order, roots, .. } = &self.topology;
        let Learned { values, means, squares, .. } = &self.table;
        let (by_input, scaled) = match self.layers {
            1 => (&self.tables.last.by_input, &self.tables.last.scaled),
            _ => (&self.tables.by_input, &self.tables.scaled),
        };
        let (asked, asked_stride) = (self.asked(0), self.asked_stride());
        // SAFETY: as above.
        unsafe {
            launch!(
                self.card,
                &self.kernels.learn_rows,
                rows(*nodes),
                &planned.steps,
                &planned.now,
                nodes,
                offsets,
                neighbours,
                order,
                roots,
                &self.batch.slot_of,
                by_input,
                scaled,
                &asked,
                &asked_stride,
                &self.width.stride,
                values,
                means,
                squares,
                &self.tables.base
            )?;
        }
        Ok(())
    }
}
