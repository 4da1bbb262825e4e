//! Rows on their way into a file.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use super::columns::in_columns;
use super::{RUN_KEY, SCHEMA_KEY, TableRow};

/// Rows that become columns together.
const ROWS_A_BATCH: usize = 1024;
/// Rows whose columns are in memory, compressed, until they are written.
const ROWS_A_GROUP: usize = 8 * ROWS_A_BATCH;

/// In which form many rows are stored.
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
pub struct TableWriter<'o, R> {
    form: Form<'o, R>,
}

enum Form<'o, R> {
    Parquet { columns: Box<ColumnWriter<'o>>, waiting: Vec<R> },
    JsonLines(&'o mut (dyn Write + Send)),
}

/// Writes objects of JSON as the rows of a table: what a column's name is in the object is its value.
pub struct ColumnWriter<'o> {
    schema: SchemaRef,
    writer: ArrowWriter<&'o mut (dyn Write + Send)>,
    waiting: Vec<Value>,
}

impl<'o, R: TableRow> TableWriter<'o, R> {
    /// Begins a file. `run` says which run its rows are of; JSON lines have no place for it.
    pub fn new(out: &'o mut (dyn Write + Send), format: TableFormat, run: &Value) -> io::Result<Self> {
        if format == TableFormat::JsonLines {
            return Ok(Self { form: Form::JsonLines(out) });
        }
        let columns = Box::new(ColumnWriter::new(out, R::schema(), R::VERSION, run)?);
        Ok(Self { form: Form::Parquet { columns, waiting: Vec::new() } })
    }

    /// Writes one row.
    pub fn write(&mut self, row: R) -> io::Result<()> {
        match &mut self.form {
            Form::JsonLines(out) => {
                serde_json::to_writer(&mut *out, &row)?;
                out.write_all(b"\n")
            }
            Form::Parquet { columns, waiting } => {
                waiting.push(row);
                if waiting.len() == ROWS_A_BATCH { columns.pass_on(waiting) } else { Ok(()) }
            }
        }
    }

    /// Ends the file.
    pub fn finish(self) -> io::Result<()> {
        match self.form {
            Form::Parquet { mut columns, mut waiting } => {
                columns.pass_on(&mut waiting)?;
                columns.close()
            }
            Form::JsonLines(out) => out.flush(),
        }
    }
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
        if self.waiting.len() == ROWS_A_BATCH { self.pass_on_waiting() } else { Ok(()) }
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.pass_on_waiting()?;
        self.close()
    }

    fn pass_on_waiting(&mut self) -> io::Result<()> {
        let batch = in_columns(&self.schema, &self.waiting).map_err(io::Error::other)?;
        self.waiting.clear();
        Ok(self.writer.write(&batch)?)
    }

    /// Rows that wait become columns.
    fn pass_on<R: TableRow>(&mut self, rows: &mut Vec<R>) -> io::Result<()> {
        let batch = R::columns(rows, &self.schema).map_err(io::Error::other)?;
        rows.clear();
        Ok(self.writer.write(&batch)?)
    }

    fn close(self) -> io::Result<()> {
        self.writer.close()?;
        Ok(())
    }
}
