//! LightGCN's steps on a card: one graph of kernels a step, the same for every step; what a step is about stands in memory, and a
//! counter on the card says which it is.
//!
//! ```text
//! forward   mark slots; base + S^2 W x, once a layer below the last; the last at the batch's rows alone
//! loss      slopes of every triple, mean; gradients by the batch's rows
//! backward  from the batch's rows; S G + S^2 W x, once a layer between; the last with Adam, which leaves S E for the next step
//! ```

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode_enum as Capture};
use cudarc::driver::{CudaFunction, CudaGraph, CudaSlice, LaunchConfig, PushKernelArg as _};
use grease_graph::Graph;
use grease_models::Kind;
use grease_models::train::{Checkpoint, Loss, Steps, TrainError, TrainOptions};

use crate::card::{Card, CardError};
use crate::launch::{THREADS, WARP, grid, rows};
use crate::padding::{pad, unpad};
use crate::topology::Topology;
use crate::train::epochs::Epochs;
use crate::train::plan::NONE;

/// Steps between two looks at whoever watches: tens of milliseconds on a large graph.
const AT_A_TIME: u64 = 32;

/// Tables of a row a node, and of a row a slot.
struct Tables {
    table: CudaSlice<f32>,
    means: CudaSlice<f32>,
    squares: CudaSlice<f32>,
    /// `S` times the table.
    base: CudaSlice<f32>,
    current: CudaSlice<f32>,
    next: CudaSlice<f32>,
    slot_of: CudaSlice<u32>,
    output: CudaSlice<f32>,
    slopes: CudaSlice<f32>,
    scaled_slopes: CudaSlice<f32>,
    triple_slopes: CudaSlice<f32>,
    triple_values: CudaSlice<f64>,
}

struct Kernels {
    propagate: CudaFunction,
    at_slots: CudaFunction,
    back_from_slots: CudaFunction,
    back: CudaFunction,
    learn: CudaFunction,
    slope_rows: CudaFunction,
    judge: CudaFunction,
    mean_loss: CudaFunction,
    mark: CudaFunction,
    unmark: CudaFunction,
    next_step: CudaFunction,
    scale: CudaFunction,
}

impl Kernels {
    fn new(card: &Card, lanes: u32, layers: usize) -> Result<Self, CardError> {
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
            judge: card.kernel("judge_triples")?,
            mean_loss: card.kernel("mean_loss")?,
            mark: card.kernel("mark_slots")?,
            unmark: card.kernel("unmark_slots")?,
            next_step: card.kernel("next_step")?,
            scale: card.kernel("scale_rows")?,
        })
    }
}

/// Takes LightGCN's steps on a card.
pub struct LightGcnSteps {
    card: Arc<Card>,
    options: TrainOptions,
    epochs: Epochs,
    topology: Topology,
    tables: Tables,
    kernels: Kernels,
    /// float4 of a row, lanes that hold one, and the most slots a step can have.
    stride: u32,
    lanes: u32,
    most_slots: u32,
}

// SAFETY: a graph of kernels may be launched from any thread, by one at a time; `&mut self` sees to that.
unsafe impl Send for LightGcnSteps {}

impl LightGcnSteps {
    /// Brings graph, weights and moments to the card.
    pub fn new(card: Arc<Card>, graph: &Arc<Graph>, state: &Checkpoint) -> Result<Self, CardError> {
        let options = state.options;
        if options.kind != Kind::LightGcn {
            return Err(CardError::Unable(format!("{} is not trained on cards", options.kind)));
        }
        let nodes = graph.users() + graph.items();
        let stride = options.dim.div_ceil(4).max(1);
        let lanes = stride.next_power_of_two().clamp(4, 32) as u32;
        let batch = options.batch.min(graph.len());
        let most_slots = nodes.min(3 * batch);
        card.need(bytes_needed(graph, nodes, most_slots, batch, stride))?;
        let zeros = |rows: usize| card.zeros::<f32>(rows * stride * 4);
        let mut tables = Tables {
            table: zeros(nodes)?,
            means: zeros(nodes)?,
            squares: zeros(nodes)?,
            base: zeros(nodes)?,
            current: zeros(nodes)?,
            next: zeros(nodes)?,
            slot_of: card.upload(&vec![NONE; nodes])?,
            output: zeros(most_slots)?,
            slopes: zeros(most_slots)?,
            scaled_slopes: zeros(most_slots)?,
            triple_slopes: card.zeros(2 * batch)?,
            triple_values: card.zeros(batch)?,
        };
        let padded = |of: &dyn Fn(usize) -> Vec<f32>| -> Vec<f32> {
            let rows = (0..2).flat_map(of).collect::<Vec<f32>>();
            pad(&rows, options.dim, stride * 4)
        };
        tables.table = card.upload(&padded(&|at| state.weights.0[at].data.clone()))?;
        tables.means = card.upload(&padded(&|at| state.moments[at].mean.clone()))?;
        tables.squares = card.upload(&padded(&|at| state.moments[at].square.clone()))?;
        let mut steps = Self {
            kernels: Kernels::new(&card, lanes, options.layers)?,
            topology: Topology::new(&card, graph)?,
            epochs: Epochs::new(&card, graph, options)?,
            card,
            options,
            tables,
            stride: stride as u32,
            lanes,
            most_slots: most_slots as u32,
        };
        steps.scale_table()?;
        Ok(steps)
    }

