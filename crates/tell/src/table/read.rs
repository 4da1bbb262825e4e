//! Rows out of a table.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use grease_graph::read::guard_decoding;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use serde_json::{Map, Value};

use super::columns::{ERROR, value};
use super::{RUN_KEY, Row};
use crate::{SCHEMA, is_read};

/// Rows that are read together.
const ROWS_A_BATCH: usize = 1024;

/// Why a table was refused.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file could not be read.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    /// It is no Parquet, or damaged.
    #[error("{} is not a readable Parquet file: {error}", path.display())]
    Broken { path: PathBuf, error: String },
    /// It holds something else.
    #[error("{} is not a table of explanations: {error}", path.display())]
    Other {
        path: PathBuf,
        /// What does not fit, and where.
        error: String,
    },
}

/// Whether the file begins as Parquet does.
pub fn is_table(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut start)?;
    Ok(start == b"PAR1")
}

/// Reads the rows of a table, in order; memory does not go with their number.
#[derive(Debug)]
pub struct TableReader {
    path: PathBuf,
    run: Option<Value>,
    batches: ParquetRecordBatchReader,
    batch: Option<RecordBatch>,
    /// Of the batch.
    next: usize,
    /// Rows of the batches before.
    before: usize,
}

impl TableReader {
    /// Opens a table.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let file = File::open(path).map_err(|error| TableError::Io { path: path.to_owned(), error })?;
        let broken = |error| TableError::Broken { path: path.to_owned(), error };
        let builder = guard_decoding(|| ParquetRecordBatchReaderBuilder::try_new(file)).map_err(broken)?;
        if let Some(missing) =
            ["schema", "user", "item"].iter().find(|name| builder.schema().index_of(name).is_err())
        {
            let error = format!("it has no column '{missing}'");
            return Err(TableError::Other { path: path.to_owned(), error });
        }
        let metadata = builder.metadata().file_metadata().key_value_metadata();
        let run = metadata.into_iter().flatten().find(|entry| entry.key == RUN_KEY);
        let run = run.and_then(|entry| serde_json::from_str(entry.value.as_deref()?).ok());
        let batches = guard_decoding(|| builder.with_batch_size(ROWS_A_BATCH).build()).map_err(broken)?;
        Ok(Self { path: path.to_owned(), run, batches, batch: None, next: 0, before: 0 })
    }

    /// The run its rows are of, if it says so.
    pub fn run(&self) -> Option<&Value> {
        self.run.as_ref()
    }

    fn next_row(&mut self) -> Result<Option<Row>, TableError> {
        loop {
            match &self.batch {
                Some(batch) if self.next < batch.num_rows() => {
                    let row = self.row(batch, self.next)?;
                    self.next += 1;
                    return Ok(Some(row));
                }
                _ => {}
            }
            self.before += self.batch.take().map_or(0, |batch| batch.num_rows());
            self.next = 0;
            let broken = |error| TableError::Broken { path: self.path.clone(), error };
            match guard_decoding(|| self.batches.next().transpose()).map_err(broken)? {
                Some(batch) => self.batch = Some(batch),
                None => return Ok(None),
            }
        }
    }

    fn row(&self, batch: &RecordBatch, at: usize) -> Result<Row, TableError> {
        let other = |error: String| TableError::Other { path: self.path.clone(), error };
        let in_row = |error: String| other(format!("row {}: {error}", self.before + at + 1));
        let mut object = Map::new();
        let schema = batch.schema();
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let kind = |kind| other(format!("column '{}' is of the type {kind}", field.name()));
            object.insert(field.name().clone(), value(column, at).map_err(kind)?);
        }
        if let Some(Value::String(error)) = object.remove(ERROR) {
            return match object.remove("user") {
                Some(Value::String(user)) => Ok(Row::Failure { user, error }),
                _ => Err(in_row("it says of nobody that they failed".to_owned())),
            };
        }
        let schema = object.get("schema").cloned().unwrap_or_default();
        if !schema.as_str().is_some_and(is_read) {
            return Err(in_row(format!("its schema is {schema}, expected \"{SCHEMA}\" or an earlier one")));
        }
        let record = serde_json::from_value(Value::Object(object));
        Ok(Row::Explanation(Box::new(record.map_err(|error| in_row(error.to_string()))?)))
    }
}

impl Iterator for TableReader {
    type Item = Result<Row, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}
