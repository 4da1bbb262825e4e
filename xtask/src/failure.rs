//! The ways a verb can fail, and the exit code of each.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// Why a verb did not succeed; the message says what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The command line was not understood: exit code 2.
    Usage(String),
    /// The work itself failed: exit code 1.
    Work(String),
    /// The same, and the verb has already said why.
    Told,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn work(message: impl Into<String>) -> Self {
        Self::Work(message.into())
    }

    /// For `map_err`: names the file or folder an I/O error is about.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::Work(format!("{path}: {error}"))
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Work(_) | Self::Told => ExitCode::from(1),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Work(message) => f.write_str(message),
            Self::Told => f.write_str("see above"),
        }
    }
}
