//! Checkpoints on disk: one safetensors file with weights, moments and, as text, where training stands.

use std::path::Path;

use grease_graph::Graph;
use grease_kernels::AdamMoments;
use serde::{Deserialize, Serialize};

use crate::folder::error::FolderError;
use crate::folder::{hash, tensors};
use crate::train::{Checkpoint, Position, TrainOptions};
use crate::weights::{Tensor, Weights};

/// The checkpoint's name in a model folder.
pub const CHECKPOINT: &str = "checkpoint.safetensors";

/// The key of the text beside the tensors, which has a hash of all before it.
const STATE: &str = "grease.checkpoint/2";
/// The key in files of earlier versions, which have none.
const STATE_1: &str = "grease.checkpoint/1";

/// Where each kind of tensor stands in the file.
const MEAN: &str = "adam.mean.";
const SQUARE: &str = "adam.square.";
const BEST: &str = "best.";

#[derive(Serialize, Deserialize)]
struct State {
    options: TrainOptions,
    position: Position,
    /// Hash of the graph's edges: a checkpoint belongs to its data.
    graph: String,
}

/// Writes a checkpoint into a model folder, atomically.
pub fn save_checkpoint(folder: &Path, graph: &Graph, checkpoint: &Checkpoint) -> Result<(), FolderError> {
    std::fs::create_dir_all(folder).map_err(|error| FolderError::Io { file: folder.into(), error })?;
    let file = folder.join(CHECKPOINT);
    super::write_file(&file, &bytes_of(&file, graph, checkpoint)?)
}

/// Finds out whether a checkpoint could be saved: there may be no leave to write, or no room.
pub fn rehearse_checkpoint(folder: &Path, graph: &Graph, checkpoint: &Checkpoint) -> Result<(), FolderError> {
    let file = folder.join(CHECKPOINT);
    let bytes = bytes_of(&file, graph, checkpoint)?;
    grease_graph::atomic::rehearse(folder, &bytes).map_err(|error| FolderError::Io { file, error })
}

fn bytes_of(file: &Path, graph: &Graph, checkpoint: &Checkpoint) -> Result<Vec<u8>, FolderError> {
    let failed = |reason| FolderError::Tensors { file: file.into(), reason };
    let state = State {
        options: checkpoint.options,
        position: checkpoint.position.clone(),
        graph: graph_hash(graph),
    };
    let text = serde_json::to_string(&state).map_err(|error| failed(error.to_string()))?;
    let renamed = |prefix: &str, tensor: &Tensor, data: &[f32]| Tensor {
        name: format!("{prefix}{}", tensor.name),
        shape: tensor.shape,
        data: data.to_vec().into(),
    };
    let mut owned = Vec::new();
    for (tensor, moments) in checkpoint.weights.0.iter().zip(&checkpoint.moments) {
        owned.push(renamed(MEAN, tensor, &moments.mean));
        owned.push(renamed(SQUARE, tensor, &moments.square));
    }
    if let Some(best) = &checkpoint.best_weights {
        owned.extend(best.0.iter().map(|t| renamed(BEST, t, &t.data)));
    }
    let all: Vec<&Tensor> = checkpoint.weights.0.iter().chain(&owned).collect();
    tensors::bytes(&all, Some((STATE, text))).map_err(failed)
}

/// Reads the checkpoint of a model folder; `None` if there is none. One of other data is refused.
pub fn load_checkpoint(folder: &Path, graph: &Graph) -> Result<Option<Checkpoint>, FolderError> {
    let path = folder.join(CHECKPOINT);
    let bytes = super::read_file(&path)?;
    bytes.map(|bytes| parse(&path, &bytes, graph)).transpose()
}

pub(super) fn parse(path: &Path, bytes: &[u8], graph: &Graph) -> Result<Checkpoint, FolderError> {
    let file = tensors::Read::new(path, bytes)?;
    let fail = |reason: String| FolderError::Tensors { file: path.into(), reason };
    let text = match (file.sealed(STATE), file.text(STATE_1)) {
        (Some(text), _) => text?,
        (None, Some(text)) => text,
        (None, None) => return Err(fail("it is no checkpoint of this version".into())),
    };
    let State { options, position, graph: of } =
        serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
    if of != graph_hash(graph) {
        return Err(FolderError::OtherData { file: path.to_owned() });
    }
    let expected = options.architecture().tensors(graph.users(), graph.items());
    let read = |prefix: &str| -> Result<Vec<Tensor>, FolderError> {
        expected.iter().map(|(name, shape)| file.tensor(prefix, name, *shape)).collect()
    };
    let weights = Weights(read("")?);
    let moments = read(MEAN)?
        .into_iter()
        .zip(read(SQUARE)?)
        .map(|(m, s)| AdamMoments { mean: m.data.into_vec(), square: s.data.into_vec() })
        .collect();
    let has_best = file.has(&format!("{BEST}{}", expected[0].0));
    let best_weights = if has_best { Some(Weights(read(BEST)?)) } else { None };
    Ok(Checkpoint { options, position, weights, moments, best_weights })
}

