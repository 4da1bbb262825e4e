//! The training loop: repeatable, resumable, stoppable.

use std::sync::Arc;

use grease_graph::{Edge, Graph, SampleOptions, Split, sample};

use super::KINDS;
use crate::architecture::Kind;
use crate::train::{
    BatchProgress, Checkpoint, EarlyStopping, Ending, EpochRecord, Observer, TrainError, TrainOptions,
    Trainer,
};
use crate::weights::Weights;

/// A small service: what to train on, and what is held out.
pub(super) fn data() -> (Arc<Graph>, Vec<Edge>) {
    let service = sample(&SampleOptions { users: 60, artists: 40, genres: 4, ..SampleOptions::default() });
    let Split { train, test } = Split::per_user(&service.interactions, 0.8, 1);
    (Arc::new(Graph::new(60, 40, &train).unwrap()), test)
}

/// Four epochs of a few batches.
pub(super) fn options(kind: Kind) -> TrainOptions {
    TrainOptions {
        kind,
        layers: 2,
        dim: 8,
        epochs: 4,
        batch: 300,
        learning_rate: 0.01,
        evaluate_every: 1,
        ..TrainOptions::default()
    }
}

/// Remembers all it is told, and asks to stop after some batches.
#[derive(Default)]
pub(super) struct Witness {
    stop_after: Option<usize>,
    batches: Vec<BatchProgress>,
    records: Vec<EpochRecord>,
    checkpoints: Vec<Checkpoint>,
}

impl Observer for Witness {
    fn batch_done(&mut self, progress: BatchProgress) {
        self.batches.push(progress);
    }

    fn epoch_done(&mut self, record: &EpochRecord) {
        self.records.push(*record);
    }

    fn cancelled(&mut self) -> bool {
        self.stop_after.is_some_and(|n| self.batches.len() >= n)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        self.checkpoints.push(checkpoint.clone());
        Ok(())
    }
}

fn bits(weights: &Weights) -> Vec<u32> {
    weights.0.iter().flat_map(|t| &t.data).map(|v| v.to_bits()).collect()
}

/// Equal to the last bit, moments and log included.
fn assert_same(got: &Checkpoint, want: &Checkpoint, what: &str) {
    assert_eq!(bits(&got.weights), bits(&want.weights), "{what}: weights");
    assert_eq!(got, want, "{what}");
}

pub(super) fn train(options: TrainOptions, observer: &mut Witness) -> (Trainer, Ending) {
    let (graph, test) = data();
    let mut trainer = Trainer::new(graph, test, options).unwrap();
    let ending = trainer.run(observer).unwrap();
    (trainer, ending)
}

fn go_on(options: TrainOptions, from: Checkpoint) -> (Trainer, Ending) {
    let (graph, test) = data();
    let mut trainer = Trainer::resume(graph, test, options, from).unwrap();
    let ending = trainer.run(&mut ()).unwrap();
    (trainer, ending)
}

#[test]
fn same_seed_same_bytes_with_any_number_of_threads() {
    // Large enough for several blocks of rows, triples and streams of negatives.
    let service = sample(&SampleOptions::default());
    let Split { train, test } = Split::per_user(&service.interactions, 0.8, 1);
    let graph = Arc::new(Graph::new(600, 300, &train).unwrap());
    for kind in KINDS {
        let options = TrainOptions { batch: 4096, epochs: 2, ..options(kind) };
        let with = |threads: usize, options: TrainOptions| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut trainer = Trainer::new(Arc::clone(&graph), test.clone(), options).unwrap();
                trainer.run(&mut ()).unwrap();
                trainer.state().clone()
            })
        };
        let first = with(1, options);
        assert_same(&with(2, options), &first, "2 threads");
        assert_same(&with(3, options), &first, "3 threads");
        assert_ne!(with(2, TrainOptions { seed: 2, ..options }).weights, first.weights, "the seed matters");
    }
}

