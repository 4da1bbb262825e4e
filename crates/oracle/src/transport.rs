//! The way to an oracle and back.

use crate::error::OracleError;
use crate::hello::Hello;
use crate::message::{Expected, Fault};

/// One request, ready to be sent.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The message, with the line's end.
    pub(crate) body: &'a [u8],
    /// What it says, for errors.
    pub(crate) asked: &'a Expected,
    /// The longest answer that makes sense, in bytes.
    pub(crate) longest: usize,
}

/// Reads an answer; what it finds it keeps to itself.
pub(crate) type Reader<'a> = dyn FnMut(&[u8]) -> Result<(), Fault> + 'a;

/// The way to an oracle and back: over processes, or over HTTP.
pub(crate) trait Transport: Send + Sync {
    /// How it introduced itself.
    fn hello(&self) -> Result<Hello, OracleError>;

    /// Sends a request and has the answer read. Waits until it may.
    fn ask(&self, request: &Request<'_>, read: &mut Reader<'_>) -> Result<(), OracleError>;

    /// How many requests could be sent just now without waiting for others.
    fn free(&self) -> usize;
}

/// The longest answer to a hello, which is held in memory: room for millions of items, and for no more than that.
pub(crate) const LONGEST_HELLO: usize = 64 << 20;

/// The longest answer that makes sense with so many numbers in it, however they are written.
pub(crate) fn longest_of(numbers: usize) -> usize {
    numbers.saturating_mul(64).saturating_add(1 << 20)
}
