//! What a file of many lists is made of.

use std::sync::Arc;

use arrow_array::{Float32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::columns::{ERROR, schema};
use super::kind::failure;
use super::{Sort, TableRow};

/// One place on somebody's list, or why they have none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// Somebody who has no list.
    Failure {
        /// Their id, or what they were called.
        user: String,
        error: String,
    },
    /// A place.
    Listed {
        user: String,
        /// From 1.
        rank: u32,
        item: String,
        item_title: Option<String>,
        score: f32,
    },
}

impl TableRow for Place {
    const VERSION: &'static str = "grease.lists/1";
    const SORT: Sort = Sort::Lists;
    const NEEDED: &'static [&'static str] = &["user", "rank", "item", "score"];

    fn schema() -> Schema {
        use DataType::{Float32, Int64, Utf8};
        schema([
            ("user", Utf8),
            ("rank", Int64),
            ("item", Utf8),
            ("item_title", Utf8),
            ("score", Float32),
            (ERROR, Utf8),
        ])
    }

    fn user(&self) -> &str {
        match self {
            Place::Failure { user, .. } | Place::Listed { user, .. } => user,
        }
    }

    fn error(&self) -> Option<&str> {
        match self {
            Place::Failure { error, .. } => Some(error),
            Place::Listed { .. } => None,
        }
    }

    fn from_object(mut object: Map<String, Value>) -> Result<Self, String> {
        if let Some((user, error)) = failure(&mut object)? {
            return Ok(Place::Failure { user, error });
        }
        serde_json::from_value(Value::Object(object))
            .map_err(|_| "it names no user, rank, item and score".to_owned())
    }

    /// Straight from the rows: there are millions, and making JSON of each would take longer than finding it.
    fn columns(rows: &[Self], schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let listed = || {
            rows.iter().map(|row| match row {
                Place::Failure { .. } => None,
                Place::Listed { rank, item, item_title, score, .. } => {
                    Some((*rank, item.as_str(), item_title.as_deref(), *score))
                }
            })
        };
        RecordBatch::try_new(
            Arc::clone(schema),
            vec![
                Arc::new(rows.iter().map(|row| Some(row.user())).collect::<StringArray>()),
                Arc::new(listed().map(|row| Some(i64::from(row?.0))).collect::<Int64Array>()),
                Arc::new(listed().map(|row| Some(row?.1)).collect::<StringArray>()),
                Arc::new(listed().map(|row| row?.2).collect::<StringArray>()),
                Arc::new(listed().map(|row| Some(row?.3)).collect::<Float32Array>()),
                Arc::new(rows.iter().map(TableRow::error).collect::<StringArray>()),
            ],
        )
    }
}
