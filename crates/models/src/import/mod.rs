//! Weights that were trained elsewhere: read from files other programs write, and recognised by the names of their tensors.
//!
//! ```text
//! files -read-> NamedTensors -recognise-> Recognised -fit-> Weights, rows as the model's own files name them
//! ```
//!
//! | file | is for |
//! |---|---|
//! | `tensors.rs` | [`NamedTensors`]: what every file becomes, and what other programs may build themselves |
//! | `read.rs` | which reader a file is for; `npy.rs`, `npz.rs` and `safetensors.rs` are the readers |
//! | `layouts.rs` | the table of layouts |
//! | `recognise.rs` | from names to weights |

mod error;
mod layouts;
mod npy;
mod npz;
mod read;
mod recognise;
mod safetensors;
mod tensors;
#[cfg(test)]
mod tests;

/// The readers from memory, for the fuzzer.
#[cfg(fuzzing)]
pub mod fuzzing {
    use super::{NamedTensor, NamedTensors};

    /// One array.
    pub fn npy(bytes: &[u8]) -> Result<NamedTensor, String> {
        super::npy::read(bytes)
    }

    /// An archive of arrays.
    pub fn npz(bytes: &[u8]) -> Result<NamedTensors, String> {
        super::npz::read(bytes)
    }

    /// Named tensors.
    pub fn safetensors(bytes: &[u8]) -> Result<NamedTensors, String> {
        super::safetensors::read(bytes)
    }
}

pub use error::TensorsError;
pub use layouts::Layout;
pub use read::{WeightFile, read_matrix, read_weights};
pub use recognise::{Recognised, Rows, recognise};
pub use tensors::{NamedTensor, NamedTensors};
