//! What the tests of several crates share. Only ever a dev-dependency.

mod schema;
mod service;

pub use schema::Schema;
pub use service::folder;
