//! Where to look: which edges a surrogate says matter.

mod order;
mod paper;

pub use order::{Aim, OrderStep, order};
pub use paper::{Judged, PaperOptions, paper};
