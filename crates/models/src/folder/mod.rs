//! Model folders: everything a trained model is, in files other programs can read.
//!
//! | file | holds |
//! |---|---|
//! | `model.safetensors` | `user_embedding`, `item_embedding` and, for NGCF, `layer.{l}.w1`, `.b1`, `.w2`, `.b2` |
//! | `model.json` | the [`Manifest`]; written last, so a folder without it is not finished |
//! | `users.tsv`, `items.tsv` | row number, original id, title where known |
//! | `train.tsv`, `test.tsv` | interactions by original id |
//! | `valid.tsv` | the slice held out for early stopping, where there was one |
//! | `checkpoint.safetensors` | what `--resume` needs; not part of the model |
//! | `store.bin` | a large model as it lies in memory; not part of the model |

mod checkpoint;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod hash;
mod manifest;
mod store;
mod tables;
mod tensors;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use grease_graph::{Catalogue, Edge, Edges, Graph, Interactions, Watch, Words};

pub use checkpoint::{CHECKPOINT, load_checkpoint, rehearse_checkpoint, save_checkpoint};
pub use error::FolderError;
pub(crate) use hash::text as hash_text;
pub use hash::{hash_of_file, hash_of_lines, of as hash_of_bytes};
pub use manifest::{FORMAT, HyperParameters, Imported, Manifest, Readout};
pub use store::STORE;

use self::store::NotStored;
use crate::model::Model;
use crate::ranking::Ranking;
use crate::train::{EpochRecord, TrainOptions};
use crate::weights::{Tensor, Weights};

const MODEL: &str = "model.safetensors";
/// Its name in a model folder; written last.
pub const MANIFEST: &str = "model.json";
const USERS: &str = "users.tsv";
const ITEMS: &str = "items.tsv";
const TRAIN: &str = "train.tsv";
const TEST: &str = "test.tsv";
/// The name of the slice held out for early stopping, in a model folder.
pub const VALID: &str = "valid.tsv";

/// The data a model was trained on, by rows and by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// Names of the user rows.
    pub users: Catalogue,
    /// Names of the item rows.
    pub items: Catalogue,
    /// What the model learned from: its graph.
    pub train: Edges,
    /// What was held out to test it.
    pub test: Vec<Edge>,
    /// What was held out to stop training early.
    pub valid: Vec<Edge>,
    /// How to speak about it.
    pub words: Words,
}

impl Dataset {
    /// The hash explanations name the data by, as [`ModelFolder::data_hash`] says it of the files.
    pub fn hash(&self) -> String {
        let tables = [
            tables::catalogue_text(&self.users),
            tables::catalogue_text(&self.items),
            tables::edges_text(&self.users, &self.items, self.train.iter()),
        ];
        let hashes = tables.map(|table| hash::of(table.as_bytes()));
        hash_of_lines(hashes.iter().map(String::as_str))
    }
}

/// All of it is what a model learns from, but for a part that came held out.
impl From<&Interactions> for Dataset {
    fn from(interactions: &Interactions) -> Self {
        let Interactions { users, items, edges: train, given_test, words } = interactions.clone();
        Self {
            users,
            items,
            train: train.into(),
            test: given_test.unwrap_or_default(),
            valid: Vec::new(),
            words,
        }
    }
}

/// The training part, with what was held out to test it.
impl From<&Dataset> for Interactions {
    fn from(data: &Dataset) -> Self {
        let Dataset { users, items, train, test, words, .. } = data.clone();
        Self {
            users,
            items,
            edges: train.into_vec(),
            given_test: Some(test).filter(|test| !test.is_empty()),
            words,
        }
    }
}

/// How a model that was trained here came to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    /// What training was set to.
    pub options: TrainOptions,
    /// One record an epoch.
    pub log: Vec<EpochRecord>,
    /// Whether training came to its end.
    pub finished: bool,
    /// Quality at 20 on the test part.
    pub quality: Option<Ranking>,
}

