//! GREASE behind HTTP: lists, explanations and what-ifs of one recommender, as JSON.
//!
//! ```text
//! request -guards-> handler -ask-> Compute (threads of its own, a bounded queue) -> Subject -> JSON
//! ```
//!
//! Nothing is computed on the threads that talk to clients. What a client no longer waits for is given up at the next question to the
//! recommender.

mod api;
mod cache;
mod caller;
mod compute;
mod error;
mod events;
mod guards;
mod listening;
mod loaded;
mod metrics;
mod openapi;
mod options;
mod page;
mod pass;
mod queue;
mod readiness;
mod reference;
mod responses;
mod service;
mod shared;

pub use openapi::openapi;
pub use options::{Limits, ServeOptions};
pub use pass::{LinkKey, WeakKey};
pub use reference::reference;
pub use service::Service;
