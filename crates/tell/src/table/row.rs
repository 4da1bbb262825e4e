//! What a file of many explanations is made of.

use serde::{Deserialize, Serialize};

use crate::Record;

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
    /// Whom it is about.
    pub fn user(&self) -> &str {
        match self {
            Row::Failure { user, .. } => user,
            Row::Explanation(record) => &record.user,
        }
    }

    /// The explanation, if it is one.
    pub fn explanation(self) -> Option<Record> {
        match self {
            Row::Failure { .. } => None,
            Row::Explanation(record) => Some(*record),
        }
    }
}
