//! Model folders and checkpoints from memory, for the fuzzer.

use std::path::Path;

use grease_graph::Graph;

use super::{FolderError, ModelFolder, checkpoint, parse_manifest};
use crate::train::Checkpoint;

/// The folder of a `model.json` and of other files, which need not hash to what it says.
pub fn load(manifest: &[u8], file: &dyn Fn(&str) -> Vec<u8>) -> Result<ModelFolder, FolderError> {
    let manifest = parse_manifest(Path::new("model.json"), manifest)?;
    ModelFolder::assemble(Path::new(""), &manifest, &|name| Ok((name.into(), file(name))))
}

/// The checkpoint of a file.
pub fn checkpoint(bytes: &[u8], graph: &Graph) -> Result<Checkpoint, FolderError> {
    checkpoint::parse(Path::new("checkpoint.safetensors"), bytes, graph)
}