/// A model folder in memory.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    /// What `model.json` says.
    pub manifest: Manifest,
    pub data: Dataset,
    pub model: Model,
}

impl ModelFolder {
    /// The hash explanations name the model by.
    pub fn model_hash(&self) -> &str {
        self.manifest.model_hash()
    }

    /// The hash explanations name the data by: that of the rows' names and the training interactions.
    pub fn data_hash(&self) -> String {
        self.manifest.data_hash()
    }

    /// What the folder's `model.json` says, and nothing else read.
    pub fn manifest(folder: &Path) -> Result<Manifest, FolderError> {
        Ok(read_manifest(folder)?.0)
    }

    /// Whether there is a finished model in `folder`.
    pub fn exists(folder: &Path) -> bool {
        folder.join(MANIFEST).exists()
    }

    /// Writes the folder of a model that was trained here. Every file appears whole or not at all, `model.json` last.
    pub fn save(
        folder: &Path,
        data: &Dataset,
        weights: &Weights,
        provenance: &Provenance,
    ) -> Result<Manifest, FolderError> {
        let hashes = write_files(folder, data, weights)?;
        let options = &provenance.options;
        let manifest = Manifest {
            hyper_parameters: Some(options.into()),
            seed: Some(options.seed),
            finished: provenance.finished,
            training_log: provenance.log.clone(),
            ..Manifest::untrained(&options.architecture(), data, provenance.quality, hashes)
        };
        write_manifest(folder, &manifest)?;
        Ok(manifest)
    }

    /// A model that was trained elsewhere, in memory, with the hashes its files would have.
    pub fn imported(
        data: Dataset,
        model: Model,
        imported: Imported,
        quality: Option<Ranking>,
    ) -> Result<Self, FolderError> {
        let mut hashes = BTreeMap::new();
        each_file(&data, model.weights(), |name, bytes| {
            hashes.insert(name.to_owned(), hash::of(bytes));
            Ok(())
        })?;
        let untrained = Manifest::untrained(&model.architecture(), &data, quality, hashes);
        Ok(Self { manifest: Manifest { imported: Some(imported), ..untrained }, data, model })
    }

