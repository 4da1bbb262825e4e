//! Rows on their way into a file.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
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
    Parquet { schema: SchemaRef, writer: Box<ArrowWriter<&'o mut (dyn Write + Send)>>, waiting: Vec<Value> },
    JsonLines(&'o mut (dyn Write + Send)),
}

impl<'o> TableWriter<'o> {
    /// Begins a file. `run` says which run its rows are of; JSON lines have no place for it.
    pub fn new(out: &'o mut (dyn Write + Send), format: TableFormat, run: &Value) -> io::Result<Self> {
        if format == TableFormat::JsonLines {
            return Ok(Self { form: Form::JsonLines(out) });
        }
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROWS_A_GROUP))
            .set_created_by("grease".to_owned())
            .set_key_value_metadata(Some(vec![
                KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA.to_owned()),
                KeyValue::new(RUN_KEY.to_owned(), run.to_string()),
            ]))
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let schema = Arc::new(schema());
        let writer = ArrowWriter::try_new_with_options(out, Arc::clone(&schema), options)?;
        Ok(Self { form: Form::Parquet { schema, writer: Box::new(writer), waiting: Vec::new() } })
    }

    /// Writes one row.
    pub fn write(&mut self, row: &Row) -> io::Result<()> {
        match &mut self.form {
            Form::JsonLines(out) => {
                serde_json::to_writer(&mut *out, row)?;
                out.write_all(b"\n")
            }
            Form::Parquet { waiting, .. } => {
                waiting.push(serde_json::to_value(row)?);
                if waiting.len() == ROWS_A_BATCH { self.pass_on() } else { Ok(()) }
            }
        }
    }

    /// Rows that wait become columns.
    fn pass_on(&mut self) -> io::Result<()> {
        let Form::Parquet { schema, writer, waiting } = &mut self.form else { return Ok(()) };
        let columns = schema.fields().iter().map(|field| {
            let values: Vec<Option<&Value>> = waiting.iter().map(|row| row.get(field.name())).collect();
            column(field.data_type(), &values)
        });
        let batch = RecordBatch::try_new(Arc::clone(schema), columns.collect()).map_err(io::Error::other)?;
        writer.write(&batch)?;
        waiting.clear();
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.pass_on()?;
        match self.form {
            Form::Parquet { writer, .. } => _ = writer.close()?,
            Form::JsonLines(out) => out.flush()?,
        }
        Ok(())
    }
}
