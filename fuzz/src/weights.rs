//! Weights of other programs.

use grease_models::Kind;
use grease_models::import::{NamedTensors, Recognised, fuzzing, recognise};

/// Reads an array, and takes it for a table of embeddings.
pub fn npy(bytes: &[u8]) -> bool {
    let Ok(array) = fuzzing::npy(bytes) else { return false };
    assert_eq!(array.shape.iter().product::<usize>(), array.data.len());
    let _ = Recognised::embeddings(array.clone(), array, true);
    true
}

/// Reads arrays, and takes them for a network.
pub fn npz(bytes: &[u8]) -> bool {
    known(fuzzing::npz(bytes))
}

/// Reads tensors, and takes them for a network.
pub fn safetensors(bytes: &[u8]) -> bool {
    known(fuzzing::safetensors(bytes))
}

fn known(tensors: Result<NamedTensors, String>) -> bool {
    let Ok(tensors) = tensors else { return false };
    for kind in [Kind::LightGcn, Kind::Ngcf] {
        for layers in [None, Some(2)] {
            if let Ok(recognised) = recognise(tensors.clone(), kind, None, layers) {
                let _ = recognised.weights(3, 4, [0, 0]);
            }
        }
    }
    true
}
