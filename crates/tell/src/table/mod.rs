//! Many explanations in one file: a table (Parquet) or an object a line (JSON).
//!
//! A table has a column for every field of a [`Record`](crate::Record), under its name in JSON, and `error` at the end. Which run it is of
//! stands in its metadata. Nothing in it depends on when it was written or in how many steps, so the same rows are the
//! same bytes.

mod columns;
mod read;
mod row;
#[cfg(test)]
mod tests;
mod write;

pub use columns::{list_of, of_struct};
pub use read::is_table;
pub use read::{TableError, TableReader};
pub use row::Row;
pub use write::ColumnWriter;
pub use write::{TableFormat, TableWriter, record_batch};

/// The version of the rows, as in JSON.
const SCHEMA_KEY: &str = "grease.schema";
/// The run the rows are of, as JSON.
const RUN_KEY: &str = "grease.run";
