//! What the tests of several crates share. Only ever a dev-dependency.

pub mod bench;
#[cfg(feature = "browser")]
pub mod browser;
pub mod planted;
pub mod scalars;
#[cfg(feature = "whole")]
mod schema;
#[cfg(feature = "whole")]
mod service;
pub mod slow;

#[cfg(feature = "whole")]
pub use schema::Schema;
#[cfg(feature = "whole")]
pub use service::folder;
