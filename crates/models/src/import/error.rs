//! What can be wrong with somebody else's weights.

use std::path::PathBuf;

use crate::architecture::Kind;
use crate::weights::WeightsError;

/// Why weights could not be taken over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TensorsError {
    /// A file could not be read.
    #[error("{}: {error}", file.display())]
    Io { file: PathBuf, error: std::io::Error },
    /// A file holds a Python pickle, or is named like one.
    #[error(
        "{} is a pickle, as `torch.save` writes it; reading one runs whatever code is in it, so it is not read here. \
         Export the tensors instead:\n\n\
         \x20   import torch, safetensors.torch\n\
         \x20   state = torch.load(\"{}\", map_location=\"cpu\")\n\
         \x20   safetensors.torch.save_file({{k: v.contiguous() for k, v in state.items()}}, \"weights.safetensors\")\n",
        file.display(), file.file_name().unwrap_or_default().to_string_lossy()
    )]
    Pickle { file: PathBuf },
    /// A file is of no form that is known.
    #[error("{}: expected a .safetensors, .npz or .npy file", file.display())]
    UnknownForm { file: PathBuf },
    /// A file is broken, or holds what is not supported.
    #[error("{}: {reason}", file.display())]
    File { file: PathBuf, reason: String },
    /// Files that do not go together.
    #[error("{0}")]
    Files(String),
    /// A tensor makes no sense by itself.
    #[error("tensor `{name}` {reason}")]
    Tensor { name: String, reason: String },
    /// No layout has these names.
    #[error("no layout of {kind} has these tensors: {found}\n{known}")]
    Unrecognised {
        /// What the model was said to be.
        kind: Kind,
        found: String,
        /// What was looked for, a line a layout.
        known: String,
    },
    /// The layout is known, and is of a model that is not supported.
    #[error("these are the tensors of {layout}: {reason}")]
    Refused { layout: &'static str, reason: &'static str },
    /// The layout is known, but is of another kind of model.
    #[error("these are the tensors of {layout}, a model of kind {kind}: use `grease import {kind}`")]
    OtherKind { layout: &'static str, kind: Kind },
    /// The layout is known, but something does not fit it.
    #[error("read as {layout}: {reason}")]
    Layout { layout: &'static str, reason: String },
    /// Nobody says how many layers there are.
    #[error(
        "weights laid out as {layout} has them do not say how many layers the model has: give it with `layers`"
    )]
    NoLayers { layout: &'static str },
    /// Weights with other shapes than they should have, or with values that are no numbers.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

impl TensorsError {
    /// A broken file.
    pub(super) fn file(file: &std::path::Path, reason: impl Into<String>) -> Self {
        Self::File { file: file.into(), reason: reason.into() }
    }
}
