//! Training: options in, weights out, resumable at any batch.

pub(crate) mod batch;
mod checkpoint;
pub(crate) mod network;
pub(crate) mod objective;
mod options;
mod steps;
mod trainer;

pub use batch::{Triples, draw};
pub use checkpoint::{Checkpoint, EpochRecord, Position};
pub use objective::Loss;
pub use options::{EarlyStopping, TrainOptions};
pub use steps::Steps;
pub use trainer::{BatchProgress, Ending, Observer, TrainError, Trainer, WATCH_K};
