//! The name of the protocol, which messages carry and errors tell.

/// The protocol and its version, as both sides write it.
pub const PROTOCOL: &str = "oracle/1";
