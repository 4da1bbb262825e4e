//! Parquet: the columns needed and no others, batch by batch.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::ChunkReader;

use super::arrow::ArrowColumns;
use super::error::{At, ReadError};
use super::rows::Sink;

/// Reads every row of a Parquet file into `sink`.
pub(crate) fn read_parquet(path: &Path, sink: &mut dyn Sink) -> Result<(), ReadError> {
    read_from(path, File::open(path).map_err(|e| ReadError::io(path, e))?, sink)
}

/// As [`read_parquet`], of what was read already.
pub(crate) fn parse_parquet(name: &Path, bytes: &[u8], sink: &mut dyn Sink) -> Result<(), ReadError> {
    read_from(name, Bytes::copy_from_slice(bytes), sink)
}

fn read_from(path: &Path, file: impl ChunkReader + 'static, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(file))?;
    let names: Vec<String> = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let pick = sink.pick(At::file(path), &names)?;
    let mut wanted: Vec<usize> =
        [pick.user, Some(pick.item), pick.rating, pick.title].into_iter().flatten().collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted.iter().copied());
    let mut reader = guarded(path, || builder.with_projection(mask).with_batch_size(8192).build())?;
    let mut first_row = 1;
    while let Some(batch) = next_batch(path, &mut reader)? {
        let columns = ArrowColumns { batch: &batch, wanted: &wanted, names: &names, path };
        columns.read(&pick, first_row, sink)?;
        first_row += batch.num_rows() as u64;
    }
    Ok(())
}

fn next_batch(path: &Path, reader: &mut ParquetRecordBatchReader) -> Result<Option<RecordBatch>, ReadError> {
    guarded(path, || reader.next().transpose())
}

fn guarded<T, E: std::fmt::Display>(
    path: &Path,
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, ReadError> {
    guard_decoding(decode).map_err(|message| ReadError::Parquet { path: path.to_path_buf(), message })
}

/// Decodes Parquet. The decoder gives up on some damaged files by panicking; to the person that is the same damage. The
/// error is one short line.
pub fn guard_decoding<T, E: std::fmt::Display>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    let said = match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(decoded)) => return Ok(decoded),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its contents contradict each other".to_owned(),
    };
    Err(said.replace(char::is_control, " ").chars().take(200).collect())
}
