//! Forward: to the embeddings of the batch's rows, or of all nodes.

use cudarc::driver::{CudaSlice, PushKernelArg as _};

use crate::card::CardError;
use crate::launch::{NOWHERE, WARP, launch, rows, tiles};
use crate::topology::Topology;
use crate::train::epochs::Planned;
use crate::train::ngcf::tables::Last;
use crate::train::ngcf::{Dropout, Ngcf};

impl Ngcf {
    /// The embeddings of the batch's rows.
    pub(super) fn forward(&self, planned: &Planned) -> Result<(), CardError> {
        for l in 1..self.layers {
            let (p, out) = (&self.tables.aggregated[l - 1], &self.tables.hidden[l - 1]);
            self.layer_at_all(Some(planned), l - 1, self.dropout, p, out)?;
        }
        if let Some(last) = self.layers.checked_sub(1) {
            self.last_layer(planned, last)?;
        }
        for part in 0..=self.layers {
            self.read_slots(planned, part)?;
        }
        Ok(())
    }

    /// The embeddings of all nodes, nothing dropped. Gradients of the step before are written over.
    pub(super) fn embed_all(&self, out: &CudaSlice<f32>) -> Result<(), CardError> {
        let mut layer = self.input(0);
        self.read_all(0, layer, out)?;
        for l in 0..self.layers {
            let p = self.tables.aggregated.get(l).unwrap_or(&self.tables.by_input);
            let to = self.tables.hidden.get(l).unwrap_or(&self.tables.by_output);
            self.layer_at_all(None, l, Dropout::NONE, p, to)?;
            layer = to;
            self.read_all(l + 1, layer, out)?;
        }
        Ok(())
    }

    /// Aggregate and output of layer `l` at all nodes, and its output scaled for the next.
    fn layer_at_all(
        &self,
        planned: Option<&Planned>,
        l: usize,
        dropout: Dropout,
        p: &CudaSlice<f32>,
        out: &CudaSlice<f32>,
    ) -> Result<(), CardError> {
        let Topology { nodes, offsets, neighbours, order, roots, .. } = &self.topology;
        let source = if l == 0 { &self.tables.base } else { &self.tables.scaled };
        let (stride, tensors) = (&self.width.stride, self.tensors.values.slice(self.tensors_of(l)));
        // SAFETY: every table has a row of `stride` float4 a node, a layer's tensors are as long as `tensors_of` says, and the graph
        // was checked. What is dropped depends on the step; where nothing is, none is looked at.
        unsafe {
            launch!(
                self.card,
                &self.kernels.propagate,
                rows(*nodes),
                nodes,
                offsets,
                neighbours,
                order,
                roots,
                &NOWHERE,
                source,
                stride,
                p
            )?;
            let mut launch = self.card.stream.launch_builder(&self.kernels.all.forward);
            match planned {
                Some(planned) => launch.arg(&planned.steps).arg(&planned.now).arg(&planned.nodes),
                None => launch.arg(&NOWHERE).arg(&NOWHERE).arg(&NOWHERE),
            };
            launch.arg(nodes).arg(&self.users);
            let number = l as u32;
            launch.arg(&number).arg(&dropout.threshold).arg(&dropout.up);
            launch.arg(roots).arg(&tensors).arg(self.input(l)).arg(p);
            launch.arg(stride).arg(out).arg(&self.tables.scaled);
            launch.launch(tiles(*nodes, *stride))?;
        }
        Ok(())
    }

    /// Layer `l`, the last, at the batch's rows.
    fn last_layer(&self, planned: &Planned, l: usize) -> Result<(), CardError> {
        let Planned { steps, now, nodes: slots, .. } = planned;
        let Topology { nodes, offsets, neighbours, roots, .. } = &self.topology;
        let Last { aggregated, output, .. } = &self.tables.last;
        let source = if l == 0 { &self.tables.base } else { &self.tables.scaled };
        let (stride, tensors) = (&self.width.stride, self.tensors.values.slice(self.tensors_of(l)));
        let (number, Dropout { threshold, up }) = (l as u32, self.dropout);
        // SAFETY: as above, and what has a row a slot has one for each that a step can have.
        unsafe {
            launch!(
                self.card,
                &self.kernels.aggregate_slots,
                rows(self.batch.slots),
                steps,
                now,
                slots,
                offsets,
                neighbours,
                roots,
                source,
                stride,
                aggregated
            )?;
            launch!(
                self.card,
                &self.kernels.slots.forward,
                tiles(self.batch.slots, *stride),
                steps,
                now,
                slots,
                nodes,
                &self.users,
                &number,
                &threshold,
                &up,
                roots,
                &tensors,
                self.input(l),
                aggregated,
                stride,
                output,
                &NOWHERE
            )?;
        }
        Ok(())
    }

    /// Layer `part`'s part of the embeddings of the batch's rows; 0 is the table itself.
    fn read_slots(&self, planned: &Planned, part: usize) -> Result<(), CardError> {
        let Planned { steps, now, nodes: slots, .. } = planned;
        let (stride, nodes) = (&self.width.stride, &self.topology.nodes);
        let (number, parts) = (part as u32, self.layers as u32 + 1);
        let shape = rows(self.batch.slots.div_ceil(WARP / self.width.lanes));
        let mut launch = self.card.stream.launch_builder(&self.kernels.read_slots);
        launch.arg(steps).arg(now);
        if part > 0 && part == self.layers {
            launch.arg(&NOWHERE).arg(nodes).arg(&self.tables.last.output);
        } else {
            launch.arg(slots).arg(nodes).arg(self.input(part));
        }
        launch.arg(stride).arg(&number).arg(&parts).arg(&self.tables.output).arg(&self.tables.shrinks);
        // SAFETY: the last layer has a row a slot, every other one a node; the output has a row of all layers' parts a slot.
        unsafe { launch.launch(shape) }?;
        Ok(())
    }

    /// The same of all nodes, from a table of one layer's rows.
    fn read_all(&self, part: usize, layer: &CudaSlice<f32>, out: &CudaSlice<f32>) -> Result<(), CardError> {
        let (stride, nodes) = (&self.width.stride, &self.topology.nodes);
        let (number, parts) = (part as u32, self.layers as u32 + 1);
        let shape = rows(nodes.div_ceil(WARP / self.width.lanes));
        // SAFETY: `layer` has a row a node, `out` one of all layers' parts; neither steps nor lengths are looked at.
        unsafe {
            launch!(
                self.card,
                &self.kernels.read_all,
                shape,
                &NOWHERE,
                &NOWHERE,
                &NOWHERE,
                nodes,
                layer,
                stride,
                &number,
                &parts,
                out,
                &NOWHERE
            )?;
        }
        Ok(())
    }
}
