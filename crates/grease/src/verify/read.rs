//! Stored explanations: a table, an array, or one object after another.

use std::io;
use std::path::{Path, PathBuf};

use grease_tell::table::{Row, TableError, TableReader, is_table};
use grease_tell::{Record, SCHEMA, is_read};

/// Why a file of explanations was refused.
#[derive(Debug, thiserror::Error)]
pub enum ReadRecordsError {
    /// The file could not be read.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    /// It holds something else, or is cut off.
    #[error("{}, line {line}, column {column}: {error}", path.display())]
    Broken {
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        error: String,
    },
    /// Another version of the format.
    #[error("{}: explanation {number} has the schema '{}', expected '{SCHEMA}' or an earlier one", path.display(), schema.escape_debug())]
    Schema {
        path: PathBuf,
        /// Which explanation, from 1.
        number: usize,
        schema: String,
    },
    /// A table that is none of explanations, or damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is nothing in it.
    #[error("{} holds no explanations", .0.display())]
    Empty(PathBuf),
}

/// The records of a file that `grease explain --format json` or `jsonl` wrote, or `grease batch`. What a batch says of
/// people who failed is passed over.
pub fn read_records(path: &Path) -> Result<Vec<Record>, ReadRecordsError> {
    let io = |error| ReadRecordsError::Io { path: path.to_owned(), error };
    let records = if is_table(path).map_err(io)? {
        let rows = TableReader::open(path)?.filter_map(|row| row.map(Row::explanation).transpose());
        rows.collect::<Result<_, _>>()?
    } else {
        parse(path, &std::fs::read_to_string(path).map_err(io)?)?
    };
    checked(path, records)
}

/// The records of a text: for the fuzzer.
#[cfg(fuzzing)]
pub fn parse_records(text: &str) -> Result<Vec<Record>, ReadRecordsError> {
    let path = Path::new("why.json");
    checked(path, parse(path, text)?)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Record>, ReadRecordsError> {
    let records: Result<Vec<Record>, serde_json::Error> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text)
    } else {
        serde_json::Deserializer::from_str(text).into_iter().collect()
    };
    records.or_else(|error| rows_of_a_batch(text).ok_or_else(|| broken(path, &error)))
}

fn checked(path: &Path, records: Vec<Record>) -> Result<Vec<Record>, ReadRecordsError> {
    if records.is_empty() {
        return Err(ReadRecordsError::Empty(path.to_owned()));
    }
    match records.iter().position(|record| !is_read(&record.schema)) {
        Some(at) => Err(ReadRecordsError::Schema {
            path: path.to_owned(),
            number: at + 1,
            schema: records[at].schema.clone(),
        }),
        None => Ok(records),
    }
}

/// Tried second: it cannot say what is wrong as well as the records themselves can.
fn rows_of_a_batch(text: &str) -> Option<Vec<Record>> {
    let rows = serde_json::Deserializer::from_str(text).into_iter::<Row>();
    rows.filter_map(|row| row.map(Row::explanation).transpose()).collect::<Result<_, _>>().ok()
}

fn broken(path: &Path, error: &serde_json::Error) -> ReadRecordsError {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    // It says the place at the end; ours stands at the start, after the file.
    let said = said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said);
    ReadRecordsError::Broken { path: path.to_owned(), line, column, error: said.to_owned() }
}
