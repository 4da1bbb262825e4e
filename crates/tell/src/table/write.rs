//! Rows on their way into a file.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use super::columns::{column, schema};
use super::{RUN_KEY, Row, SCHEMA_KEY};
use crate::SCHEMA;

/// Rows that become columns together.
const ROWS_A_BATCH: usize = 1024;
/// Rows whose columns are in memory, compressed, until they are written.
const ROWS_A_GROUP: usize = 8 * ROWS_A_BATCH;

/// In which form many explanations are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// A table.
    Parquet,
    /// An object a line.
    JsonLines,
}

impl TableFormat {
    /// What the name of a file asks for.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Self::Parquet),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// Writes rows one after another. Memory does not go with their number, nor the bytes with how they come.
pub struct TableWriter<'o> {
    form: Form<'o>,
}

enum Form<'o> {
    Parquet(Box<ColumnWriter<'o>>),
    JsonLines(&'o mut (dyn Write + Send)),
}

/// Writes objects of JSON as the rows of a table: what a column's name is in the object is its value.
pub struct ColumnWriter<'o> {
    schema: SchemaRef,
    writer: ArrowWriter<&'o mut (dyn Write + Send)>,
    waiting: Vec<Value>,
}

impl<'o> TableWriter<'o> {
    /// Begins a file. `run` says which run its rows are of; JSON lines have no place for it.
    pub fn new(out: &'o mut (dyn Write + Send), format: TableFormat, run: &Value) -> io::Result<Self> {
        if format == TableFormat::JsonLines {
            return Ok(Self { form: Form::JsonLines(out) });
        }
        Ok(Self { form: Form::Parquet(Box::new(ColumnWriter::new(out, schema(), SCHEMA, run)?)) })
    }

    /// Writes one row.
    pub fn write(&mut self, row: &Row) -> io::Result<()> {
        match &mut self.form {
            Form::JsonLines(out) => {
                serde_json::to_writer(&mut *out, row)?;
                out.write_all(b"\n")
            }
            Form::Parquet(columns) => columns.write(serde_json::to_value(row)?),
        }
    }

    /// Ends the file.
    pub fn finish(self) -> io::Result<()> {
        match self.form {
            Form::Parquet(columns) => columns.finish(),
            Form::JsonLines(out) => out.flush(),
        }
    }
}

/// The rows of a table in memory.
pub fn record_batch(rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let values = rows.iter().map(serde_json::to_value).collect::<Result<Vec<Value>, _>>();
    let values = values.map_err(|error| ArrowError::JsonError(error.to_string()))?;
    in_columns(&Arc::new(schema()), &values)
}

fn in_columns(schema: &SchemaRef, rows: &[Value]) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().map(|field| {
        let values: Vec<Option<&Value>> = rows.iter().map(|row| row.get(field.name())).collect();
        column(field.data_type(), &values)
    });
    RecordBatch::try_new(Arc::clone(schema), columns.collect())
}

impl<'o> ColumnWriter<'o> {
    /// Begins a file. `version` says what its rows are, `run` which run they are of.
    pub fn new(
        out: &'o mut (dyn Write + Send),
        schema: Schema,
        version: &str,
        run: &Value,
    ) -> io::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROWS_A_GROUP))
            .set_created_by("grease".to_owned())
            .set_key_value_metadata(Some(vec![
                KeyValue::new(SCHEMA_KEY.to_owned(), version.to_owned()),
                KeyValue::new(RUN_KEY.to_owned(), run.to_string()),
            ]))
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let schema = Arc::new(schema);
        let writer = ArrowWriter::try_new_with_options(out, Arc::clone(&schema), options)?;
        Ok(Self { schema, writer, waiting: Vec::new() })
    }

    /// Writes one row.
    pub fn write(&mut self, row: Value) -> io::Result<()> {
        self.waiting.push(row);
        if self.waiting.len() == ROWS_A_BATCH { self.pass_on() } else { Ok(()) }
    }

    /// Rows that wait become columns.
    fn pass_on(&mut self) -> io::Result<()> {
        let batch = in_columns(&self.schema, &self.waiting).map_err(io::Error::other)?;
        self.writer.write(&batch)?;
        self.waiting.clear();
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.pass_on()?;
        self.writer.close()?;
        Ok(())
    }
}
