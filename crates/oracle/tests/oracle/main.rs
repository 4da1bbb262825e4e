//! Oracles in real second processes and behind real sockets, well behaved and otherwise.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

#[path = "../double/model.rs"]
mod model;

mod asked_once;
mod check;
mod explained;
mod http;
mod process;
mod support;
mod top;
