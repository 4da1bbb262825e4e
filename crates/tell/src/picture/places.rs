//! Where the explained item stands now, and where it would.

use grease_explain::{Change, Goal, Status, Weaker};

use crate::grammar::ordinal;
use crate::sentence::Voice;
use crate::{Instead, Record};

/// A line of text, with the class it is drawn in.
pub(super) type Place = (&'static str, String);

/// Up to four lines under the item: its place now, its places then, and what comes instead.
pub(super) fn places(voice: &Voice<'_>) -> Vec<Place> {
    let record = voice.record;
    let mut places = vec![("small", format!("now: {}", Voice::place(record.rank_before)))];
    let then = match (voice.instead(), record.status) {
        (Some(told), _) => told_instead(record, told),
        (None, Status::Verified | Status::Refuted) => asked(record),
        (None, _) => Vec::new(),
    };
    let line = |(when, rank): (&str, usize)| {
        let off = if rank > record.k { ", off the list" } else { "" };
        ("told strong", format!("{when}: {}{off}", ordinal(rank)))
    };
    places.extend(then.into_iter().map(line));
    if let (Some(id), Goal::Counterfactual | Goal::Joint) = (&record.replaced_by, record.goal) {
        let name = voice.plain_name(record.replaced_by_title.as_deref(), id);
        places.push(("small", format!("instead: {name}")));
    }
    places
}

fn asked(record: &Record) -> Vec<(&'static str, usize)> {
    let after = match record.goal {
        Goal::Factual => "by these alone",
        Goal::Joint => "without",
        Goal::Counterfactual | Goal::WhyNot => "then",
    };
    let alone = record.alone.map(|alone| ("by these alone", alone.rank));
    alone.into_iter().chain(record.rank_after.map(|rank| (after, rank))).collect()
}

fn told_instead(record: &Record, told: &Instead) -> Vec<(&'static str, usize)> {
    let is_kept = told.edges.iter().all(|edge| edge.change == Change::Kept);
    match told.question {
        Weaker::HistoryAlone => vec![("then", told.rank_after)],
        Weaker::Many if is_kept => vec![("by these alone", told.rank_after)],
        Weaker::Many => vec![("then", told.rank_after)],
        Weaker::Parts => {
            let alone = record.alone.map(|alone| ("enough alone", alone.rank));
            alone.into_iter().chain([("without", told.rank_after)]).collect()
        }
    }
}
