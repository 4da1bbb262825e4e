//! Where one thread's questions are answered: a stream, and room for some edits.

use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, CudaView, DeviceRepr, LaunchConfig, PushKernelArg as _,
};
use grease_graph::{Edit, Graph, Profile, UserId};

use crate::ask::held::{Held, Model, address};
use crate::ask::lowered::Lowered;
use crate::card::{Card, CardError};
use crate::launch::{THREADS, grid};

/// What kernels read of a call; `Call` in kernels/ask.cu is the same.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Call {
    marks: u64,
    tables: u64,
    table_size: u64,
    changed_from: u64,
    changed_keys: u64,
    changed_ptr: u64,
    changed_cols: u64,
    changed_roots: u64,
    edits: u32,
    user: u32,
    changed: u32,
    extra: u32,
}

// SAFETY: addresses and numbers in C's order.
unsafe impl DeviceRepr for Call {}

impl Call {
    /// One edit that changes nothing.
    pub(super) fn of_nothing(marks: u64) -> Self {
        Self { marks, edits: 1, ..Self::default() }
    }
}

/// The kernels that answer.
pub(super) struct Kernels {
    begin: CudaFunction,
    reach: CudaFunction,
    collect: CudaFunction,
    layer: CudaFunction,
    scores: CudaFunction,
    /// Lanes that hold a row, and rows a block takes at a time.
    lanes: u32,
    tile: u32,
    /// Blocks that keep the whole card busy.
    blocks: u32,
}

impl Kernels {
    pub(super) fn new(card: &Card, stride: u32) -> Result<Self, CardError> {
        let lanes = stride.next_power_of_two().clamp(4, 32);
        let of = |name: &str| card.kernel(&format!("{name}_{lanes}"));
        Ok(Self {
            begin: card.kernel("ask_begin")?,
            reach: card.kernel("ask_reach")?,
            collect: card.kernel("ask_collect")?,
            layer: of("ask_layer")?,
            scores: of("ask_scores")?,
            lanes,
            tile: if lanes == 32 { 16 } else { 64 },
            blocks: card.processors()? * 6,
        })
    }
}

/// Launches the kernels of a model in a stream.
pub(super) struct Launcher<'a> {
    pub(super) stream: &'a Arc<CudaStream>,
    pub(super) kernels: &'a Kernels,
    pub(super) held: &'a Held,
}

