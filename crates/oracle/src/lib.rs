//! Somebody else's recommender, asked by messages: one JSON object a line over a process's standard streams, or one a
//! request over HTTP. The protocol is `grease.oracle/1`; `docs/oracle.md` explains it field by field.
//!
//! ```text
//! Recommender::score -> Question -> Memory (asked once) -> Transport (processes | HTTP) -> reply, checked -> scores
//! ```
//!
//! An [`Oracle`] is a [`Recommender`](grease_graph::Recommender): whatever explains one explains it. Nothing leaves this
//! process but the ids of users and items, in questions to the oracle.

mod address;
mod asking;
pub mod check;
mod ender;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod hello;
mod http;
mod memory;
mod message;
mod meter;
mod names;
mod options;
mod oracle;
mod process;
mod protocol;
mod question;
mod ranked;
mod transport;

pub use address::{Address, Token};
pub use ender::Ender;
pub use error::OracleError;
pub use hello::Hello;
pub use meter::{Latency, Meter, OracleReport};
pub use options::{MOST_WORKERS, OracleOptions, Voice};
pub use oracle::Oracle;
pub use protocol::PROTOCOL;
