//! The built `grease`, from outside: what people and scripts see.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod batch;
mod cluster;
mod data;
mod demo;
mod devices;
mod errors;
mod evaluate;
mod evaluate_model;
mod explain;
mod help;
mod import;
mod merge;
mod oracle;
mod out;
mod recommend;
mod reference;
mod serve;
mod support;
mod train;
mod verify;
mod what_if;