impl Launcher<'_> {
    /// Rows of layer `layer + 1`, those that `list` names.
    pub(super) fn layer(
        &self,
        call: &Call,
        layer: u32,
        list: &CudaSlice<u32>,
        count: &CudaView<'_, u32>,
        out: u64,
    ) -> Result<(), CardError> {
        let Kernels { layer: kernel, tile, blocks, .. } = self.kernels;
        let tiles = (list.len() as u32).div_ceil(*tile);
        let mut launch = self.stream.launch_builder(kernel);
        launch.arg(self.held).arg(call).arg(&layer).arg(list).arg(count).arg(&out);
        let shared_mem_bytes = 2 * tile * (self.held.stride + 1) * 16;
        // SAFETY: `list` has keys of the call's edits, as many as `count` says; `out` has a row for every key; what `held` and `call`
        // point to outlives the stream's work, for whoever owns it waits for the stream.
        unsafe { launch.launch(LaunchConfig { shared_mem_bytes, ..grid((*blocks).min(tiles)) }) }?;
        Ok(())
    }

    fn begin(&self, call: &Call, keys: &CudaSlice<u32>, zeroed: bool) -> Result<(), CardError> {
        let mut launch = self.stream.launch_builder(&self.kernels.begin);
        let zeroed = u32::from(zeroed);
        launch.arg(call).arg(keys).arg(&zeroed);
        // SAFETY: there are `changed + extra` keys, and a mark for each of them.
        unsafe { launch.launch(grid((call.changed + call.extra).div_ceil(THREADS))) }?;
        Ok(())
    }

    /// Marks who is reached in a layer, and lists them.
    fn reach(
        &self,
        call: &Call,
        layer: u32,
        from: (&CudaSlice<u32>, &CudaView<'_, u32>),
        to: (&CudaSlice<u32>, &CudaView<'_, u32>),
    ) -> Result<(), CardError> {
        let keys = call.edits * self.held.nodes;
        let mut launch = self.stream.launch_builder(&self.kernels.reach);
        launch.arg(self.held).arg(call).arg(&layer).arg(from.0).arg(from.1);
        // SAFETY: `from` lists keys of the call's edits; every node has a mark in each of them.
        unsafe { launch.launch(grid(self.kernels.blocks)) }?;
        let mut launch = self.stream.launch_builder(&self.kernels.collect);
        launch.arg(call).arg(&keys).arg(&layer).arg(to.0).arg(to.1);
        // SAFETY: marks are read four at a time and there is room for that; `to` has room for every key.
        unsafe { launch.launch(grid(keys.div_ceil(4 * THREADS))) }?;
        Ok(())
    }

    fn scores(&self, call: &Call, items: u32, out: &CudaSlice<f32>) -> Result<(), CardError> {
        let Kernels { scores, lanes, .. } = self.kernels;
        let mut launch = self.stream.launch_builder(scores);
        launch.arg(self.held).arg(call).arg(&items).arg(out);
        let config = LaunchConfig {
            grid_dim: (items.div_ceil(8 * THREADS / lanes).max(1), call.edits, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: (self.held.layers + 1) * self.held.stride * 16,
        };
        // SAFETY: `out` has room for the scores of all items after each edit.
        unsafe { launch.launch(config) }?;
        Ok(())
    }
}

/// A stream, and room for some edits at a time.
pub(super) struct Desk {
    stream: Arc<CudaStream>,
    /// Edits there is room for.
    room: usize,
    marks: CudaSlice<u32>,
    tables: CudaSlice<f32>,
    /// Keys of the rows reached, and how many there are, once a layer.
    list: CudaSlice<u32>,
    counts: CudaSlice<u32>,
    scores: CudaSlice<f32>,
    /// What an edit changes, in room that grows.
    from: CudaSlice<u32>,
    keys: CudaSlice<u32>,
    ptr: CudaSlice<u32>,
    cols: CudaSlice<u32>,
    roots: CudaSlice<f32>,
}

impl Desk {
    /// Bytes that room for an edit takes.
    pub(super) fn bytes_an_edit(model: &Model) -> usize {
        let Held { nodes, stride, layers, .. } = model.held;
        let (nodes, row) = (nodes as usize, stride as usize * 16);
        nodes * (row * layers as usize + 1 + 4) + 4 * model.items
    }

    pub(super) fn new(card: &Card, model: &Model, room: usize) -> Result<Self, CardError> {
        let Held { nodes, stride, layers, .. } = model.held;
        let keys = nodes as usize * room;
        let stream = card.new_stream()?;
        let numbers = |len: usize| stream.alloc_zeros::<u32>(len.max(1));
        let values = |len: usize| stream.alloc_zeros::<f32>(len.max(1));
        Ok(Self {
            room,
            marks: numbers(keys.div_ceil(4))?,
            tables: values(keys * stride as usize * 4 * layers as usize)?,
            list: numbers(keys)?,
            counts: numbers(layers as usize + 1)?,
            scores: values(model.items * room)?,
            from: numbers(room + 1)?,
            keys: numbers(1)?,
            ptr: numbers(1)?,
            cols: numbers(1)?,
            roots: values(1)?,
            stream,
        })
    }

    /// Scores of all items after each (checked) edit.
    pub(super) fn answer(
        &mut self,
        model: &Model,
        kernels: &Kernels,
        graph: &Graph,
        (user, profile): (UserId, Profile),
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), CardError> {
        for (edits, out) in edits.chunks(self.room).zip(out.chunks_mut(self.room * model.items.max(1))) {
            let lowered = Lowered::new(graph, user, profile, edits);
            let call = self.upload(model, user, &lowered, edits.len())?;
            self.launch(model, kernels, &call, &lowered)?;
            let scores = self.scores.slice(..out.len());
            self.stream.memcpy_dtoh(&scores, out)?;
            self.stream.synchronize()?;
        }
        Ok(())
    }

    fn upload(
        &mut self,
        model: &Model,
        user: UserId,
        lowered: &Lowered,
        edits: usize,
    ) -> Result<Call, CardError> {
        let stream = &self.stream;
        refill(stream, &mut self.from, &lowered.from)?;
        refill(stream, &mut self.keys, &lowered.keys)?;
        refill(stream, &mut self.ptr, &lowered.ptr)?;
        refill(stream, &mut self.cols, &lowered.cols)?;
        refill(stream, &mut self.roots, &lowered.roots)?;
        stream.memset_zeros(&mut self.marks)?;
        let mut counts = vec![0; self.counts.len()];
        counts[0] = lowered.keys.len() as u32;
        stream.memcpy_htod(&counts, &mut self.counts)?;
        let Held { nodes, stride, .. } = model.held;
        Ok(Call {
            marks: address(&self.marks, stream),
            tables: address(&self.tables, stream),
            table_size: edits as u64 * u64::from(nodes) * u64::from(stride),
            changed_from: address(&self.from, stream),
            changed_keys: address(&self.keys, stream),
            changed_ptr: address(&self.ptr, stream),
            changed_cols: address(&self.cols, stream),
            changed_roots: address(&self.roots, stream),
            edits: edits as u32,
            user: model.person(user),
            changed: lowered.changed() as u32,
            extra: (lowered.keys.len() - lowered.changed()) as u32,
        })
    }

    fn launch(
        &self,
        model: &Model,
        kernels: &Kernels,
        call: &Call,
        lowered: &Lowered,
    ) -> Result<(), CardError> {
        let launcher = Launcher { stream: &self.stream, kernels, held: &model.held };
        launcher.begin(call, &self.keys, lowered.zeroed)?;
        for layer in 0..model.held.layers {
            let at = layer as usize;
            let (below, here) = (self.counts.slice(at..=at), self.counts.slice(at + 1..at + 2));
            let from = if layer == 0 { &self.keys } else { &self.list };
            launcher.reach(call, layer + 1, (from, &below), (&self.list, &here))?;
            let out = call.tables + u64::from(layer) * call.table_size * 16;
            launcher.layer(call, layer, &self.list, &here, out)?;
        }
        launcher.scores(call, model.items as u32, &self.scores)
    }
}

/// Copies values into room that is there, or into new room where that is too small.
fn refill<T: DeviceRepr + cudarc::driver::ValidAsZeroBits>(
    stream: &Arc<CudaStream>,
    room: &mut CudaSlice<T>,
    values: &[T],
) -> Result<(), CardError> {
    if values.is_empty() {
        return Ok(());
    }
    if room.len() < values.len() {
        *room = stream.alloc_zeros(values.len().next_power_of_two())?;
    }
    Ok(stream.memcpy_htod(values, &mut room.slice_mut(..values.len()))?)
}
