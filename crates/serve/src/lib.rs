//! GREASE behind HTTP: lists, explanations and what-ifs of one recommender, as JSON.
//!
//! ```text
//! request -guards-> handler -ask-> Compute (threads of its own, a bounded queue) -> Loaded (recommender, explainers) -> JSON
//! ```
//!
//! Nothing is computed on the threads that talk to clients. What a client no longer waits for is given up at the next question to the
//! recommender.

mod api;
mod compute;
mod error;
mod guards;
mod loaded;
mod metrics;
mod options;
mod page;
mod queue;
mod service;
mod store;

pub use options::{Limits, ServeOptions};
pub use service::Service;
