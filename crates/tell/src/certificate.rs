//! What was checked, in one short line.

use grease_explain::{Change, Goal, Status, Weaker};
use grease_graph::counted;

use crate::{Alone, Record};

/// "checked: rank 3 -> 12, 7 questions asked"; a guess and a failure are called so, and what was checked instead of what was asked.
pub fn certificate(record: &Record) -> String {
    let asked = format!("{} asked", counted(asked(record), "question"));
    let ranks = ranks(record);
    match record.status {
        Status::Verified | Status::Trivial => format!("checked: {ranks}, {asked}"),
        Status::Refuted => format!("checked and denied: {ranks}, {asked}"),
        Status::Unverified => "not checked: a guess".to_owned(),
        Status::NotFound => match checked_instead(record) {
            Some(instead) => format!("not found; checked instead: {instead}, {asked}"),
            None => format!("not found: {ranks}, {asked}"),
        },
    }
}

fn ranks(record: &Record) -> String {
    let from = match record.goal {
        Goal::Factual => record.rank_start,
        Goal::Counterfactual | Goal::Joint | Goal::WhyNot => Some(record.rank_before),
    };
    let alone = |alone: Alone| format!(" without, rank {} with these alone", alone.rank);
    let alone = record.alone.filter(|_| record.goal == Goal::Joint).map_or_else(String::new, alone);
    match (from, record.rank_after) {
        (Some(from), Some(after)) => format!("rank {from} -> {after}{alone}"),
        (Some(from), None) => format!("rank {from}"),
        (None, Some(after)) => format!("{} -> rank {after}", placed(None)),
        (None, None) => placed(None),
    }
}

/// What was checked instead of what was asked. Where the profile was set aside, no rank without it is known to begin with.
pub(crate) fn checked_instead(record: &Record) -> Option<String> {
    let told = record.instead.as_ref().filter(|_| record.status == Status::NotFound)?;
    let (before, after) = (record.rank_before, told.rank_after);
    let cited = |change: Change| told.edges.iter().filter(|edge| edge.change == change).count();
    let (removed, kept) = (cited(Change::Removed), cited(Change::Kept));
    Some(match told.question {
        Weaker::HistoryAlone if removed == 0 => format!("rank {after} going by the history alone"),
        Weaker::HistoryAlone => {
            format!("rank {after} without {} going by the history alone", counted(removed, "interaction"))
        }
        Weaker::Many if removed == 0 => format!("rank {after} with {} alone", counted(kept, "interaction")),
        Weaker::Many => format!("rank {before} -> {after} without {}", counted(removed, "interaction")),
        Weaker::Parts => {
            let alone = record
                .alone
                .map_or_else(String::new, |alone| format!(", rank {} with {kept} alone", alone.rank));
            format!("rank {before} -> {after} without {}{alone}", counted(removed, "interaction"))
        }
    })
}

/// Questions asked, as a whole number: an explanation's share of what a list asks together is seldom one.
pub(crate) fn asked(record: &Record) -> f32 {
    record.queries.ceil()
}

/// A rank; a rank among ties is none.
pub(crate) fn placed(rank: Option<usize>) -> String {
    rank.map_or_else(|| "not placed".to_owned(), |rank| rank.to_string())
}
