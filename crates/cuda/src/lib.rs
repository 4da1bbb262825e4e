//! GREASE on a card: training as on the processor, from the same batches, into the same checkpoints.
//!
//! ```text
//! devices   what cards there are, and why one cannot be used
//! card      one of them: memory, code, launches      <- code   cubin made here, or PTX that came with the binary
//! topology  the graph on it
//! train/    plan, epochs: batches as the card reads them; lightgcn, ngcf: a step as a graph of kernels
//! ranking   people's best items, while training is watched
//! ask/      a model's answers to many edits at once
//! kernels/  what runs on the card, one source in several files
//! ```
//!
//! Nothing is linked and nothing is needed to build: the driver is looked for when somebody asks. This is the second crate with `unsafe`
//! in it; what has to hold stands where a kernel is launched.
//!
//! **Deterministic**: every sum is taken in one order, nothing is added by atomics. The same card and seed give the same bytes; those of
//! the processor differ in the last digits.

mod ask;
mod card;
mod code;
mod devices;
mod launch;
mod padding;
mod ranking;
mod topology;
mod train;

pub use ask::OnCard;
pub use card::{Card, CardError};
pub use code::Code;
pub use devices::{Device, devices};
pub use train::CardSteps;
