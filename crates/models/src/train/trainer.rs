//! The training loop.

use std::sync::Arc;

use grease_graph::{Edge, Field, Graph};
use grease_kernels::AdamMoments;

use crate::model::Model;
use crate::ranking::{HeldOut, Ranking, evaluate};
use crate::train::checkpoint::{Checkpoint, EpochRecord, Position};
use crate::train::options::TrainOptions;
use crate::train::steps::{Here, Steps};
use crate::weights::{Weights, WeightsError};

/// Length of the lists training is watched at.
pub const WATCH_K: usize = 20;

/// How training tells what it does and learns that it should stop. The library itself never prints.
pub trait Observer: Send {
    /// The steps are taken on another device than was said, and why.
    fn moved(&mut self, _device: &str) {}
    /// A batch is done.
    fn batch_done(&mut self, _progress: BatchProgress) {}
    /// An epoch is done.
    fn epoch_done(&mut self, _record: &EpochRecord) {}
    /// Asked after every batch; training then stops where it is, and can be resumed from there.
    fn cancelled(&mut self) -> bool {
        false
    }
    /// Whether [`checkpoint`](Observer::checkpoint) will look at the weights after this epoch: from elsewhere they have to be fetched.
    fn checkpoint_due(&self, _epoch: u64) -> bool {
        true
    }
    /// Asked after every epoch whether to save a checkpoint; an error ends training.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) -> Result<(), String> {
        Ok(())
    }
}

/// An observer that looks away.
impl Observer for () {
    fn checkpoint_due(&self, _epoch: u64) -> bool {
        false
    }
}

/// Where training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchProgress {
    /// The epoch under way, from 1.
    pub epoch: u64,
    /// Epochs there will be.
    pub epochs: u64,
    /// Batches of it that are done.
    pub batch: u64,
    /// Batches an epoch has.
    pub batches: u64,
    /// Mean loss of the epoch so far.
    pub loss: f64,
}

/// Why training could not start or go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// The options make no sense.
    #[error("{0}")]
    Options(String),
    /// There is nothing to learn from.
    #[error("there are no training interactions to learn from")]
    NoInteractions,
    /// Early stopping has nothing to look at.
    #[error(
        "nothing could be held out to stop early by: nobody has {} training interactions or more",
        grease_graph::HOLD_OUT_FROM
    )]
    NothingHeldOut,
    /// The checkpoint was made with other options.
    #[error(
        "the checkpoint was made with another {0}; resume with the same options, or start anew without `resume`"
    )]
    Differs(Field),
    /// The checkpoint is of other data.
    #[error("the checkpoint does not fit this data: {0}")]
    Checkpoint(#[from] WeightsError),
    /// The loss is no longer a number.
    #[error("the loss became {loss} in epoch {epoch}; a smaller learning rate may help")]
    Diverged { loss: f64, epoch: u64 },
    /// Weights are no longer numbers, or so large that their products are not.
    #[error("the weights `{tensor}` overflowed in epoch {epoch}; a smaller learning rate may help")]
    Overflowed { tensor: String, epoch: u64 },
    /// What takes the steps failed.
    #[error("{0}")]
    Device(String),
    /// A checkpoint could not be saved.
    #[error("{0}")]
    Saving(String),
}

/// How training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All epochs are done.
    Finished,
    /// The held-out slice no longer improved.
    Early,
    /// The observer asked to stop.
    Cancelled,
}

/// A model in training.
pub struct Trainer {
    graph: Arc<Graph>,
    watched: Vec<Edge>,
    state: Checkpoint,
}

impl Trainer {
    /// Fresh weights on this graph. `watched` are held-out interactions to evaluate on: the test part, or the held-out slice where training
    /// stops early.
    pub fn new(graph: Arc<Graph>, watched: Vec<Edge>, options: TrainOptions) -> Result<Self, TrainError> {
        options.check().map_err(TrainError::Options)?;
        if graph.is_empty() {
            return Err(TrainError::NoInteractions);
        }
        if options.early_stopping.is_some() && watched.is_empty() {
            return Err(TrainError::NothingHeldOut);
        }
        let weights = options.architecture().initial_weights(&graph, options.seed);
        let moments = weights.0.iter().map(|t| AdamMoments::new(t.data.len())).collect();
        let position =
            Position { epoch: 0, batch: 0, step: 0, loss_sum: 0.0, log: Vec::new(), best: None, stale: 0 };
        Ok(Self {
            graph,
            watched,
            state: Checkpoint { options, position, weights, moments, best_weights: None },
        })
    }

    /// Goes on where a checkpoint stands. The options must be those it was made with, but for the number of epochs.
    pub fn resume(
        graph: Arc<Graph>,
        watched: Vec<Edge>,
        options: TrainOptions,
        checkpoint: Checkpoint,
    ) -> Result<Self, TrainError> {
        options.check().map_err(TrainError::Options)?;
        if let Some(field) = options.differs_from(&checkpoint.options) {
            return Err(TrainError::Differs(field));
        }
        checkpoint.check(&options.architecture().tensors(graph.users(), graph.items()))?;
        Ok(Self { graph, watched, state: Checkpoint { options, ..checkpoint } })
    }

    /// Where training stands.
    pub fn state(&self) -> &Checkpoint {
        &self.state
    }

    /// The weights to use: the best ones where training stops early, else the last.
    pub fn weights(&self) -> &Weights {
        self.state.best_weights.as_ref().unwrap_or(&self.state.weights)
    }

    /// The graph trained on.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The model as it is now.
    pub fn model(&self) -> Model {
        Model::trained(self.state.options.architecture(), Arc::clone(&self.graph), self.weights().clone())
    }

