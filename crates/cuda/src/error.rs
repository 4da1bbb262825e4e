//! Why there is no card, or no longer.

use cudarc::driver::DriverError;
use grease_graph::counted;

/// Why a card cannot be used, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// The machine has no driver of NVIDIA's.
    #[error("no CUDA driver (libcuda) was found")]
    NoDriver,
    /// The program has no way to load one.
    #[error(
        "this program is linked statically and cannot load a CUDA driver; the Python package can, and a build from source"
    )]
    Static,
    /// There is one, and it does not work.
    #[error("the CUDA driver does not answer: {0}")]
    Driver(String),
    /// There is one, and it is too old.
    #[error("the driver speaks CUDA {}.{}, and {}.{} or later is needed", .speaks.0, .speaks.1, .needed.0, .needed.1)]
    OldDriver {
        /// The newest it speaks.
        speaks: (i32, i32),
        /// The oldest that will do.
        needed: (i32, i32),
    },
    /// There is no such card.
    #[error("there is no cuda:{asked}: the driver knows {}", counted(*.known, "card"))]
    NoCard {
        /// Its number.
        asked: usize,
        /// How many there are.
        known: usize,
    },
    /// The card does not take the kernels.
    #[error("the card does not take the kernels: {0}")]
    Code(String),
    /// The card is too small for it.
    #[error("the card has {free} MB of memory free, and {needed} MB are needed")]
    Memory {
        /// In megabytes.
        needed: usize,
        /// In megabytes.
        free: usize,
    },
    /// Nobody has taught cards to do it.
    #[error("{0}")]
    Unable(String),
    /// Something on the card went wrong.
    #[error("the card failed: {0}")]
    Failed(String),
}

impl From<DriverError> for CardError {
    fn from(error: DriverError) -> Self {
        Self::Failed(error.to_string())
    }
}
