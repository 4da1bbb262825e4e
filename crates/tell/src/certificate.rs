//! What was checked, in one short line.

use grease_explain::{Goal, Status};
use grease_graph::counted;

use crate::Record;

/// "checked: rank 3 -> 12, 7 questions asked"; a guess and a failure are called so.
pub fn certificate(record: &Record) -> String {
    let from = match record.goal {
        Goal::Factual => record.rank_start,
        Goal::Counterfactual | Goal::Joint | Goal::WhyNot => Some(record.rank_before),
    };
    let ranks = match (from, record.rank_after) {
        (Some(from), Some(after)) => format!("rank {from} -> {after}"),
        (Some(from), None) => format!("rank {from}"),
        (None, Some(after)) => format!("{} -> rank {after}", placed(None)),
        (None, None) => placed(None),
    };
    let asked = format!("{} asked", counted(asked(record), "question"));
    match record.status {
        Status::Verified | Status::Trivial => format!("checked: {ranks}, {asked}"),
        Status::Refuted => format!("checked and denied: {ranks}, {asked}"),
        Status::Unverified => "not checked: a guess".to_owned(),
        Status::NotFound => format!("not found: {ranks}, {asked}"),
    }
}

/// Questions asked, as a whole number: an explanation's share of what a list asks together is seldom one.
pub(crate) fn asked(record: &Record) -> f32 {
    record.queries.ceil()
}

/// A rank; a rank among ties is none.
pub(crate) fn placed(rank: Option<usize>) -> String {
    rank.map_or_else(|| "not placed".to_owned(), |rank| rank.to_string())
}
