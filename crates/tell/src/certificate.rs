//! What was checked, in one short line.

use grease_explain::{Goal, Status};

use crate::Record;

/// "checked: rank 3 -> 12, questions asked 6.5"; a guess and a failure are called so.
pub fn certificate(record: &Record) -> String {
    let from = match record.goal {
        Goal::Factual => record.rank_start,
        Goal::Counterfactual | Goal::WhyNot => record.rank_before,
    };
    let ranks = match record.rank_after {
        Some(after) => format!("rank {from} -> {after}"),
        None => format!("rank {from}"),
    };
    let asked = format!("questions asked {}", asked(record));
    match record.status {
        Status::Verified | Status::Trivial => format!("checked: {ranks}, {asked}"),
        Status::Refuted => format!("checked and denied: {ranks}, {asked}"),
        Status::Unverified => "not checked: a guess".to_owned(),
        Status::NotFound => format!("not found: {ranks}, {asked}"),
    }
}

/// Questions asked, to a tenth: they are shared out over a list.
pub(crate) fn asked(record: &Record) -> String {
    ((record.queries * 10.0).round() / 10.0).to_string()
}
