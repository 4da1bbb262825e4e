//! What the targets do: read the bytes, and hold the result to what the readers promise.
//!
//! Each function says whether the bytes were taken, so that seeds can be held to being good ones.

pub mod interactions;
pub mod models;
pub mod oracle;
pub mod panics;
pub mod runs;
pub mod service;
mod subject;
pub mod weights;
