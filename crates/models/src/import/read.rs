//! Which reader a file is for.

use std::path::Path;

use crate::folder::hash_of_bytes;
use crate::import::error::TensorsError;
use crate::import::tensors::{NamedTensor, NamedTensors};
use crate::import::{npy, npz, safetensors};

/// A file of weights that was read: its name without folders, and the SHA-256 of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightFile {
    /// Its name, without folders.
    pub name: String,
    /// SHA-256 of its bytes.
    pub hash: String,
}

/// What a file holds.
enum Contents {
    /// Tensors that have names.
    Named(NamedTensors),
    /// One without.
    Nameless(NamedTensor),
}

/// The names of what two `.npy` files hold, in their order.
const PAIR: [&str; 2] = ["user_embedding", "item_embedding"];

/// All tensors of some files: `.safetensors` or `.npz`, or two `.npy`, the users' and then the items'.
pub fn read_weights(files: &[&Path]) -> Result<(NamedTensors, Vec<WeightFile>), TensorsError> {
    let mut tensors = NamedTensors::new();
    let mut read = Vec::with_capacity(files.len());
    let mut nameless = Vec::new();
    for file in files {
        let (contents, about) = open(file)?;
        read.push(about);
        match contents {
            Contents::Named(named) => tensors.extend(named)?,
            Contents::Nameless(tensor) => nameless.push(tensor),
        }
    }
    match nameless.len() {
        0 => {}
        2 => {
            for (name, tensor) in PAIR.into_iter().zip(nameless) {
                tensors.insert(name, &tensor.shape, tensor.data)?;
            }
        }
        _ => {
            return Err(TensorsError::Files(
                ".npy files have no names: give two, the users' embeddings and then the items'".into(),
            ));
        }
    }
    Ok((tensors, read))
}

/// The one matrix of a file, by whatever name.
pub fn read_matrix(file: &Path) -> Result<(NamedTensor, WeightFile), TensorsError> {
    let (contents, about) = open(file)?;
    let tensor = match contents {
        Contents::Nameless(tensor) => tensor,
        Contents::Named(mut named) => match (named.len(), named.pop()) {
            (1, Some((_, tensor))) => tensor,
            (found, _) => {
                let reason =
                    format!("expected one tensor, found {found}; write each table to a file of its own");
                return Err(TensorsError::file(file, reason));
            }
        },
    };
    Ok((tensor, about))
}

fn open(file: &Path) -> Result<(Contents, WeightFile), TensorsError> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if matches!(extension.as_str(), "pt" | "pth" | "bin" | "pkl" | "pickle" | "ckpt") {
        return Err(TensorsError::Pickle { file: file.into() });
    }
    if !matches!(extension.as_str(), "safetensors" | "npz" | "npy") {
        return Err(TensorsError::UnknownForm { file: file.into() });
    }
    let bytes = std::fs::read(file).map_err(|error| TensorsError::Io { file: file.into(), error })?;
    let contents = match extension.as_str() {
        "safetensors" => safetensors::read(&bytes).map(Contents::Named),
        "npz" => npz::read(&bytes).map(Contents::Named),
        _ => npy::read(&bytes).map(Contents::Nameless),
    };
    let contents = contents.map_err(|reason| TensorsError::file(file, reason))?;
    Ok((contents, WeightFile { name, hash: hash_of_bytes(&bytes) }))
}
