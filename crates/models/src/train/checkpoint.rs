//! Where training stands, so that it can go on as if nothing had happened.

use grease_kernels::AdamMoments;
use serde::{Deserialize, Serialize};

use crate::train::options::TrainOptions;
use crate::weights::{Weights, WeightsError, check_finite};

/// One line of the training log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Epochs finished, counted from 1.
    pub epoch: u64,
    /// Mean loss over the epoch's batches.
    pub loss: f64,
    /// Recall@20 on what is watched, where it was evaluated after this epoch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recall: Option<f64>,
    /// NDCG@20, likewise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ndcg: Option<f64>,
}

/// How far training has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    pub epoch: u64,
    /// Batches done of the epoch under way.
    pub batch: u64,
    pub step: u64,
    /// Sum of the losses of the epoch under way.
    pub loss_sum: f64,
    /// The log so far.
    pub log: Vec<EpochRecord>,
    /// Best watched recall so far and its epoch, where training stops early.
    pub best: Option<(u64, f64)>,
    pub stale: u64,
}

/// A whole state of training: what it was set to, how far it came, weights and moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// What training is set to.
    pub options: TrainOptions,
    /// How far it came.
    pub position: Position,
    pub weights: Weights,
    /// Adam's moments, one pair a tensor.
    pub moments: Vec<AdamMoments>,
    /// The best weights so far, where training stops early.
    pub best_weights: Option<Weights>,
}

impl Checkpoint {
    /// Refuses weights, best weights or moments of other shapes than `expected`, and values that are no finite numbers.
    pub(crate) fn check(&self, expected: &[(String, [usize; 2])]) -> Result<(), WeightsError> {
        self.weights.check(expected)?;
        self.best_weights.iter().try_for_each(|best| best.check(expected))?;
        for (at, (name, [rows, columns])) in expected.iter().enumerate() {
            let name = format!("moments of {name}");
            let AdamMoments { mean, square } = self.moments.get(at).ok_or_else(|| WeightsError::Missing {
                name: name.clone(),
                expected: "Adam has a pair of moments for every tensor".into(),
            })?;
            for values in [mean, square] {
                if values.len() != rows * columns {
                    let got = vec![values.len()];
                    return Err(WeightsError::Shape { name, got, expected: [*rows, *columns] });
                }
                check_finite(&name, *columns, values)?;
            }
        }
        Ok(())
    }
}
