//! What training is set to.

use grease_graph::Field;
use serde::{Deserialize, Serialize};

use crate::architecture::{Architecture, Kind};
use crate::train::objective::Loss;

/// Everything that decides what training does; same options, data and seed, same weights to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainOptions {
    pub kind: Kind,
    pub layers: usize,
    /// Width of a layer.
    pub dim: usize,
    pub loss: Loss,
    /// Passes over the training interactions.
    pub epochs: u64,
    pub batch: usize,
    pub learning_rate: f32,
    /// Penalty on the input rows of a batch.
    pub l2: f32,
    /// Share of values dropped in NGCF's layers during training.
    pub dropout: f32,
    /// Decides initial weights, order, negatives and dropout.
    pub seed: u64,
    /// Epochs between two evaluations; 0 evaluates only at the end.
    pub evaluate_every: u64,
    /// Stop when a held-out slice no longer improves.
    pub early_stopping: Option<EarlyStopping>,
}

/// Stop when recall@20 on a held-out slice of the training data has not improved for a while, and keep the best weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlyStopping {
    /// Share of each user's training interactions held out.
    pub share: f64,
    /// Evaluations without improvement before stopping.
    pub patience: u64,
}

impl Default for TrainOptions {
    /// The paper's: LightGCN, 3 layers of 64, binary cross-entropy, Adam at 0.001.
    fn default() -> Self {
        Self {
            kind: Kind::LightGcn,
            layers: 3,
            dim: 64,
            loss: Loss::Bce,
            epochs: 200,
            batch: 4096,
            learning_rate: 1e-3,
            l2: 1e-4,
            dropout: 0.1,
            seed: 1,
            evaluate_every: 10,
            early_stopping: None,
        }
    }
}

impl TrainOptions {
    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        Architecture::new(self.kind, self.layers, self.dim)
    }

    /// Says what is wrong with the options, if anything is.
    pub fn check(&self) -> Result<(), String> {
        let finite = |name: &str, value: f32, least: f32| {
            (value.is_finite() && value >= least)
                .then_some(())
                .ok_or(format!("{name} must be a number of at least {least}, not {value}"))
        };
        let within = |name: &str, value: usize, most: usize| {
            (1..=most)
                .contains(&value)
                .then_some(())
                .ok_or(format!("{name} must be from 1 to {most}, not {value}"))
        };
        if self.kind == Kind::Frozen {
            return Err("a frozen model is embeddings that were made elsewhere and cannot be trained; \
                        train `lightgcn` or `ngcf`, or bring embeddings with `grease import frozen`"
                .into());
        }
        within("the dimension", self.dim, 4096)?;
        within("the batch", self.batch, 1 << 24)?;
        if self.layers > 16 {
            return Err(format!("at most 16 layers are supported, not {}", self.layers));
        }
        if !(self.learning_rate.is_finite() && self.learning_rate > 0.0) {
            return Err(format!("the learning rate must be a number above 0, not {}", self.learning_rate));
        }
        finite("the L2 penalty", self.l2, 0.0)?;
        if !(0.0..1.0).contains(&self.dropout) {
            return Err(format!("dropout must be from 0 to less than 1, not {}", self.dropout));
        }
        if let Some(EarlyStopping { share, patience }) = self.early_stopping {
            if !(share > 0.0 && share < 1.0) {
                return Err(format!("the held-out share must be between 0 and 1, not {share}"));
            }
            if patience == 0 || self.evaluate_every == 0 {
                return Err("early stopping needs a patience and an evaluation interval of at least 1".into());
            }
        }
        Ok(())
    }

    /// The first option that differs from `other` in what it does to the weights; the number of epochs may grow, and how
    /// often one looks changes nothing unless training stops by what it sees.
    pub(crate) fn differs_from(&self, other: &Self) -> Option<Field> {
        let checks = [
            (Field::Kind, self.kind == other.kind),
            (Field::Layers, self.layers == other.layers),
            (Field::Dim, self.dim == other.dim),
            (Field::Loss, self.loss == other.loss),
            (Field::Batch, self.batch == other.batch),
            (Field::LearningRate, self.learning_rate == other.learning_rate),
            (Field::L2, self.l2 == other.l2),
            (Field::Dropout, self.dropout == other.dropout || self.kind == Kind::LightGcn),
            (Field::Seed, self.seed == other.seed),
            (Field::EarlyStopping, self.early_stopping == other.early_stopping),
            (
                Field::EvaluateEvery,
                self.evaluate_every == other.evaluate_every || self.early_stopping.is_none(),
            ),
        ];
        checks.into_iter().find(|(_, same)| !same).map(|(field, _)| field)
    }
}
