//! Lists: for whom, of what, the best of it, and what it would be had they done something else.

mod candidates;
mod close;
#[cfg(test)]
mod likes;
mod ranks;
mod recommend;
mod what_if;
mod who;

pub use candidates::Candidates;
pub use recommend::{Listed, recommend, recommend_each};
pub use what_if::{Moved, WhatIf, WhatIfError, what_if};
pub use who::Who;
