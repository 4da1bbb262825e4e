//! What can be wrong with a model folder.

use std::path::PathBuf;

use crate::weights::WeightsError;

/// Why a model folder could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder is not a model folder.
    #[error("{} is not a model folder: {reason}", folder.display())]
    NotAModel {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// `model.json` makes no sense.
    #[error("{}: {reason}", file.display())]
    Manifest {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file is not the one `model.json` speaks of.
    #[error(
        "{} is not the file this model was saved with (its SHA-256 is {got}, model.json says {expected}): it was changed, \
         truncated or mixed with another model's; copy the whole folder again, or train anew",
        file.display()
    )]
    Hash {
        /// The file.
        file: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is.
        got: String,
    },
    /// A line of a table makes no sense.
    #[error("{}, line {line}: {reason}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What was expected and found.
        reason: String,
    },
    /// The tensors do not fit the model.
    #[error("{}: {error}", file.display())]
    Weights {
        /// The file.
        file: PathBuf,
        /// Why.
        error: WeightsError,
    },
    /// The tensor file makes no sense.
    #[error("{}: {reason}", file.display())]
    Tensors {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
}
