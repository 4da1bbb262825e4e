//! Many explanations, or many lists, in one file: a table (Parquet) or an object a line (JSON).
//!
//! A table has a column for every field of a [`Record`](crate::Record), or of a [`Place`], under its name in JSON, and `error` at the
//! end. Which run it is of stands in its metadata. Nothing in it depends on when it was written or in how many steps, so the same rows
//! are the same bytes.

mod columns;
mod ddl;
mod kind;
mod place;
mod read;
mod row;
#[cfg(test)]
mod tests;
mod write;

pub use columns::{list_of, of_struct};
pub use ddl::spark_ddl;
pub use kind::{Sort, TableRow};
pub use place::Place;
pub use read::{TableError, TableReader, is_table, run_of_table};
pub use row::Row;
pub use write::ColumnWriter;
pub use write::{TableFormat, TableWriter};

/// The version of the rows, as in JSON.
const SCHEMA_KEY: &str = "grease.schema";
/// The run the rows are of, as JSON.
const RUN_KEY: &str = "grease.run";
