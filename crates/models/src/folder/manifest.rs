//! `model.json`: what the model is, how it came to be, and what its files hash to.

use std::collections::BTreeMap;

use grease_graph::Words;
use serde::{Deserialize, Serialize};

use crate::architecture::{Architecture, Kind, Variant};
use crate::folder::{Dataset, ITEMS, MODEL, TRAIN, USERS, hash_of_lines};
use crate::ranking::Ranking;
use crate::train::{EarlyStopping, EpochRecord, Loss, TrainOptions};

/// The format's name and version.
pub const FORMAT: &str = "grease.model/1";

/// How layers become an output embedding, or embeddings a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Readout {
    /// Mean of layers 0..=L (LightGCN).
    Mean,
    /// Layers side by side, all but layer 0 normalised (NGCF).
    Concat,
    /// A score is the dot product of embeddings as they were given (frozen).
    Dot,
    /// A score is the cosine of embeddings as they were given (frozen).
    Cosine,
}

/// Where an imported model came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The layout its tensors were recognised by.
    pub layout: String,
    /// Names of the files of weights, without their folders; none where they came from memory.
    pub from: Vec<String>,
    /// SHA-256 of the weights as they came: one of the files' hashes, or one of the tensors where there were no files.
    pub weights: String,
}

/// The contents of `model.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// The version of GREASE that wrote it.
    pub grease: String,
    pub kind: Kind,
    pub layers: usize,
    /// Width of a layer.
    pub dim: usize,
    /// How layers become an output embedding.
    pub readout: Readout,
    /// Whether layers are normalised before they go on to the next, as RecBole's NGCF does. Not so where it is absent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub normalised_layers: bool,
    /// Rows of the users' table.
    pub users: usize,
    /// Rows of the items' table.
    pub items: usize,
    pub train_interactions: usize,
    pub test_interactions: usize,
    /// What training was set to; absent from an imported model, which was trained elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hyper_parameters: Option<HyperParameters>,
    /// The seed of everything random; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Where an imported model came from; absent from one that was trained here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
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
    pub loss: Loss,
    pub epochs: u64,
    pub batch: usize,
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
    /// The hash of the weights.
    pub fn model_hash(&self) -> &str {
        self.hash_of(MODEL)
    }

    /// The hash of the rows' names and the training interactions.
    pub fn data_hash(&self) -> String {
        hash_of_lines([USERS, ITEMS, TRAIN].map(|file| self.hash_of(file)))
    }

    /// What tells the model from another in a word: a hash of both.
    pub fn identity(&self) -> String {
        hash_of_lines([self.model_hash(), &self.data_hash()])
    }

    fn hash_of(&self, file: &str) -> &str {
        self.hashes.get(file).map_or("", String::as_str)
    }

    /// What there is to say of a model apart from where it came from.
    pub(super) fn untrained(
        architecture: &Architecture,
        data: &Dataset,
        quality: Option<Ranking>,
        hashes: BTreeMap<String, String>,
    ) -> Self {
        Self {
            format: FORMAT.into(),
            grease: env!("CARGO_PKG_VERSION").into(),
            kind: architecture.kind,
            layers: architecture.layers,
            dim: architecture.dim,
            readout: Readout::of(architecture),
            normalised_layers: architecture.variant == Variant::NormalisedLayers,
            users: data.users.len(),
            items: data.items.len(),
            train_interactions: data.train.len(),
            test_interactions: data.test.len(),
            hyper_parameters: None,
            seed: None,
            imported: None,
            finished: true,
            training_log: Vec::new(),
            recall_at_20: quality.map(|q| q.recall),
            ndcg_at_20: quality.map(|q| q.ndcg),
            words: data.words.clone(),
            hashes,
        }
    }

    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        let variant = match self.readout {
            Readout::Cosine => Variant::Cosine,
            _ if self.normalised_layers => Variant::NormalisedLayers,
            _ => Variant::Usual,
        };
        Architecture { variant, ..Architecture::new(self.kind, self.layers, self.dim) }
    }

    /// What training was set to, so that the same can be trained again; `None` where it was trained elsewhere.
    ///
    /// What the manifest does not hold changes nothing, but for how often a training that stops early looks at what it is stopped by:
    /// the first look stands in the log, and the others are as far apart.
    pub fn train_options(&self) -> Option<TrainOptions> {
        let HyperParameters { loss, epochs, batch, learning_rate, l2, message_dropout, early_stopping } =
            self.hyper_parameters?;
        let first_look = self.training_log.iter().find(|record| record.recall.is_some());
        let usual = TrainOptions::default();
        Some(TrainOptions {
            kind: self.kind,
            layers: self.layers,
            dim: self.dim,
            loss,
            epochs,
            batch,
            learning_rate,
            l2,
            dropout: message_dropout.unwrap_or(usual.dropout),
            seed: self.seed?,
            evaluate_every: first_look.map_or(0, |record| record.epoch),
            early_stopping,
        })
    }

    /// Says what is wrong with it, if anything is, before anything of the sizes it names is allocated.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("format is `{}`; this version reads `{FORMAT}`", self.format));
        }
        if self.readout != Readout::of(&self.architecture()) {
            return Err(format!("a {} model with readout {:?} is not supported", self.kind, self.readout));
        }
        if self.normalised_layers && self.kind != Kind::Ngcf {
            return Err(format!("a {} model with normalised layers is not supported", self.kind));
        }
        if self.kind == Kind::Frozen && self.layers > 0 {
            return Err("frozen embeddings have no layers".into());
        }
        let trained_here = self.hyper_parameters.is_some() && self.seed.is_some();
        if trained_here == self.imported.is_some() {
            return Err("expected either `hyper_parameters` and `seed`, of a training, or `imported`".into());
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
    pub(super) fn of(architecture: &Architecture) -> Self {
        match architecture.kind {
            Kind::LightGcn => Readout::Mean,
            Kind::Ngcf => Readout::Concat,
            Kind::Frozen if architecture.variant == Variant::Cosine => Readout::Cosine,
            Kind::Frozen => Readout::Dot,
        }
    }
}
