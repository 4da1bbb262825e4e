//! What rows of a table have in common, whatever they say.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use serde::Serialize;
use serde_json::{Map, Value};

use super::columns::{ERROR, in_columns};
use crate::Record;

/// What a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Explanations,
    Lists,
}

impl Sort {
    /// What one row of it is.
    pub fn one(self) -> &'static str {
        match self {
            Sort::Explanations => "explanation",
            Sort::Lists => "recommendation",
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Explanations => "explanations",
            Sort::Lists => "lists",
        })
    }
}

/// A row of a table: something about somebody, or why there is nothing.
pub trait TableRow: Serialize + Sized {
    /// The version of such rows, which a table says in its metadata.
    const VERSION: &'static str;
    /// What a table of them holds.
    const SORT: Sort;
    /// Columns without which a table holds something else.
    const NEEDED: &'static [&'static str];

    /// All columns.
    fn schema() -> Schema;

    /// Whom it is about.
    fn user(&self) -> &str;

    /// Why there is nothing about them.
    fn error(&self) -> Option<&str>;

    /// The explanation, if it is one.
    fn record(&self) -> Option<&Record> {
        None
    }

    /// From the columns of one row, each as it is in JSON; or what is wrong with it.
    fn from_object(object: Map<String, Value>) -> Result<Self, String>;

    /// Many of them as columns. Going by way of JSON keeps one definition of what a row looks like to others.
    fn columns(rows: &[Self], schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let values = rows.iter().map(serde_json::to_value).collect::<Result<Vec<Value>, _>>();
        in_columns(schema, &values.map_err(|error| ArrowError::JsonError(error.to_string()))?)
    }

    /// The rows of a table in memory.
    fn record_batch(rows: &[Self]) -> Result<RecordBatch, ArrowError> {
        Self::columns(rows, &Arc::new(Self::schema()))
    }
}

/// Takes out who failed and why, where that is what the row says.
pub(super) fn failure(object: &mut Map<String, Value>) -> Result<Option<(String, String)>, String> {
    match (object.remove(ERROR), object.get("user")) {
        (Some(Value::String(error)), Some(Value::String(user))) => Ok(Some((user.clone(), error))),
        (Some(Value::String(_)), _) => Err("it says of nobody that they failed".to_owned()),
        _ => Ok(None),
    }
}
