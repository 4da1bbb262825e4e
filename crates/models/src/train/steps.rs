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

#[cfg(test)]
mod tests {
    use grease_graph::{Edge, Graph};

    use super::*;
    use crate::train::{EarlyStopping, Trainer};

    /// Learns nothing, ranks as it was told, epoch by epoch, and counts how often weights are fetched.
    struct Elsewhere {
        lists: Vec<Vec<u32>>,
        settled: u64,
    }

    impl Steps for Elsewhere {
        fn begin(&mut self, _: u64) -> Result<(), TrainError> {
            Ok(())
        }
        fn take(&mut self, _: &mut Checkpoint, batches: Range<u64>) -> Result<Vec<f64>, TrainError> {
            Ok(batches.map(|_| 0.5).collect())
        }
        fn settle(&mut self, _: &mut Checkpoint) -> Result<(), TrainError> {
            self.settled += 1;
            Ok(())
        }
        fn best(&mut self, people: &[u32], _: usize) -> Option<Result<Vec<Vec<u32>>, TrainError>> {
            Some(Ok(vec![self.lists.remove(0); people.len()]))
        }
    }

    fn trained(options: TrainOptions, lists: &[&[u32]]) -> (Trainer, Elsewhere) {
        let graph = Arc::new(Graph::new(2, 4, &[Edge::new(0, 0), Edge::new(1, 1)]).unwrap());
        let options = TrainOptions { dim: 4, batch: 1, evaluate_every: 1, ..options };
        let mut trainer = Trainer::new(graph, vec![Edge::new(0, 2), Edge::new(0, 3)], options).unwrap();
        let lists = lists.iter().map(|list| list.to_vec()).collect();
        let mut steps = Elsewhere { lists, settled: 0 };
        trainer.run_by(&mut steps, &mut ()).unwrap();
        (trainer, steps)
    }

    #[test]
    fn who_takes_the_steps_may_rank_and_weights_are_fetched_only_to_be_kept() {
        let options = TrainOptions { epochs: 3, ..TrainOptions::default() };
        let (trainer, steps) = trained(options, &[&[1], &[2, 1], &[3, 2]]);
        let recalls: Vec<_> = trainer.state().position.log.iter().map(|record| record.recall).collect();
        assert_eq!(recalls, [Some(0.0), Some(0.5), Some(1.0)]);
        assert_eq!(steps.settled, 2, "after the last epoch, and at the end");
    }

    #[test]
    fn the_best_weights_are_fetched_when_they_are_seen() {
        let early_stopping = Some(EarlyStopping { share: 0.1, patience: 2 });
        let options = TrainOptions { epochs: 9, early_stopping, ..TrainOptions::default() };
        let (trainer, steps) = trained(options, &[&[1], &[2], &[2, 1], &[1]]);
        assert_eq!(trainer.state().position.best, Some((2, 0.5)));
        assert_eq!(steps.settled, 3, "after two epochs that were better than all before, and at the end");
    }
}
