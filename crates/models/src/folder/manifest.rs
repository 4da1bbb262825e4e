//! `model.json`: what the model is, how it came to be, and what its files hash to.

use std::collections::BTreeMap;

use grease_graph::Words;
use serde::{Deserialize, Serialize};

use crate::architecture::{Architecture, Kind};
use crate::train::{EarlyStopping, EpochRecord, Loss, TrainOptions};

/// The format's name and version.
pub const FORMAT: &str = "grease.model/1";

/// How layers become an output embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Readout {
    /// Mean of layers 0..=L (LightGCN).
    Mean,
    /// Layers side by side, all but layer 0 normalised (NGCF).
    Concat,
}

/// The contents of `model.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// The version of GREASE that wrote it.
    pub grease: String,
    /// Which model.
    pub kind: Kind,
    /// Propagation layers.
    pub layers: usize,
    /// Width of a layer.
    pub dim: usize,
    /// How layers become an output embedding.
    pub readout: Readout,
    /// Rows of the users' table.
    pub users: usize,
    /// Rows of the items' table.
    pub items: usize,
    /// Interactions trained on.
    pub train_interactions: usize,
    /// Interactions held out.
    pub test_interactions: usize,
    /// What training was set to.
    pub hyper_parameters: HyperParameters,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether all epochs asked for were done (or training stopped early by its own rule); false after an interruption.
    pub finished: bool,
    /// One record an epoch.
    pub training_log: Vec<EpochRecord>,
    /// On the test part.
    #[serde(rename = "recall@20")]
    pub recall_at_20: Option<f64>,
    /// On the test part.
    #[serde(rename = "ndcg@20")]
    pub ndcg_at_20: Option<f64>,
    /// How to speak about the data.
    pub words: Words,
    /// SHA-256 of every other file.
    pub hashes: BTreeMap<String, String>,
}

/// What training was set to, without what stands beside it in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HyperParameters {
    /// What was minimised.
    pub loss: Loss,
    /// Epochs asked for.
    pub epochs: u64,
    /// Interactions a step.
    pub batch: usize,
    /// Adam's step size.
    pub learning_rate: f32,
    /// Penalty on the input rows of a batch.
    pub l2: f32,
    /// Share of values dropped in training; NGCF only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message_dropout: Option<f32>,
    /// When training stops by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub early_stopping: Option<EarlyStopping>,
}

impl From<&TrainOptions> for HyperParameters {
    fn from(options: &TrainOptions) -> Self {
        let &TrainOptions { loss, epochs, batch, learning_rate, l2, dropout, early_stopping, .. } = options;
        let message_dropout = (options.kind == Kind::Ngcf).then_some(dropout);
        Self { loss, epochs, batch, learning_rate, l2, message_dropout, early_stopping }
    }
}

impl Manifest {
    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        Architecture { kind: self.kind, layers: self.layers, dim: self.dim }
    }

    /// What training was set to, so that the same can be trained again.
    ///
    /// What the manifest does not hold changes nothing, but for how often a training that stops early looks at what it is stopped by:
    /// the first look stands in the log, and the others are as far apart.
    pub fn train_options(&self) -> TrainOptions {
        let HyperParameters { loss, epochs, batch, learning_rate, l2, message_dropout, early_stopping } =
            self.hyper_parameters;
        let first_look = self.training_log.iter().find(|record| record.recall.is_some());
        let usual = TrainOptions::default();
        TrainOptions {
            kind: self.kind,
            layers: self.layers,
            dim: self.dim,
            loss,
            epochs,
            batch,
            learning_rate,
            l2,
            dropout: message_dropout.unwrap_or(usual.dropout),
            seed: self.seed,
            evaluate_every: first_look.map_or(0, |record| record.epoch),
            early_stopping,
        }
    }

    /// Says what is wrong with it, if anything is, before anything of the sizes it names is allocated.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("format is `{}`; this version reads `{FORMAT}`", self.format));
        }
        let readout = Readout::of(self.kind);
        if self.readout != readout {
            return Err(format!("a {} model with readout {:?} is not supported", self.kind, self.readout));
        }
        if self.dim == 0 || self.dim > 4096 || self.layers > 16 {
            return Err(format!(
                "dim {} with {} layers is out of range (dim 1 to 4096, at most 16 layers)",
                self.dim, self.layers
            ));
        }
        Ok(())
    }
}

impl Readout {
    pub(super) fn of(kind: Kind) -> Self {
        match kind {
            Kind::LightGcn => Readout::Mean,
            Kind::Ngcf => Readout::Concat,
        }
    }
}
