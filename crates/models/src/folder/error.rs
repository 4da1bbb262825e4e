//! What can be wrong with a model folder.

use std::path::PathBuf;

use grease_graph::Interrupted;

use crate::weights::WeightsError;

/// Why a model folder could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder is not a model folder.
    #[error("{} is not a model folder: {reason}", folder.display())]
    NotAModel { folder: PathBuf, reason: String },
    /// A file could not be read or written.
    #[error("{}: {error}", file.display())]
    Io { file: PathBuf, error: std::io::Error },
    /// Something else stands where a file should.
    #[error("{} is {found} where a file is expected", file.display())]
    NotAFile { file: PathBuf, found: &'static str },
    /// `model.json` makes no sense.
    #[error("{}: {reason}", file.display())]
    Manifest { file: PathBuf, reason: String },
    /// A file is not the one `model.json` speaks of.
    #[error(
        "{} is not the file this model was saved with (its SHA-256 is {got}, model.json says {expected}): it was changed, \
         truncated or mixed with another model's; copy the whole folder again, or train anew",
        file.display()
    )]
    Hash { file: PathBuf, expected: String, got: String },
    /// A line of a table makes no sense.
    #[error("{}, line {line}: {reason}", file.display())]
    Line {
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        reason: String,
    },
    /// The tensors do not fit the model.
    #[error("{}: {error}", file.display())]
    Weights { file: PathBuf, error: WeightsError },
    /// A checkpoint that other data was learned from.
    #[error("{}: this training was begun with other interactions", file.display())]
    OtherData { file: PathBuf },
    /// Whoever watched wished it to end.
    #[error("interrupted before the model was read")]
    Interrupted,
    /// The tensor file makes no sense.
    #[error("{}: {reason}", file.display())]
    Tensors { file: PathBuf, reason: String },
}

impl From<Interrupted> for FolderError {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}
