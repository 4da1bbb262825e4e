//! Rows out of a table.

use std::fs::File;
use std::io::{self, Read as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use grease_graph::read::guard_decoding;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use serde_json::{Map, Value};

use super::columns::value;
use super::{RUN_KEY, Sort, TableRow};

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
    #[error("{} is not a table of {sort}: {error}", path.display())]
    Other {
        path: PathBuf,
        /// What it should hold.
        sort: Sort,
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
pub struct TableReader<R> {
    path: PathBuf,
    run: Option<Value>,
    rows: PhantomData<fn() -> R>,
    batches: ParquetRecordBatchReader,
    batch: Option<RecordBatch>,
    /// Of the batch.
    next: usize,
    /// Rows of the batches before.
    before: usize,
}

impl<R: TableRow> TableReader<R> {
    /// Opens a table.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let builder = opened(path)?;
        let columns = builder.schema();
        if let Some(missing) = R::NEEDED.iter().find(|name| columns.index_of(name).is_err()) {
            let error = format!("it has no column '{missing}'");
            return Err(TableError::Other { path: path.to_owned(), sort: R::SORT, error });
        }
        let run = run_said_by(&builder);
        let broken = |error| TableError::Broken { path: path.to_owned(), error };
        let batches = guard_decoding(|| builder.with_batch_size(ROWS_A_BATCH).build()).map_err(broken)?;
        Ok(Self { path: path.to_owned(), run, rows: PhantomData, batches, batch: None, next: 0, before: 0 })
    }

    /// The run its rows are of, if it says so.
    pub fn run(&self) -> Option<&Value> {
        self.run.as_ref()
    }

    fn next_row(&mut self) -> Result<Option<R>, TableError> {
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

    fn row(&self, batch: &RecordBatch, at: usize) -> Result<R, TableError> {
        let other = |error: String| TableError::Other { path: self.path.clone(), sort: R::SORT, error };
        let mut object = Map::new();
        let schema = batch.schema();
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let kind = |kind| other(format!("column '{}' is of the type {kind}", field.name()));
            object.insert(field.name().clone(), value(column, at).map_err(kind)?);
        }
        R::from_object(object).map_err(|error| other(format!("row {}: {error}", self.before + at + 1)))
    }
}

impl<R: TableRow> Iterator for TableReader<R> {
    type Item = Result<R, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

/// The run the rows of a table are of, if it says so, whatever they are.
pub fn run_of_table(path: &Path) -> Result<Option<Value>, TableError> {
    Ok(run_said_by(&opened(path)?))
}

fn opened(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, TableError> {
    let file = File::open(path).map_err(|error| TableError::Io { path: path.to_owned(), error })?;
    guard_decoding(|| ParquetRecordBatchReaderBuilder::try_new(file))
        .map_err(|error| TableError::Broken { path: path.to_owned(), error })
}

fn run_said_by(builder: &ParquetRecordBatchReaderBuilder<File>) -> Option<Value> {
    let metadata = builder.metadata().file_metadata().key_value_metadata()?;
    let entry = metadata.iter().find(|entry| entry.key == RUN_KEY)?;
    serde_json::from_str(entry.value.as_deref()?).ok()
}
