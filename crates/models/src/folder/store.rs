//! `store.bin`: a large model as it lies in memory, beside the files it was read from. Made when these were read and checked; from then
//! on it is mapped instead, and they are not read again. Never needed: without it, or where it does not fit, they are read.
//!
//! Whether it fits is seen by `model.json`, which is hashed each time, and by size and times of the other files: who changes, copies or
//! unpacks one gives it other times, and has it checked again.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::path::Path;
use std::sync::Arc;

use grease_graph::atomic::write_atomically;
use grease_graph::{Catalogue, CatalogueParts, Edge, Edges, Graph, Interrupted, Recommender as _, Watch};
use grease_kernels::{Csr, Mapped};
use serde::{Deserialize, Serialize};

use super::manifest::Manifest;
use super::tensors::Read;
use super::{Dataset, FolderError, MODEL, ModelFolder, hash_of_bytes};
use crate::model::Model;
use crate::stored::{POSSIBLE, Parts, Stored};
use crate::weights::Weights;

/// Its name in a model folder.
pub const STORE: &str = "store.bin";

/// Models of fewer interactions are read in no time.
pub(super) const LARGE: usize = 1 << 22;

/// Which files a store was made of, and by whom: what is worked out may differ between versions.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Origin {
    grease: String,
    /// SHA-256 of `model.json`, which has the hashes of the others.
    manifest: String,
    files: BTreeMap<String, Stamp>,
}

/// What one sees of a file without reading it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    /// Where it is on its disk, and when it and what is known of it were last changed; as far as the system says.
    marks: Vec<i64>,
}

/// Why there is no store. Nobody needs one.
pub(super) enum NotStored {
    Io,
    Interrupted(Interrupted),
}

impl From<std::io::Error> for NotStored {
    fn from(_: std::io::Error) -> Self {
        Self::Io
    }
}

impl From<Interrupted> for NotStored {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

/// Whether a model is so large that it is worth one.
pub(super) fn is_worth_it(manifest: &Manifest, large: usize) -> bool {
    POSSIBLE && manifest.train_interactions >= large
}

impl Origin {
    /// Of the files as they are now.
    fn now(folder: &Path, manifest: &Manifest, text: &[u8]) -> std::io::Result<Self> {
        let stamp = |name: &String| Ok((name.clone(), Stamp::of(&std::fs::metadata(folder.join(name))?)));
        Ok(Self {
            grease: env!("CARGO_PKG_VERSION").into(),
            manifest: hash_of_bytes(text),
            files: manifest.hashes.keys().map(stamp).collect::<std::io::Result<_>>()?,
        })
    }
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self { bytes: found.len(), marks: marks(found) }
    }
}

#[cfg(unix)]
fn marks(found: &Metadata) -> Vec<i64> {
    use std::os::unix::fs::MetadataExt as _;
    let inode = found.ino().cast_signed();
    vec![inode, found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()]
}

#[cfg(not(unix))]
fn marks(found: &Metadata) -> Vec<i64> {
    let since = |time: std::io::Result<std::time::SystemTime>| {
        let since = time.ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok()
    };
    [found.modified(), found.created()].into_iter().filter_map(since).collect()
}

/// Sides of the graph, and whose names they are.
const SIDES: [&str; 2] = ["users", "items"];

/// Makes the store of a folder that was just read.
pub(super) fn make(
    folder: &Path,
    text: &[u8],
    read: &ModelFolder,
    watch: &dyn Watch,
) -> Result<(), NotStored> {
    let origin = Origin::now(folder, &read.manifest, text)?;
    let mut parts = Parts::default();
    let graph = read.model.graph();
    for (side, pattern) in SIDES.into_iter().zip([graph.by_user(), graph.by_item()]) {
        parts.put(format!("{side}.offsets"), pattern.offsets());
        parts.put(format!("{side}.neighbours"), pattern.indices());
    }
    for (side, names) in SIDES.into_iter().zip([&read.data.users, &read.data.items]) {
        put_names(side, names, &mut parts);
    }
    for (name, edges) in [("test", &read.data.test), ("valid", &read.data.valid)] {
        let pairs: Vec<[u32; 2]> = edges.iter().map(|edge| [edge.user.0, edge.item.0]).collect();
        parts.put_own(name, &pairs);
    }
    watch.begin("working out what a model needs before its first answer", 0);
    watch.advance(0)?;
    if let Model::LightGcn(model) = &read.model {
        model.put(&mut parts);
    }
    watch.begin("storing the model as it lies in memory", parts.bytes() as u64);
    write_atomically(&folder.join(STORE), |out| {
        parts.write(&origin, out, &mut |bytes| Ok(watch.advance(bytes as u64)?))
    })
}