    /// Writes it, whatever it came from. Every file appears whole or not at all, `model.json` last.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let hashes = write_files(folder, &self.data, self.model.weights())?;
        write_manifest(folder, &Manifest { hashes, ..self.manifest.clone() })
    }

    /// Reads a model folder, refusing what was changed, truncated or never finished.
    pub fn load(folder: &Path) -> Result<Self, FolderError> {
        Self::load_watched(folder, &())
    }

    /// The same. A large one takes long the first time: it is read, checked and [stored](STORE), where the folder can be written to,
    /// and from then on mapped.
    pub fn load_watched(folder: &Path, watch: &dyn Watch) -> Result<Self, FolderError> {
        Self::load_storing(folder, store::LARGE, watch)
    }

    /// The same, where models of so many interactions are large.
    fn load_storing(folder: &Path, large: usize, watch: &dyn Watch) -> Result<Self, FolderError> {
        let (manifest, text) = read_manifest(folder)?;
        if !store::is_worth_it(&manifest, large) {
            return Self::assemble(folder, &manifest, &|name| checked_bytes(folder, name, &manifest));
        }
        if let Some(stored) = store::read(folder, &manifest, &text) {
            return Ok(stored);
        }
        watch.begin("reading and checking the model's files", 0);
        let whole = Self::assemble(folder, &manifest, &|name| {
            watch.advance(0)?;
            checked_bytes(folder, name, &manifest)
        })?;
        match store::make(folder, &text, &whole, watch) {
            // What was read goes once there is something in its place.
            Ok(()) => Ok(store::read(folder, &manifest, &text).unwrap_or(whole)),
            Err(NotStored::Interrupted(interrupted)) => Err(interrupted.into()),
            Err(NotStored::Io) => Ok(whole),
        }
    }

    /// Whether [loading](Self::load) it takes long enough to be watched.
    pub fn is_slow(folder: &Path) -> bool {
        read_manifest(folder).is_ok_and(|(manifest, text)| {
            store::is_worth_it(&manifest, store::LARGE) && !store::fits(folder, &manifest, &text)
        })
    }

    /// Of its files, as `file` has them.
    fn assemble(
        folder: &Path,
        manifest: &Manifest,
        file: &dyn Fn(&str) -> Result<FileBytes, FolderError>,
    ) -> Result<Self, FolderError> {
        let users = {
            let (path, bytes) = file(USERS)?;
            tables::read_catalogue(&path, &bytes)?
        };
        let items = {
            let (path, bytes) = file(ITEMS)?;
            tables::read_catalogue(&path, &bytes)?
        };
        let edges = |name: &str| -> Result<Vec<Edge>, FolderError> {
            let (path, bytes) = file(name)?;
            tables::read_edges(&path, &bytes, &users, &items)
        };
        let (train, test) = (edges(TRAIN)?, edges(TEST)?);
        let valid = if manifest.hashes.contains_key(VALID) { edges(VALID)? } else { Vec::new() };
        let (users, items) = (users.finish(), items.finish());
        for (what, got, said) in [
            ("users", users.len(), manifest.users),
            ("items", items.len(), manifest.items),
            ("training interactions", train.len(), manifest.train_interactions),
        ] {
            if got != said {
                let reason = format!("it says {said} {what}, but there are {got}");
                return Err(FolderError::Manifest { file: folder.join(MANIFEST), reason });
            }
        }
        let graph = Graph::new(users.len(), items.len(), &train)
            .map_err(|error| FolderError::Manifest { file: folder.join(TRAIN), reason: error.to_string() })?;
        let graph = Arc::new(graph);
        // As a rule a file has them in the graph's order; whoever wrote another keeps it.
        let in_order = Edges::Of(Arc::clone(&graph));
        let train = if in_order.iter().eq(train.iter().copied()) { in_order } else { train.into() };
        let model = read_model(manifest, graph, file(MODEL)?)?;
        let (manifest, words) = (manifest.clone(), manifest.words.clone());
        Ok(Self { data: Dataset { users, items, train, test, valid, words }, model, manifest })
    }
}

/// Where a file is, and what is in it.
type FileBytes = (PathBuf, Vec<u8>);

/// Hands on the name and the bytes of every file but `model.json`, one after another.
fn each_file(
    data: &Dataset,
    weights: &Weights,
    mut then: impl FnMut(&str, &[u8]) -> Result<(), FolderError>,
) -> Result<(), FolderError> {
    then(USERS, tables::catalogue_text(&data.users).as_bytes())?;
    then(ITEMS, tables::catalogue_text(&data.items).as_bytes())?;
    let mut table = |name: &str, edges: &mut dyn Iterator<Item = Edge>| {
        then(name, tables::edges_text(&data.users, &data.items, edges).as_bytes())
    };
    table(TRAIN, &mut data.train.iter())?;
    table(TEST, &mut data.test.iter().copied())?;
    if !data.valid.is_empty() {
        table(VALID, &mut data.valid.iter().copied())?;
    }
    let tensors: Vec<&Tensor> = weights.0.iter().collect();
    let bytes = tensors::bytes(&tensors, None)
        .map_err(|reason| FolderError::Tensors { file: MODEL.into(), reason })?;
    then(MODEL, &bytes)
}

