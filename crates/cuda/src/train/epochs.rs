//! The epoch under way, and the one after it, on the card.

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode_enum as Capture};
use cudarc::driver::{CudaGraph, CudaSlice, CudaStream};
use grease_graph::{Graph, seed};
use grease_models::train::TrainOptions;

use crate::card::{Card, CardError};
use crate::train::plan::{Plan, Planner, Step};

/// The epoch under way, the one after it, and who lays them out.
pub(crate) struct Epochs {
    options: TrainOptions,
    planner: Planner,
    pub(crate) planned: Planned,
    ahead: Planned,
}

impl Epochs {
    pub(crate) fn new(card: &Card, graph: &Arc<Graph>, options: TrainOptions) -> Result<Self, CardError> {
        Ok(Self {
            options,
            planner: Planner::new(Arc::clone(graph), options),
            planned: Planned::empty(card)?,
            ahead: Planned::empty(card)?,
        })
    }

    /// Makes an epoch the one under way.
    pub(crate) fn begin(&mut self, card: &Card, epoch: u64) -> Result<(), CardError> {
        if self.ahead.epoch == Some(epoch) {
            std::mem::swap(&mut self.planned, &mut self.ahead);
            return Ok(());
        }
        let plan = self.planner.plan(epoch);
        self.planned.fill(card, &card.stream, epoch, plan)
    }

    /// Takes these batches, and tells their losses; `step` numbers the first, `gain` is what scores are multiplied with. All steps are
    /// the same kernels, which `launch_step` launches once: what a step is about stands on the card.
    pub(crate) fn take(
        &mut self,
        card: &Card,
        step: u64,
        batches: &Range<u64>,
        gain: f32,
        launch_step: impl FnOnce(&Planned) -> Result<(), CardError>,
    ) -> Result<Vec<f64>, CardError> {
        self.announce(card, step, batches, gain)?;
        let graph = match self.planned.step.take() {
            Some(graph) => graph,
            None => captured(card, || launch_step(&self.planned))?,
        };
        for _ in batches.clone() {
            graph.launch()?;
        }
        self.planned.step = Some(graph);
        self.losses(card, batches)
    }

    /// Tells the card which batches are next.
    fn announce(&mut self, card: &Card, step: u64, batches: &Range<u64>, gain: f32) -> Result<(), CardError> {
        let TrainOptions { learning_rate, l2, seed, .. } = self.options;
        let range = batches.start as usize..batches.end as usize;
        for (number, step) in (step..).zip(&mut self.planned.plan.steps[range]) {
            // As the processor's Adam has them.
            let correction = |beta: f32| 1.0 - f64::from(beta).powi(number.min(1 << 30) as i32);
            step.rate = (f64::from(learning_rate) / correction(0.9)) as f32;
            step.root = (1.0 / correction(0.999).sqrt()) as f32;
            step.penalty = l2 / step.triples as f32;
            step.share = gain / step.triples as f32;
            step.key = seed::mix(seed, number);
        }
        card.stream.memcpy_htod(&self.planned.plan.steps, &mut self.planned.steps)?;
        Ok(card.stream.memcpy_htod(&[batches.start as u32], &mut self.planned.now)?)
    }

    /// The losses of these batches, once they are done; while the card is at them, the next epoch is brought there.
    fn losses(&mut self, card: &Card, batches: &Range<u64>) -> Result<Vec<f64>, CardError> {
        self.upload_ahead(card)?;
        let losses = card.download(&self.planned.losses)?;
        Ok(losses[batches.start as usize..batches.end as usize].to_vec())
    }

    /// While the card is busy, brings the next epoch there, if it is laid out.
    fn upload_ahead(&mut self, card: &Card) -> Result<(), CardError> {
        let next = self.planned.epoch.map_or(0, |epoch| epoch + 1);
        if self.ahead.epoch == Some(next) {
            return Ok(());
        }
        let Some(plan) = self.planner.ready(next) else { return Ok(()) };
        self.ahead.fill(card, &card.copying, next, plan)?;
        Ok(card.copying.synchronize()?)
    }
}

/// An epoch on the card, and the kernels of a step of it, which know where it lies.
pub(crate) struct Planned {
    pub(crate) epoch: Option<u64>,
    pub(crate) plan: Plan,
    pub(crate) step: Option<CudaGraph>,
    pub(crate) steps: CudaSlice<Step>,
    pub(crate) triples: CudaSlice<u32>,
    pub(crate) nodes: CudaSlice<u32>,
    pub(crate) segments: CudaSlice<u32>,
    pub(crate) entries: CudaSlice<u32>,
    /// Which step is next.
    pub(crate) now: CudaSlice<u32>,
    pub(crate) losses: CudaSlice<f64>,
}

impl Planned {
    fn empty(card: &Card) -> Result<Self, CardError> {
        Ok(Self {
            epoch: None,
            plan: Plan::default(),
            step: None,
            steps: card.zeros(1)?,
            triples: card.zeros(1)?,
            nodes: card.zeros(1)?,
            segments: card.zeros(1)?,
            entries: card.zeros(1)?,
            now: card.zeros(1)?,
            losses: card.zeros(1)?,
        })
    }

    /// Brings a plan to the card. Room is kept from epoch to epoch; where there is not enough, the kernels of a step are captured anew.
    fn fill(
        &mut self,
        card: &Card,
        stream: &Arc<CudaStream>,
        epoch: u64,
        plan: Plan,
    ) -> Result<(), CardError> {
        let mut grown = refill(card, stream, &mut self.triples, &plan.triples)?;
        grown |= refill(card, stream, &mut self.nodes, &plan.nodes)?;
        grown |= refill(card, stream, &mut self.segments, &plan.segments)?;
        grown |= refill(card, stream, &mut self.entries, &plan.entries)?;
        if self.losses.len() < plan.steps.len() {
            self.losses = card.zeros(plan.steps.len())?;
            self.steps = card.zeros(plan.steps.len())?;
            grown = true;
        }
        if grown {
            self.step = None;
        }
        (self.epoch, self.plan) = (Some(epoch), plan);
        Ok(())
    }
}

/// The kernels that are launched meanwhile, as one graph.
fn captured(card: &Card, launch: impl FnOnce() -> Result<(), CardError>) -> Result<CudaGraph, CardError> {
    card.stream.begin_capture(Capture::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    let launched = launch();
    let graph = card.stream.end_capture(CUgraphInstantiate_flags(0))?;
    launched?;
    graph.ok_or_else(|| CardError::Failed("no kernels were captured".to_owned()))
}

/// Copies values into room that is there, or into new room where that is too small; says whether it was.
fn refill(
    card: &Card,
    stream: &Arc<CudaStream>,
    room: &mut CudaSlice<u32>,
    values: &[u32],
) -> Result<bool, CardError> {
    let grows = room.len() < values.len();
    if grows {
        // The next epoch may need a little more.
        *room = card.zeros(values.len() + values.len() / 16)?;
        // Zeros are written in the other stream, and must not come after the values.
        card.stream.synchronize()?;
    }
    stream.memcpy_htod(values, &mut room.slice_mut(..values.len()))?;
    Ok(grows)
}
