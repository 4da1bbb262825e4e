//! Which row of which table.

use grease_explain::{Goal, Method, Rigour};
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// Which row of which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Row {
    pub table: Table,
    /// Length of the lists.
    pub k: usize,
    /// Which goal: PN for counterfactual, PS for factual.
    pub goal: Goal,
    pub method: Method,
    /// In its own right or certified. `paper`, `grease` and `exact` have one reading only and are "certified" here;
    /// `paper`'s one answer is judged by its surrogate and then checked.
    pub rigour: Rigour,
}