/// Writes every file but `model.json`. Returns their hashes.
fn write_files(
    folder: &Path,
    data: &Dataset,
    weights: &Weights,
) -> Result<BTreeMap<String, String>, FolderError> {
    std::fs::create_dir_all(folder).map_err(|error| FolderError::Io { file: folder.into(), error })?;
    store::discard(folder)?;
    let mut hashes = BTreeMap::new();
    each_file(data, weights, |name, bytes| {
        write_file(&folder.join(name), bytes)?;
        hashes.insert(name.to_owned(), hash::of(bytes));
        Ok(())
    })?;
    Ok(hashes)
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), FolderError> {
    let file = folder.join(MANIFEST);
    let mut text = serde_json::to_vec_pretty(manifest)
        .map_err(|error| FolderError::Manifest { file: file.clone(), reason: error.to_string() })?;
    text.push(b'\n');
    write_file(&file, &text)
}

fn write_file(file: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    grease_graph::atomic::write_atomically(file, |out| out.write_all(bytes))
        .map_err(|error| FolderError::Io { file: file.into(), error })
}

/// A file's bytes; `None` where there is none. A pipe is refused: it would be waited for for ever.
fn read_file(file: &Path) -> Result<Option<Vec<u8>>, FolderError> {
    let failed = |error| FolderError::Io { file: file.into(), error };
    match std::fs::metadata(file) {
        Ok(found) if found.is_file() => std::fs::read(file).map(Some).map_err(failed),
        Ok(found) => {
            let found = if found.is_dir() { "a folder" } else { "a pipe or a device" };
            Err(FolderError::NotAFile { file: file.into(), found })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// `model.json`, and its bytes.
fn read_manifest(folder: &Path) -> Result<(Manifest, Vec<u8>), FolderError> {
    let not_a_model = |reason: &str| FolderError::NotAModel { folder: folder.into(), reason: reason.into() };
    if !folder.exists() {
        return Err(not_a_model("there is no such folder; training with `out` makes one"));
    }
    if !folder.is_dir() {
        return Err(not_a_model("it is no folder; name the folder that holds model.json"));
    }
    let path = folder.join(MANIFEST);
    let Some(text) = read_file(&path)? else {
        return Err(not_a_model(if folder.join(CHECKPOINT).exists() {
            "training was interrupted before it was finished; go on with `resume`"
        } else {
            "it has no model.json; training with `out` makes one"
        }));
    };
    Ok((parse_manifest(&path, &text)?, text))
}

fn parse_manifest(path: &Path, text: &[u8]) -> Result<Manifest, FolderError> {
    let refused = |reason| FolderError::Manifest { file: path.into(), reason };
    let manifest: Manifest = serde_json::from_slice(text).map_err(|error| refused(error.to_string()))?;
    manifest.check().map_err(refused)?;
    Ok(manifest)
}

/// A file's bytes, if they are those the manifest speaks of.
fn checked_bytes(folder: &Path, name: &str, manifest: &Manifest) -> Result<FileBytes, FolderError> {
    let path = folder.join(name);
    let missing = || {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such file");
        FolderError::Io { file: path.clone(), error }
    };
    let bytes = read_file(&path)?.ok_or_else(missing)?;
    let expected = manifest.hashes.get(name).ok_or_else(|| FolderError::Manifest {
        file: folder.join(MANIFEST),
        reason: format!("it has no hash of {name}"),
    })?;
    let got = hash::of(&bytes);
    if got != *expected {
        return Err(FolderError::Hash { file: path, expected: expected.clone(), got });
    }
    Ok((path, bytes))
}

fn read_model(
    manifest: &Manifest,
    graph: Arc<Graph>,
    (path, bytes): FileBytes,
) -> Result<Model, FolderError> {
    let architecture = manifest.architecture();
    let file = tensors::Read::new(&path, &bytes)?;
    let expected = architecture.tensors(graph.users(), graph.items());
    let tensors: Result<Vec<Tensor>, FolderError> =
        expected.iter().map(|(name, shape)| file.tensor("", name, *shape)).collect();
    Model::new(architecture, graph, Weights(tensors?))
        .map_err(|error| FolderError::Weights { file: path.clone(), error })
}
