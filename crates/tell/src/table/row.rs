//! What a file of many explanations is made of.

use arrow_schema::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::columns::of_explanations;
use super::kind::failure;
use super::{Sort, TableRow};
use crate::{Record, SCHEMA, is_read};

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Row {
    /// Somebody who could not be explained anything.
    Failure {
        /// Their id, or what they were called.
        user: String,
        error: String,
    },
    /// An explanation.
    Explanation(Box<Record>),
}

impl Row {
    /// The explanation, if it is one.
    pub fn explanation(self) -> Option<Record> {
        match self {
            Row::Failure { .. } => None,
            Row::Explanation(record) => Some(*record),
        }
    }
}

impl TableRow for Row {
    const VERSION: &'static str = SCHEMA;
    const SORT: Sort = Sort::Explanations;
    const NEEDED: &'static [&'static str] = &["schema", "user", "item"];

    fn schema() -> Schema {
        of_explanations()
    }

    fn user(&self) -> &str {
        match self {
            Row::Failure { user, .. } => user,
            Row::Explanation(record) => &record.user,
        }
    }

    fn error(&self) -> Option<&str> {
        match self {
            Row::Failure { error, .. } => Some(error),
            Row::Explanation(_) => None,
        }
    }

    fn record(&self) -> Option<&Record> {
        match self {
            Row::Failure { .. } => None,
            Row::Explanation(record) => Some(record),
        }
    }

    fn from_object(mut object: Map<String, Value>) -> Result<Self, String> {
        if let Some((user, error)) = failure(&mut object)? {
            return Ok(Row::Failure { user, error });
        }
        let schema = object.get("schema").cloned().unwrap_or_default();
        if !schema.as_str().is_some_and(is_read) {
            return Err(format!("its schema is {schema}, expected \"{SCHEMA}\" or an earlier one"));
        }
        let record = serde_json::from_value(Value::Object(object));
        Ok(Row::Explanation(Box::new(record.map_err(|error| error.to_string())?)))
    }
}