    /// Trains until all epochs are done, the held-out slice no longer improves, or the observer says stop.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Ending, TrainError> {
        let mut here = Here::new(&self.graph, &self.state);
        // From inside the pool: a thread outside it would go to sleep and be woken for each of a step's many products.
        rayon::scope(|_| self.run_by(&mut here, observer))
    }

    /// As [`run`](Self::run), the steps being taken elsewhere.
    pub fn run_by(
        &mut self,
        steps: &mut dyn Steps,
        observer: &mut dyn Observer,
    ) -> Result<Ending, TrainError> {
        let ending = self.go_on(steps, observer);
        // However it ended: what was learned is kept.
        steps.settle(&mut self.state)?;
        ending
    }

    fn go_on(&mut self, steps: &mut dyn Steps, observer: &mut dyn Observer) -> Result<Ending, TrainError> {
        let options = self.state.options;
        let batches = self.graph.len().div_ceil(options.batch) as u64;
        loop {
            // Asked before the first epoch too: a run that had stopped when its checkpoint was taken stays so.
            if options.early_stopping.is_some_and(|stop| self.state.position.stale >= stop.patience) {
                return Ok(Ending::Early);
            }
            if self.state.position.epoch >= options.epochs {
                return Ok(Ending::Finished);
            }
            let epoch = self.state.position.epoch;
            steps.begin(epoch)?;
            while self.state.position.batch < batches {
                if observer.cancelled() {
                    return Ok(Ending::Cancelled);
                }
                let from = self.state.position.batch;
                let to = batches.min(from + steps.at_a_time());
                for loss in steps.take(&mut self.state, from..to)? {
                    if !loss.is_finite() {
                        return Err(TrainError::Diverged { loss, epoch: epoch + 1 });
                    }
                    let position = &mut self.state.position;
                    position.step += 1;
                    position.batch += 1;
                    position.loss_sum += loss;
                    observer.batch_done(BatchProgress {
                        epoch: epoch + 1,
                        epochs: options.epochs,
                        batch: position.batch,
                        batches,
                        loss: position.loss_sum / position.batch as f64,
                    });
                }
            }
            let watched = self.watch_there(steps)?;
            if self.needs_weights(watched) || observer.checkpoint_due(epoch + 1) {
                steps.settle(&mut self.state)?;
            }
            // The loss is of the weights before the last step: what that did nobody has seen yet.
            if let Some(tensor) = self.state.weights.overflowed() {
                return Err(TrainError::Overflowed { tensor: tensor.name.clone(), epoch: epoch + 1 });
            }
            let record = self.finish_epoch(batches, watched);
            observer.epoch_done(&record);
            observer.checkpoint(&self.state).map_err(TrainError::Saving)?;
        }
    }

    /// Whether what is watched is looked at after the epoch under way.
    fn evaluation_is_due(&self) -> bool {
        let options = self.state.options;
        let epoch = self.state.position.epoch + 1;
        let due = epoch == options.epochs
            || (options.evaluate_every > 0 && epoch.is_multiple_of(options.evaluate_every));
        due && !self.watched.is_empty()
    }

    /// What is watched, if it is due, as whoever takes the steps sees it.
    fn watch_there(&self, steps: &mut dyn Steps) -> Result<Option<Ranking>, TrainError> {
        if !self.evaluation_is_due() {
            return Ok(None);
        }
        let held_out = HeldOut::new(&self.watched);
        let lists = steps.best(&held_out.users(), WATCH_K).transpose()?;
        Ok(lists.map(|lists| held_out.judge(&lists, WATCH_K, self.graph.items())))
    }

    /// Whether somebody looks at the weights after the epoch under way: to watch it here, to keep them, or because it was the last.
    fn needs_weights(&self, watched: Option<Ranking>) -> bool {
        let last = self.state.position.epoch + 1 == self.state.options.epochs;
        last || match watched {
            None => self.evaluation_is_due(),
            Some(watched) => self.state.options.early_stopping.is_some() && self.is_best(watched),
        }
    }

    fn is_best(&self, watched: Ranking) -> bool {
        self.state.position.best.is_none_or(|(_, recall)| watched.recall > recall)
    }

    /// `watched` as it was seen elsewhere; where it was not, and is due, it is looked at here.
    fn finish_epoch(&mut self, batches: u64, watched: Option<Ranking>) -> EpochRecord {
        let options = self.state.options;
        let epoch = self.state.position.epoch + 1;
        let watched = watched.or_else(|| self.evaluation_is_due().then(|| self.watch()));
        let best = watched.is_some_and(|watched| self.is_best(watched));
        let position = &mut self.state.position;
        let record = EpochRecord {
            epoch,
            loss: position.loss_sum / batches as f64,
            recall: watched.map(|w| w.recall),
            ndcg: watched.map(|w| w.ndcg),
        };
        position.log.push(record);
        (position.epoch, position.batch, position.loss_sum) = (epoch, 0, 0.0);
        if let (Some(watched), Some(_)) = (watched, options.early_stopping) {
            if best {
                position.best = Some((epoch, watched.recall));
                position.stale = 0;
                self.state.best_weights = Some(self.state.weights.clone());
            } else {
                position.stale += 1;
            }
        }
        record
    }

    fn watch(&self) -> Ranking {
        let model = Model::trained(
            self.state.options.architecture(),
            Arc::clone(&self.graph),
            self.state.weights.clone(),
        );
        evaluate(model.output(), &self.graph, &self.watched, &[WATCH_K])[0]
    }
}
