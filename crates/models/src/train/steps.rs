//! Who takes the steps of training: this processor, or a card.

use std::ops::Range;
use std::sync::Arc;

use grease_graph::Graph;
use grease_kernels::Adam;

use crate::architecture::Kind;
use crate::lightgcn::training::LightGcnNetwork;
use crate::ngcf::training::NgcfNetwork;
use crate::train::batch::{self, Batch, Triples};
use crate::train::checkpoint::Checkpoint;
use crate::train::network::Network;
use crate::train::objective::Objective;
use crate::train::options::TrainOptions;
use crate::train::trainer::TrainError;
use crate::weights::Weights;

/// Takes the steps of training. Weights and moments are where the steps are taken, and in the checkpoint once they were brought back
/// by [`settle`](Steps::settle).
pub trait Steps: Send {
    /// Begins an epoch, or goes on with it; the batches are those of [`draw`](batch::draw).
    fn begin(&mut self, epoch: u64) -> Result<(), TrainError>;

    /// Takes these batches of the epoch, and tells the loss of each. `state` stands before them.
    fn take(&mut self, state: &mut Checkpoint, batches: Range<u64>) -> Result<Vec<f64>, TrainError>;

    /// How many batches are taken between two looks at whoever watches.
    fn at_a_time(&self) -> u64 {
        1
    }

    /// Brings weights and moments into the checkpoint.
    fn settle(&mut self, _state: &mut Checkpoint) -> Result<(), TrainError> {
        Ok(())
    }

    /// The `k` best items of each of these people that they have not touched in training, best first, by the weights as they are where
    /// the steps are taken. Nothing where that is left to whoever has settled weights.
    fn best(&mut self, _people: &[u32], _k: usize) -> Option<Result<Vec<Vec<u32>>, TrainError>> {
        None
    }
}

/// Steps on this processor, on the checkpoint's own weights.
pub(super) struct Here {
    graph: Arc<Graph>,
    options: TrainOptions,
    network: Box<dyn Network>,
    grads: Weights,
    batch: Batch,
    triples: Triples,
}

impl Here {
    pub(super) fn new(graph: &Arc<Graph>, state: &Checkpoint) -> Self {
        Self {
            graph: Arc::clone(graph),
            options: state.options,
            network: network(graph, &state.options),
            grads: state.weights.zeros_like(),
            batch: Batch::new(graph),
            triples: Triples::default(),
        }
    }
}

impl Steps for Here {
    fn begin(&mut self, epoch: u64) -> Result<(), TrainError> {
        self.triples = batch::draw(&self.graph, self.options.seed, epoch);
        Ok(())
    }

    fn take(&mut self, state: &mut Checkpoint, batches: Range<u64>) -> Result<Vec<f64>, TrainError> {
        let TrainOptions { learning_rate, loss, l2, batch: size, .. } = self.options;
        let adam = Adam::new(learning_rate);
        let objective = Objective { loss, l2 };
        let Checkpoint { position, weights, moments, .. } = state;
        let mut losses = Vec::with_capacity(1);
        for (step, at) in (position.step + 1..).zip(batches) {
            let from = at as usize * size;
            self.batch.fill(&self.triples, from, (from + size).min(self.triples.users.len()));
            let loss = self.network.gradients(weights, &self.batch, &objective, step, &mut self.grads);
            losses.push(loss);
            if !loss.is_finite() {
                break;
            }
            for ((tensor, grad), moments) in weights.0.iter_mut().zip(&self.grads.0).zip(&mut *moments) {
                adam.step(step, &mut tensor.data, &grad.data, moments);
            }
        }
        Ok(losses)
    }
}

fn network(graph: &Arc<Graph>, options: &TrainOptions) -> Box<dyn Network> {
    let TrainOptions { layers, dim, dropout, seed, .. } = *options;
    match options.kind {
        Kind::LightGcn => Box::new(LightGcnNetwork::new(Arc::clone(graph), layers, dim)),
        Kind::Ngcf => Box::new(NgcfNetwork::new(Arc::clone(graph), layers, dim, dropout, seed)),
        Kind::Frozen => unreachable!("options that ask for it are refused"),
    }
}