#[test]
fn a_resumed_run_equals_an_undisturbed_one() {
    for kind in KINDS {
        for early_stopping in [None, Some(EarlyStopping { share: 0.1, patience: 3 })] {
            let options = TrainOptions { early_stopping, ..options(kind) };
            let mut witness = Witness::default();
            let (undisturbed, ending) = train(options, &mut witness);
            assert_eq!((witness.checkpoints.len(), ending), (4, Ending::Finished));
            for (epoch, checkpoint) in witness.checkpoints.iter().enumerate() {
                let (resumed, ending) = go_on(options, checkpoint.clone());
                assert_same(resumed.state(), undisturbed.state(), &format!("after epoch {}", epoch + 1));
                assert_eq!(ending, Ending::Finished);
            }
            for stop_after in 0..witness.batches.len() {
                let mut cut = Witness { stop_after: Some(stop_after), ..Witness::default() };
                let (stopped, ending) = train(options, &mut cut);
                assert_eq!((cut.batches.len(), ending), (stop_after, Ending::Cancelled));
                let (resumed, _) = go_on(options, stopped.state().clone());
                assert_same(resumed.state(), undisturbed.state(), &format!("after {stop_after} batches"));
            }
        }
    }
}

#[test]
fn more_epochs_can_be_asked_for_later() {
    let options = options(Kind::LightGcn);
    let (whole, _) = train(options, &mut Witness::default());
    let (half, _) = train(TrainOptions { epochs: 2, ..options }, &mut Witness::default());
    let (resumed, _) = go_on(options, half.state().clone());
    assert_same(resumed.state(), whole.state(), "two epochs and two more");
}

#[test]
fn the_observer_is_told_everything_once() {
    let mut witness = Witness::default();
    let (trainer, _) = train(options(Kind::LightGcn), &mut witness);
    let batches = trainer.graph().len().div_ceil(300);
    assert!(batches > 1 && !trainer.graph().len().is_multiple_of(300), "the last batch is a short one");
    assert_eq!(witness.batches.len(), 4 * batches);
    let last = witness.batches.last().unwrap();
    assert_eq!((last.epoch, last.epochs, last.batch, last.batches), (4, 4, batches as u64, batches as u64));
    assert_eq!(witness.records, trainer.state().position.log);
    assert!(witness.records.iter().all(|r| r.recall.is_some() && r.ndcg.is_some()));
    assert!(witness.records[3].loss < witness.records[0].loss, "it learns");
}

#[test]
fn early_stopping_keeps_the_best_weights() {
    for kind in KINDS {
        let stop = EarlyStopping { share: 0.1, patience: 2 };
        let options = TrainOptions {
            learning_rate: 0.05,
            epochs: 500,
            evaluate_every: 2,
            early_stopping: Some(stop),
            ..options(kind)
        };
        let mut witness = Witness::default();
        let (trainer, ending) = train(options, &mut witness);
        assert_eq!(ending, Ending::Early);
        let log = &trainer.state().position.log;
        let (best, recall) = trainer.state().position.best.unwrap();
        assert_eq!(
            log.len() as u64,
            best + 2 * stop.patience,
            "two evaluations, two epochs apart, were no better"
        );
        let highest = log.iter().filter_map(|r| r.recall).fold(0.0, f64::max);
        assert_eq!(recall, highest);
        let at_best = &witness.checkpoints[best as usize - 1].weights;
        assert_eq!(bits(trainer.weights()), bits(at_best));
        assert_ne!(bits(trainer.weights()), bits(&trainer.state().weights), "training went on past the best");
        assert_eq!(bits(trainer.model().weights()), bits(at_best));

        let (resumed, ending) = go_on(options, trainer.state().clone());
        assert_eq!(ending, Ending::Early, "what has stopped stays stopped");
        assert_same(resumed.state(), trainer.state(), "resumed after stopping early");
    }
}

#[test]
fn a_learning_rate_too_large_is_told_so() {
    let (graph, _) = data();
    for kind in KINDS {
        // Seen in the next batch's loss; and where there is no next batch.
        for (learning_rate, batch) in [(1e20, 300), (1e30, 300), (1e20, 1 << 20), (f32::MAX, 1 << 20)] {
            let options = TrainOptions { learning_rate, batch, epochs: 1, ..options(kind) };
            let mut trainer = Trainer::new(Arc::clone(&graph), Vec::new(), options).unwrap();
            let error = trainer.run(&mut ()).unwrap_err();
            let told = match batch {
                300 => matches!(error, TrainError::Diverged { epoch: 1, .. }),
                _ => matches!(error, TrainError::Overflowed { epoch: 1, .. }),
            };
            assert!(told, "{kind} at {learning_rate}: {error}");
            assert!(error.to_string().contains("smaller learning rate"), "{error}");
        }
    }
}
