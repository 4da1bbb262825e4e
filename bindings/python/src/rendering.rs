//! From the JSON of explanations to what people see, and to tables.

use grease::graph::Words;
use grease::{ListRecord, Record, Row, TableRow as _};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::errors::Failure;

/// Person, did, item, items.
pub(crate) type PlainWords = (String, String, String, String);

pub(crate) fn words((person, did, item, items): PlainWords) -> Words {
    Words { person, did, item, items }
}

fn records(lines: &[String]) -> Result<Vec<Record>, Failure> {
    Ok(lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<_, _>>()?)
}

/// A picture (SVG) of one explanation.
#[pyfunction]
pub(crate) fn picture(record: String, words_: PlainWords) -> PyResult<String> {
    let records = records(&[record])?;
    Ok(grease::picture(&records[0], &words(words_)))
}

/// A picture (SVG) of what a list rests on.
#[pyfunction]
pub(crate) fn list_picture(record: &str, words_: PlainWords) -> PyResult<String> {
    let record: ListRecord = serde_json::from_str(record).map_err(Failure::from)?;
    Ok(grease::list_picture(&record, &words(words_)))
}

/// A page (HTML) of several.
#[pyfunction]
pub(crate) fn page(title: &str, lines: Vec<String>, words_: PlainWords) -> PyResult<String> {
    Ok(grease::page(title, &records(&lines)?, &words(words_)))
}

/// Several in words, at most `width` characters a line.
#[pyfunction]
pub(crate) fn text(lines: Vec<String>, words_: PlainWords, width: usize) -> PyResult<String> {
    Ok(grease::text(&records(&lines)?, &words(words_), width))
}

/// A table with a row for each: the columns of a file of `grease batch`.
#[pyfunction]
pub(crate) fn table(lines: Vec<String>) -> PyResult<PyTable> {
    let rows: Result<Vec<Row>, _> = lines.iter().map(|line| serde_json::from_str(line)).collect();
    let batch = Row::record_batch(&rows.map_err(Failure::from)?)
        .map_err(|error| Failure::Other(error.to_string()))?;
    let schema = batch.schema();
    PyTable::try_new(vec![batch], schema)
}
