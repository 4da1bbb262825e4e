//! What came of a run, in numbers.

use std::collections::BTreeMap;

use grease_explain::Status;
use serde::Serialize;
use serde_json::Value;

use grease_tell::table::TableRow;

/// What came of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// People, those who failed included.
    pub people: usize,
    pub failed: usize,
    /// Why the first of them did.
    pub first_error: Option<String>,
    /// Rows that say something: explanations, or places on lists.
    pub rows: usize,
    /// Explanations by goal and by status, as both are called in JSON.
    pub explanations: BTreeMap<(String, String), usize>,
    /// Interactions named by verified explanations, all together.
    pub verified_edges: usize,
    /// Questions asked of the model.
    pub queries: f64,
}

impl Summary {
    /// Counts one more row.
    pub(super) fn count(&mut self, row: &impl TableRow) {
        if let Some(error) = row.error() {
            self.failed += 1;
            self.first_error.get_or_insert_with(|| format!("{}: {error}", row.user()));
            return;
        }
        self.rows += 1;
        if let Some(record) = row.record() {
            *self.explanations.entry((name(record.goal), name(record.status))).or_default() += 1;
            self.queries += f64::from(record.queries);
            if record.status == Status::Verified {
                self.verified_edges += record.edges.len();
            }
        }
    }

    /// Interactions a verified explanation names; `None` without any.
    pub fn mean_edges(&self) -> Option<f64> {
        let verified = name(Status::Verified);
        let count: usize =
            self.explanations.iter().filter(|((_, status), _)| *status == verified).map(|(_, n)| n).sum();
        (count > 0).then(|| self.verified_edges as f64 / count as f64)
    }
}

/// What it is called in JSON.
fn name(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        other => unreachable!("goals and statuses are words, not {other:?}"),
    }
}