fn put_names(side: &str, names: &Catalogue, parts: &mut Parts<'_>) {
    let CatalogueParts { ids, id_ends, titles, title_ends, by_id } = names.parts();
    parts.put_own(format!("{side}.ids"), &ids);
    parts.put_own(format!("{side}.ids.ends"), &id_ends);
    parts.put_own(format!("{side}.titles"), &titles);
    parts.put_own(format!("{side}.titles.ends"), &title_ends);
    parts.put_own(format!("{side}.by_id"), &by_id);
}

/// Removes that of a model which is about to be written over.
pub(super) fn discard(folder: &Path) -> Result<(), FolderError> {
    let file = folder.join(STORE);
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(FolderError::Io { file, error }),
        _ => Ok(()),
    }
}

/// Whether there is a store of the files that are there.
pub(super) fn fits(folder: &Path, manifest: &Manifest, text: &[u8]) -> bool {
    open(folder, manifest, text).is_some()
}

fn open(folder: &Path, manifest: &Manifest, text: &[u8]) -> Option<Stored> {
    let (origin, stored) = Stored::open::<Origin>(&folder.join(STORE))?;
    (origin == Origin::now(folder, manifest, text).ok()?).then_some(stored)
}

/// The folder as its store has it; none where there is none, or it is not of the files that are there.
pub(super) fn read(folder: &Path, manifest: &Manifest, text: &[u8]) -> Option<ModelFolder> {
    let stored = open(folder, manifest, text)?;
    let [users, items] = SIDES.map(|side| names(side, &stored));
    let (users, items) = (users?, items?);
    let side = |side: &str, cols| {
        let part = |what: &str| format!("{side}.{what}");
        let offsets = stored.part::<usize>(&part("offsets"))?;
        Csr::new(cols, offsets, stored.part::<u32>(&part("neighbours"))?).ok()
    };
    let graph = Graph::of_sides(side("users", items.len())?, side("items", users.len())?)?;
    let is_as_said = (graph.users(), graph.items(), graph.len())
        == (manifest.users, manifest.items, manifest.train_interactions)
        && (graph.users(), graph.items()) == (users.len(), items.len());
    let graph = is_as_said.then(|| Arc::new(graph))?;
    let edges = |name: &str| -> Option<Vec<Edge>> {
        let edge = |&[user, item]: &[u32; 2]| {
            let is_there = (user as usize) < users.len() && (item as usize) < items.len();
            is_there.then(|| Edge::new(user, item))
        };
        stored.part::<[u32; 2]>(name)?.iter().map(edge).collect()
    };
    let (test, valid) = (edges("test")?, edges("valid")?);
    let weights = weights(folder, manifest)?;
    let model = Model::stored(manifest.architecture(), Arc::clone(&graph), weights, &stored)?;
    // All of it was looked at once.
    stored.let_go();
    let (manifest, words) = (manifest.clone(), manifest.words.clone());
    let data = Dataset { users, items, train: Edges::Of(graph), test, valid, words };
    Some(ModelFolder { manifest, data, model })
}

fn names(side: &str, stored: &Stored) -> Option<Catalogue> {
    Catalogue::of_parts(CatalogueParts {
        ids: stored.part(&format!("{side}.ids"))?,
        id_ends: stored.part(&format!("{side}.ids.ends"))?,
        titles: stored.part(&format!("{side}.titles"))?,
        title_ends: stored.part(&format!("{side}.titles.ends"))?,
        by_id: stored.part(&format!("{side}.by_id"))?,
    })
}

/// The tensors as their file has them, mapped.
fn weights(folder: &Path, manifest: &Manifest) -> Option<Weights> {
    let path = folder.join(MODEL);
    let map = Mapped::open(&File::open(&path).ok()?).ok()?;
    let file = Read::new(&path, map.bytes()).ok()?;
    let expected = manifest.architecture().tensors(manifest.users, manifest.items);
    let tensors = expected.iter().map(|(name, shape)| file.mapped(name, *shape, &map).ok());
    Some(Weights(tensors.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests;
