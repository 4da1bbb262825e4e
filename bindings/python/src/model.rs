//! Models of ours: trained here, or read from a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use grease::models::folder::ModelFolder;
use grease::models::import::{NamedTensors, read_weights};
use grease::models::train::{BatchProgress, EarlyStopping, EpochRecord, Loss, Observer, TrainOptions};
use grease::{Device, ImportRequest, ImportSource, Opened, TrainRequest, prepare, save_import};
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::background::{self, Signals};
use crate::errors::Failure;
use crate::interactions::Interactions;

/// A model with its data.
#[pyclass(frozen, module = "grease._native")]
pub(crate) struct Model {
    pub(crate) folder: Arc<ModelFolder>,
    /// Where it is on the disk, and with it what was measured on it.
    pub(crate) place: Option<PathBuf>,
    /// The device it was trained on, where that was just now.
    trained_on: Option<String>,
}

/// What training may be told; all else is as `grease train` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Training {
    kind: String,
    loss: String,
    dim: Option<usize>,
    layers: Option<usize>,
    epochs: Option<u64>,
    batch: Option<usize>,
    learning_rate: Option<f32>,
    l2: Option<f32>,
    dropout: Option<f32>,
    seed: Option<u64>,
    early_stopping: Option<u64>,
    train_share: Option<f64>,
}

impl Training {
    fn options(&self) -> Result<TrainOptions, Failure> {
        let usual = TrainOptions::default();
        let early_stopping = self.early_stopping.map(|patience| EarlyStopping { share: HELD_OUT, patience });
        Ok(TrainOptions {
            kind: self.kind.parse().map_err(Failure::usage)?,
            loss: self.loss.parse::<Loss>().map_err(Failure::usage)?,
            dim: self.dim.unwrap_or(usual.dim),
            layers: self.layers.unwrap_or(usual.layers),
            epochs: self.epochs.unwrap_or(usual.epochs),
            batch: self.batch.unwrap_or(usual.batch),
            learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
            l2: self.l2.unwrap_or(usual.l2),
            dropout: self.dropout.unwrap_or(usual.dropout),
            seed: self.seed.unwrap_or(usual.seed),
            evaluate_every: LOOKS_EVERY,
            early_stopping,
        })
    }
}

/// Epochs between two looks at recall@20, as the command line has it.
const LOOKS_EVERY: u64 = 10;

/// The share of each user's training interactions that early stopping holds out, as the command line has it.
const HELD_OUT: f64 = 0.1;

/// Passes on how far training is.
struct Watching<'s> {
    signals: &'s Signals,
    epochs: usize,
}

impl Observer for Watching<'_> {
    fn batch_done(&mut self, _: BatchProgress) {}

    fn epoch_done(&mut self, _: &EpochRecord) {
        self.epochs += 1;
        self.signals.progress(self.epochs);
    }

    fn cancelled(&mut self) -> bool {
        self.signals.cancelled()
    }
}

/// What tells the model in a folder from another: its weights and its data. Only `model.json` is read.
#[pyfunction]
pub(crate) fn model_hash(folder: PathBuf) -> PyResult<String> {
    Ok(ModelFolder::manifest(&folder).map_err(Failure::from)?.identity())
}

#[pymethods]
impl Model {
    /// Trains a model. Without `out` it is kept in memory alone.
    #[staticmethod]
    #[pyo3(signature = (interactions, options, out, force, device, tell))]
    #[allow(clippy::too_many_arguments, reason = "called from one place, in Python, which has the names")]
    fn train(
        py: Python<'_>,
        interactions: &Interactions,
        options: &str,
        out: Option<PathBuf>,
        force: bool,
        device: &str,
        tell: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let training: Training = serde_json::from_str(options).map_err(Failure::from)?;
        let options = training.options()?;
        let device: Device = device.parse().map_err(Failure::usage)?;
        let data = Arc::clone(&interactions.data);
        let signals = Signals::default();
        signals.expect(options.epochs as usize);
        let (folder, device) = background::run(py, &signals, tell, || {
            let device = Opened::to_train(device, options.kind)?;
            // A model is trained into a folder; nobody needs this one once it is read.
            let temporary = tempfile::tempdir()?;
            let path = out.clone().unwrap_or_else(|| temporary.path().join("model"));
            let share = training.train_share.unwrap_or(0.8);
            let data = prepare(&data, share, options.seed, options.early_stopping);
            let request = TrainRequest { force, ..TrainRequest::new(data, options, &path) };
            let mut watching = Watching { signals: &signals, epochs: 0 };
            let (folder, report) = request.run_on(&device, &mut watching)?;
            if signals.cancelled() { Err(Failure::Interrupted) } else { Ok((folder, report.device)) }
        })?;
        Ok(Self { folder: Arc::new(folder), place: out, trained_on: Some(device) })
    }

    /// From weights that were trained elsewhere, by the names their program gives them: arrays, or files of them.
    #[staticmethod]
    #[pyo3(signature = (kind, tensors, files, interactions, ids, layers, layout, out, force))]
    #[allow(clippy::too_many_arguments, reason = "called from one place, in Python, which has the names")]
    fn from_weights(
        py: Python<'_>,
        kind: &str,
        tensors: Vec<(String, PyReadonlyArrayDyn<'_, f32>)>,
        files: Vec<PathBuf>,
        interactions: &Interactions,
        ids: (Option<Vec<String>>, Option<Vec<String>>),
        layers: Option<usize>,
        layout: Option<&str>,
        out: Option<PathBuf>,
        force: bool,
    ) -> PyResult<Self> {
        let kind = kind.parse().map_err(Failure::usage)?;
        let layout = layout.map(|name| name.parse().map_err(Failure::usage)).transpose()?;
        let mut named = NamedTensors::new();
        for (name, tensor) in &tensors {
            named.insert(name, tensor.shape(), tensor.as_slice()?.to_vec()).map_err(Failure::from)?;
        }
        let data = Arc::clone(&interactions.data);
        let place = out.clone();
        let folder = py.detach(move || -> Result<ModelFolder, Failure> {
            let mut origin = Vec::new();
            if !files.is_empty() {
                let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
                (named, origin) = read_weights(&paths)?;
            }
            let source = ImportSource::Network { kind, tensors: named, layout, layers };
            let request = ImportRequest::new(source, &data);
            let (user_ids, item_ids) = ids;
            let folder = ImportRequest { files: origin, user_ids, item_ids, ..request }.build()?;
            if let Some(out) = &out {
                save_import(&folder, out, force)?;
            }
            Ok(folder)
        })?;
        Ok(Self { folder: Arc::new(folder), place, trained_on: None })
    }

    /// Reads a model folder.
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let signals = Signals::default();
        let load = || ModelFolder::load_watched(&folder, &signals).map_err(Failure::from);
        let model = background::run(py, &signals, None, load)?;
        Ok(Self { folder: Arc::new(model), place: Some(folder), trained_on: None })
    }

    /// The device it was trained on, and why not another; nothing of one that was read.
    fn trained_on(&self) -> Option<String> {
        self.trained_on.clone()
    }

    /// What `model.json` says.
    fn manifest(&self) -> PyResult<String> {
        Ok(serde_json::to_string(&self.folder.manifest).map_err(Failure::from)?)
    }

    /// The data, of which only the training part is the model's graph.
    fn interactions(&self) -> Interactions {
        Interactions { data: Arc::new((&self.folder.data).into()) }
    }
}
