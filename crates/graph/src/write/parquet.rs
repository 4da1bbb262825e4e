//! Parquet with the columns `user`, `item` and, where there are titles, `title`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::{Titles, WriteError, check_ids, ids, parts, put};
use crate::{Edge, Interactions};

/// Rows to a batch, so that memory does not go with the size of the data.
const BATCH: usize = 1 << 16;

/// Writes Parquet; a title is repeated with each interaction, which the dictionary encoding makes cheap.
pub fn write_parquet(path: &Path, data: &Interactions) -> Result<Vec<PathBuf>, WriteError> {
    check_ids(data, "parquet", true)?;
    let mut fields =
        vec![Field::new("user", DataType::Utf8, false), Field::new("item", DataType::Utf8, false)];
    if data.items.titled() > 0 {
        fields.push(Field::new("title", DataType::Utf8, true));
    }
    let schema = Arc::new(Schema::new(fields));
    let mut files = Vec::new();
    for (path, edges) in parts(path, data, Titles::Within)? {
        put(&path, |out| {
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            let mut writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties))?;
            for edges in edges.chunks(BATCH) {
                let columns = columns(data, edges, schema.fields().len() > 2);
                let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(io::Error::other)?;
                writer.write(&batch)?;
            }
            writer.close()?;
            Ok(())
        })?;
        files.push(path);
    }
    Ok(files)
}

fn columns(data: &Interactions, edges: &[Edge], titles: bool) -> Vec<ArrayRef> {
    let users: StringArray = edges.iter().map(|&edge| Some(ids(data, edge).0)).collect();
    let items: StringArray = edges.iter().map(|&edge| Some(ids(data, edge).1)).collect();
    let mut columns: Vec<ArrayRef> = vec![Arc::new(users), Arc::new(items)];
    if titles {
        let titles: StringArray = edges.iter().map(|edge| data.items.title(edge.item.0)).collect();
        columns.push(Arc::new(titles));
    }
    columns
}
