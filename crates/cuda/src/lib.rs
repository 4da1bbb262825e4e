//! GREASE on a card: training as on the processor, from the same batches, into the same checkpoints.
//!
//! ```text
//! devices   what cards there are, and why one cannot be used
//! code      machine code made here, else PTX that came with the binary   <- nvrtc makes it, cache keeps it
//! card      one card: its memory, the kernels on it, the streams they run in
//! topology  the graph on it
//! train/    plan, epochs: batches as the card reads them; lightgcn, ngcf: a step as a graph of kernels
//! ranking   people's best items, while training is watched
//! ask/      a model's answers to many edits at once
//! kernels/  what runs on the card, one source in several files
//! ```
//!
//! Nothing is linked and nothing is needed to build: the driver is looked for when somebody asks. This is the second crate with `unsafe`
//! in it: for calls into the driver and NVRTC, whose signatures are theirs, and for launches. **A kernel is launched with pointers into
//! memory of its own card, at least as long as the counts beside them, and that memory lives until its stream has come past it.** What
//! that means for a kernel stands where it is launched.
//!
//! `GREASE_CUDA_CODE=cubin` or `ptx` allows one way alone for the kernels to come to a card, for tests. It is read here, as is where the
//! user's cache is: whoever opens a card would have to hand both down.
//!
//! **Deterministic**: every sum is taken in one order, nothing is added by atomics. The same card and seed give the same bytes; those of
//! the processor differ in the last digits.

mod ask;
mod cache;
mod card;
mod code;
mod devices;
mod error;
mod launch;
mod nvrtc;
mod padding;
mod ranking;
mod topology;
mod train;

pub use ask::OnCard;
pub use card::Card;
pub use code::Code;
pub use devices::{Device, devices};
pub use error::CardError;
pub use train::CardSteps;

/// The kernels as they are written: for tests, and for `cargo xtask cuda`.
#[doc(hidden)]
pub const SOURCE: &str = code::SOURCE;
/// The kernels as they are shipped: for tests.
#[doc(hidden)]
pub const PTX: &str = code::PTX;
