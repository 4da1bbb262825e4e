//! GREASE on a card: training as on the processor, from the same batches, into the same checkpoints.
//!
//! ```text
//! devices   what cards there are, and why one cannot be used
//! card      one of them: memory, code, launches      <- code   cubin made here, or PTX that came with the binary
//! plan      an epoch's batches as the card reads them
//! lightgcn  a step of LightGCN as a graph of kernels <- kernels.cu
//! ```
//!
//! Nothing is linked and nothing is needed to build: the driver is looked for when somebody asks. This is the second crate with `unsafe`
//! in it; what has to hold stands where a kernel is launched.
//!
//! **Deterministic**: every sum is taken in one order, nothing is added by atomics. The same card and seed give the same bytes; those of
//! the processor differ in the last digits.

mod card;
mod code;
mod devices;
mod lightgcn;
mod plan;

pub use card::{Card, CardError};
pub use devices::{Device, devices};
pub use lightgcn::LightGcnSteps;