fn graph_hash(graph: &Graph) -> String {
    let mut bytes = Vec::with_capacity(8 * (graph.len() + 1));
    bytes.extend((graph.users() as u32).to_le_bytes());
    bytes.extend((graph.items() as u32).to_le_bytes());
    for edge in graph.edges() {
        bytes.extend(edge.user.0.to_le_bytes());
        bytes.extend(edge.item.0.to_le_bytes());
    }
    hash::of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::EpochRecord;

    fn graph() -> Graph {
        let edges: Vec<_> = (0..12).map(|k| grease_graph::Edge::new(k % 4, k % 5)).collect();
        Graph::new(4, 5, &edges).unwrap()
    }

    /// Somewhere on the way, with a value that has no short decimal form.
    fn checkpoint(graph: &Graph, value: f64) -> Checkpoint {
        let options = TrainOptions { kind: crate::Kind::Ngcf, dim: 3, layers: 1, ..TrainOptions::default() };
        let weights = options.architecture().initial_weights(graph, 1);
        let record = EpochRecord { epoch: 1, loss: value, recall: Some(value / 7.0), ndcg: None };
        Checkpoint {
            options,
            position: Position {
                epoch: 1,
                batch: 2,
                step: 9,
                loss_sum: value * 3.0,
                log: vec![record],
                best: Some((1, value / 11.0)),
                stale: 1,
            },
            weights: weights.clone(),
            moments: weights.0.iter().map(|t| AdamMoments::new(t.data.len())).collect(),
            best_weights: Some(weights),
        }
    }

    #[test]
    fn what_is_read_back_is_what_was_saved_to_the_last_bit() {
        let (folder, graph) = (tempfile::tempdir().unwrap(), graph());
        for k in 1..60u32 {
            // Sums of thirds have no short decimal form.
            let checkpoint = checkpoint(&graph, (0..k).map(|i| 1.0 / f64::from(3 + i)).sum());
            save_checkpoint(folder.path(), &graph, &checkpoint).unwrap();
            assert_eq!(load_checkpoint(folder.path(), &graph).unwrap().as_ref(), Some(&checkpoint));
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let (folder, graph) = (tempfile::tempdir().unwrap(), graph());
        let (path, whole) = (folder.path().join(CHECKPOINT), checkpoint(&graph, 0.3));
        save_checkpoint(folder.path(), &graph, &whole).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mut unnoticed = 0;
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            // White space may stand in for other white space.
            if let Ok(read) = load_checkpoint(folder.path(), &graph) {
                assert_eq!(read.as_ref(), Some(&whole), "byte {at}");
                unnoticed += 1;
            }
        }
        assert!(unnoticed < 8, "{unnoticed}");
        let mut changed = bytes;
        *changed.last_mut().unwrap() ^= 1;
        std::fs::write(&path, &changed).unwrap();
        let error = load_checkpoint(folder.path(), &graph).unwrap_err().to_string();
        assert!(error.contains("checkpoint.safetensors: it was changed after it was written"), "{error}");
    }

    #[test]
    fn a_checkpoint_of_an_earlier_version_is_read() {
        let (folder, graph) = (tempfile::tempdir().unwrap(), graph());
        let whole = checkpoint(&graph, 0.3);
        save_checkpoint(folder.path(), &graph, &whole).unwrap();
        let path = folder.path().join(CHECKPOINT);
        let bytes = std::fs::read(&path).unwrap();
        // What it wrote: the same without the hash.
        let file = tensors::Read::new(&path, &bytes).unwrap();
        let text = file.sealed(STATE).unwrap().unwrap().to_owned();
        let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap().tensors();
        let old = std::collections::HashMap::from([(STATE_1.to_owned(), text)]);
        std::fs::write(&path, safetensors::serialize(tensors, Some(old)).unwrap()).unwrap();
        assert_eq!(load_checkpoint(folder.path(), &graph).unwrap(), Some(whole));
    }
}