    /// `base = S E`, as every step leaves it.
    fn scale_table(&mut self) -> Result<(), CardError> {
        let values = u64::from(self.topology.nodes) * u64::from(self.stride);
        let mut launch = self.card.stream.launch_builder(&self.kernels.scale);
        launch
            .arg(&values)
            .arg(&self.stride)
            .arg(&self.topology.roots)
            .arg(&self.tables.table)
            .arg(&mut self.tables.base);
        // SAFETY: both tables have `values` float4, and there is a factor for each `stride` of them.
        unsafe { launch.launch(grid(values.div_ceil(u64::from(THREADS)) as u32)) }?;
        Ok(())
    }

    /// The kernels of one step, as a graph that is launched at once.
    fn capture(&self) -> Result<CudaGraph, CardError> {
        let stream = Arc::clone(&self.card.stream);
        stream.begin_capture(Capture::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let launched = self.launch_step();
        let graph = stream.end_capture(CUgraphInstantiate_flags(0))?;
        launched?;
        graph.ok_or_else(|| CardError::Failed("no kernels were captured".to_owned()))
    }

    fn launch_step(&self) -> Result<(), CardError> {
        let Self { card, options, topology, tables, epochs, kernels, stride, lanes, most_slots, .. } = self;
        let planned = &epochs.planned;
        let (mut current, mut next) = (&tables.current, &tables.next);
        let stream = &card.stream;
        let Topology { nodes, offsets, neighbours, order, roots, squares } = topology;
        let layers = options.layers as u32;
        let share = 1.0 / (layers + 1) as f32;
        let gain = share * share;
        let batch = options.batch.min(planned.triples.len() / 3) as u32;
        let (a_row_a_warp, slots) = (rows(*nodes), rows(*most_slots));
        let a_slot_a_thread = grid(most_slots.div_ceil(THREADS));
        let bpr = i32::from(options.loss == Loss::Bpr);
        // SAFETY, of all launches: every table has a row of `stride` float4 for each node or slot the grid reaches, `offsets` and
        // `neighbours` are a checked graph's, and what a step names lies within the plan that was uploaded, whose arrays stay where they
        // are for as long as the captured graph does.
        unsafe {
            let mut launch = stream.launch_builder(&kernels.mark);
            launch.arg(&planned.steps).arg(&planned.now).arg(&planned.nodes).arg(&tables.slot_of);
            launch.launch(a_slot_a_thread)?;

            for layer in 1..layers {
                let (from, to) = if layer == 1 { (&tables.base, current) } else { (current, next) };
                let mut launch = stream.launch_builder(&kernels.propagate);
                launch
                    .arg(nodes)
                    .arg(offsets)
                    .arg(neighbours)
                    .arg(order)
                    .arg(squares)
                    .arg(&tables.base)
                    .arg(from);
                launch.arg(stride).arg(to);
                launch.launch(a_row_a_warp)?;
                if layer > 1 {
                    std::mem::swap(&mut current, &mut next);
                }
            }
            let source = if layers > 1 { current } else { &tables.base };
            let mut launch = stream.launch_builder(&kernels.at_slots);
            launch
                .arg(&planned.steps)
                .arg(&planned.now)
                .arg(&planned.nodes)
                .arg(offsets)
                .arg(neighbours)
                .arg(roots);
            launch.arg(&tables.table).arg(source).arg(&layers).arg(stride).arg(&tables.output);
            launch.launch(slots)?;

            let mut launch = stream.launch_builder(&kernels.judge);
            launch
                .arg(&planned.steps)
                .arg(&planned.now)
                .arg(&planned.triples)
                .arg(&tables.output)
                .arg(stride);
            launch.arg(&gain).arg(&bpr).arg(&tables.triple_slopes).arg(&tables.triple_values);
            launch.launch(rows(batch))?;

            let mut launch = stream.launch_builder(&kernels.mean_loss);
            launch.arg(&planned.steps).arg(&planned.now).arg(&tables.triple_values).arg(&planned.losses);
            launch.launch(LaunchConfig { block_dim: (1024, 1, 1), ..grid(1) })?;

            let mut launch = stream.launch_builder(&kernels.slope_rows);
            launch
                .arg(&planned.steps)
                .arg(&planned.now)
                .arg(&planned.nodes)
                .arg(&planned.segments)
                .arg(&planned.entries);
            launch
                .arg(&planned.triples)
                .arg(&tables.triple_slopes)
                .arg(&tables.output)
                .arg(roots)
                .arg(&tables.table);
            launch.arg(stride).arg(&tables.slopes).arg(&tables.scaled_slopes);
            launch.launch(rows(most_slots.div_ceil(WARP / *lanes)))?;

            for layer in 1..layers {
                let kernel = if layer == 1 { &kernels.back_from_slots } else { &kernels.back };
                let (from, to) = if layer == 1 { (next, current) } else { (current, next) };
                let mut launch = stream.launch_builder(kernel);
                launch.arg(nodes).arg(offsets).arg(neighbours).arg(order).arg(squares).arg(&tables.slot_of);
                launch.arg(&tables.scaled_slopes).arg(from).arg(stride).arg(to);
                launch.launch(a_row_a_warp)?;
                if layer > 1 {
                    std::mem::swap(&mut current, &mut next);
                }
            }
            let mut launch = stream.launch_builder(&kernels.learn);
            launch
                .arg(&planned.steps)
                .arg(&planned.now)
                .arg(nodes)
                .arg(offsets)
                .arg(neighbours)
                .arg(order)
                .arg(roots);
            launch
                .arg(&tables.slot_of)
                .arg(&tables.slopes)
                .arg(&tables.scaled_slopes)
                .arg(current)
                .arg(stride);
            launch.arg(&tables.table).arg(&tables.means).arg(&tables.squares).arg(&tables.base);
            launch.launch(a_row_a_warp)?;

            let mut launch = stream.launch_builder(&kernels.unmark);
            launch.arg(&planned.steps).arg(&planned.now).arg(&planned.nodes).arg(&tables.slot_of);
            launch.launch(a_slot_a_thread)?;

            let mut launch = stream.launch_builder(&kernels.next_step);
            launch.arg(&planned.now).launch(LaunchConfig {
                grid_dim: (1, 1, 1),
                block_dim: (1, 1, 1),
                shared_mem_bytes: 0,
            })?;
        }
        Ok(())
    }

    /// Takes these batches; `step` numbers the first.
    fn launch(&mut self, step: u64, batches: Range<u64>) -> Result<Vec<f64>, CardError> {
        let share = 1.0 / (self.options.layers + 1) as f32;
        self.epochs.announce(&self.card, step, &batches, share * share)?;
        if self.epochs.planned.step.is_none() {
            self.epochs.planned.step = Some(self.capture()?);
        }
        if let Some(graph) = &self.epochs.planned.step {
            for _ in batches.clone() {
                graph.launch()?;
            }
        }
        self.epochs.losses(&self.card, &batches)
    }

    fn fetch(&self, state: &mut Checkpoint) -> Result<(), CardError> {
        let (dim, padded) = (self.options.dim, self.stride as usize * 4);
        let fetch = |table: &CudaSlice<f32>| -> Result<Vec<f32>, CardError> {
            Ok(unpad(&self.card.download(table)?, dim, padded))
        };
        let (table, means, squares) =
            (fetch(&self.tables.table)?, fetch(&self.tables.means)?, fetch(&self.tables.squares)?);
        let mut from = 0;
        for (tensor, moments) in state.weights.0.iter_mut().zip(&mut state.moments) {
            let range = from..from + tensor.data.len();
            tensor.data.copy_from_slice(&table[range.clone()]);
            moments.mean.copy_from_slice(&means[range.clone()]);
            moments.square.copy_from_slice(&squares[range.clone()]);
            from = range.end;
        }
        Ok(())
    }
}

pub(crate) fn device(error: CardError) -> TrainError {
    TrainError::Device(error.to_string())
}

impl Steps for LightGcnSteps {
    fn begin(&mut self, epoch: u64) -> Result<(), TrainError> {
        self.epochs.begin(&self.card, epoch).map_err(device)
    }

    fn take(&mut self, state: &mut Checkpoint, batches: Range<u64>) -> Result<Vec<f64>, TrainError> {
        self.launch(state.position.step + 1, batches).map_err(device)
    }

    fn at_a_time(&self) -> u64 {
        AT_A_TIME
    }

    fn settle(&mut self, state: &mut Checkpoint) -> Result<(), TrainError> {
        self.fetch(state).map_err(device)
    }
}

/// Everything that will lie on the card, with some room for what the driver keeps.
fn bytes_needed(graph: &Graph, nodes: usize, slots: usize, batch: usize, stride: usize) -> usize {
    let row = stride * 16;
    let topology = 4 * (2 * graph.len() + 4 * nodes);
    let epoch = 4 * (3 * 3 * graph.len() + graph.len().div_ceil(batch.max(1)) * 16);
    topology + 2 * epoch + row * (6 * nodes + 3 * slots) + 4 * nodes + 16 * batch
}
