//! Where to look: which edges a surrogate says matter.

mod order;
mod paper;
#[cfg(test)]
mod tests;

pub use order::{Aim, OrderStep, order};
pub use paper::{Judged, PaperOptions, paper};
