//! The surrogate against a naive twin in f64.

mod anchored;
mod fitting;
mod learned;
mod twin;

pub(crate) use twin::{Shows, Twin};
