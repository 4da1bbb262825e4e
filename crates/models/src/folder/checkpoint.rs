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

/// The key of the text beside the tensors.
const STATE: &str = "grease.checkpoint/1";

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
    let state = State {
        options: checkpoint.options,
        position: checkpoint.position.clone(),
        graph: graph_hash(graph),
    };
    let text = serde_json::to_string(&state)
        .map_err(|error| FolderError::Tensors { file: file.clone(), reason: error.to_string() })?;
    let renamed = |prefix: &str, tensor: &Tensor, data: &[f32]| Tensor {
        name: format!("{prefix}{}", tensor.name),
        shape: tensor.shape,
        data: data.to_vec(),
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
    let bytes = tensors::bytes(&all, Some((STATE, text)))
        .map_err(|reason| FolderError::Tensors { file: file.clone(), reason })?;
    super::write_file(&file, &bytes)
}

/// Reads the checkpoint of a model folder; `None` if there is none. One of other data is refused.
pub fn load_checkpoint(folder: &Path, graph: &Graph) -> Result<Option<Checkpoint>, FolderError> {
    let path = folder.join(CHECKPOINT);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FolderError::Io { file: path, error }),
    };
    let file = tensors::Read::new(&path, &bytes)?;
    let fail = |reason: String| FolderError::Tensors { file: path.clone(), reason };
    let text = file.text(STATE).ok_or_else(|| fail("it is no checkpoint of this version".into()))?;
    let State { options, position, graph: of } =
        serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
    if of != graph_hash(graph) {
        return Err(FolderError::OtherData { file: path });
    }
    let expected = options.architecture().tensors(graph.users(), graph.items());
    let read = |prefix: &str| -> Result<Vec<Tensor>, FolderError> {
        expected.iter().map(|(name, shape)| file.tensor(prefix, name, *shape)).collect()
    };
    let weights = Weights(read("")?);
    let moments = read(MEAN)?
        .into_iter()
        .zip(read(SQUARE)?)
        .map(|(m, s)| AdamMoments { mean: m.data, square: s.data })
        .collect();
    let has_best = file.has(&format!("{BEST}{}", expected[0].0));
    let best_weights = if has_best { Some(Weights(read(BEST)?)) } else { None };
    Ok(Some(Checkpoint { options, position, weights, moments, best_weights }))
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

    #[test]
    fn what_is_read_back_is_what_was_saved_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let edges: Vec<_> = (0..12).map(|k| grease_graph::Edge::new(k % 4, k % 5)).collect();
        let graph = Graph::new(4, 5, &edges).unwrap();
        let options = TrainOptions { kind: crate::Kind::Ngcf, dim: 3, layers: 1, ..TrainOptions::default() };
        let weights = options.architecture().initial_weights(&graph, 1);
        // Sums of thirds have no short decimal form.
        for k in 1..60u32 {
            let value = (0..k).map(|i| 1.0 / f64::from(3 + i)).sum::<f64>();
            let record = EpochRecord { epoch: 1, loss: value, recall: Some(value / 7.0), ndcg: None };
            let checkpoint = Checkpoint {
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
                best_weights: Some(weights.clone()),
            };
            save_checkpoint(folder.path(), &graph, &checkpoint).unwrap();
            assert_eq!(load_checkpoint(folder.path(), &graph).unwrap().as_ref(), Some(&checkpoint));
        }
    }
}
