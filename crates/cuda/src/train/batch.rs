//! What a step does with its batch, whatever is trained: marks its rows, judges its triples, and goes on to the next.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg as _};
use grease_graph::Graph;
use grease_models::train::{Loss, TrainOptions};

use crate::card::{Card, CardError};
use crate::launch::{THREADS, grid, launch, rows};
use crate::train::epochs::Planned;
use crate::train::plan::NONE;

/// Room and kernels for the batch of a step.
pub(crate) struct Batch {
    card: Arc<Card>,
    /// Which slot each node has in the step under way.
    pub(crate) slot_of: CudaSlice<u32>,
    /// Two slopes a triple, by the scores of what was touched and of the other.
    pub(crate) triple_slopes: CudaSlice<f32>,
    triple_values: CudaSlice<f64>,
    /// The most triples and slots a step can have.
    triples: u32,
    pub(crate) slots: u32,
    bpr: i32,
    mark: CudaFunction,
    judge: CudaFunction,
    mean_loss: CudaFunction,
    unmark: CudaFunction,
    next_step: CudaFunction,
}

impl Batch {
    pub(crate) fn new(card: &Arc<Card>, graph: &Graph, options: &TrainOptions) -> Result<Self, CardError> {
        let nodes = graph.users() + graph.items();
        let triples = options.batch.min(graph.len());
        Ok(Self {
            slot_of: card.upload(&vec![NONE; nodes])?,
            triple_slopes: card.zeros(2 * triples)?,
            triple_values: card.zeros(triples)?,
            triples: triples as u32,
            slots: most_slots(graph, options) as u32,
            bpr: i32::from(options.loss == Loss::Bpr),
            mark: card.kernel("mark_slots")?,
            judge: card.kernel("judge_triples")?,
            mean_loss: card.kernel("mean_loss")?,
            unmark: card.kernel("unmark_slots")?,
            next_step: card.kernel("next_step")?,
            card: Arc::clone(card),
        })
    }

    fn a_slot_a_thread(&self) -> LaunchConfig {
        grid(self.slots.div_ceil(THREADS))
    }

    /// Writes which slot each node has.
    pub(crate) fn mark(&self, planned: &Planned) -> Result<(), CardError> {
        let Planned { steps, now, nodes, .. } = planned;
        // SAFETY: a step's slots lie within the plan's nodes, and each of those within `slot_of`.
        unsafe { launch!(self.card, &self.mark, self.a_slot_a_thread(), steps, now, nodes, &self.slot_of) }?;
        Ok(())
    }

    /// Slopes of every triple, and the mean loss. `output` has a row of `stride` float4 a slot; a score is `gain` times a dot product.
    pub(crate) fn judge(
        &self,
        planned: &Planned,
        output: &CudaSlice<f32>,
        stride: u32,
        gain: f32,
    ) -> Result<(), CardError> {
        let Planned { steps, now, triples, losses, .. } = planned;
        let (slopes, values) = (&self.triple_slopes, &self.triple_values);
        let one_block = LaunchConfig { block_dim: (1024, 1, 1), ..grid(1) };
        // SAFETY: a step has no more triples than there is room for, its triples name slots of its own, and losses has a place a step.
        unsafe {
            launch!(
                self.card,
                &self.judge,
                rows(self.triples),
                steps,
                now,
                triples,
                output,
                &stride,
                &gain,
                &self.bpr,
                slopes,
                values
            )?;
            launch!(self.card, &self.mean_loss, one_block, steps, now, values, losses)?;
        }
        Ok(())
    }

    /// Leaves everything as the next step finds it.
    pub(crate) fn finish(&self, planned: &Planned) -> Result<(), CardError> {
        let Planned { steps, now, nodes, .. } = planned;
        let one_thread = LaunchConfig { block_dim: (1, 1, 1), ..grid(1) };
        // SAFETY: as in `mark`; `now` is one number.
        unsafe {
            launch!(self.card, &self.unmark, self.a_slot_a_thread(), steps, now, nodes, &self.slot_of)?;
            launch!(self.card, &self.next_step, one_thread, now)?;
        }
        Ok(())
    }
}

/// The most nodes that a batch can have rows of.
pub(crate) fn most_slots(graph: &Graph, options: &TrainOptions) -> usize {
    (graph.users() + graph.items()).min(3 * options.batch.min(graph.len()))
}

/// Bytes of what every training keeps on the card: the graph, two epochs, and the batch.
pub(crate) fn bytes_needed(graph: &Graph, options: &TrainOptions) -> usize {
    let nodes = graph.users() + graph.items();
    let batch = options.batch.min(graph.len()).max(1);
    let topology = 4 * (2 * graph.len() + 4 * nodes);
    let epoch = 4 * (3 * 3 * graph.len() + graph.len().div_ceil(batch) * 16);
    topology + 2 * epoch + 4 * nodes + 16 * batch
}
