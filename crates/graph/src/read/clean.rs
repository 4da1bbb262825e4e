//! From what was collected to clean [`Interactions`](crate::Interactions): sorted, unique, filtered,
//! every row with an interaction.

use std::path::Path;

use super::collect::Collector;
use super::core::k_core;
use super::error::ReadError;
use super::ratings::Tally;
use super::report::{Dropped, ReadReport};
use crate::{Catalogue, CatalogueBuilder, Edge, Field, ItemId, UserId};

/// Clean data that still waits for titles.
pub(crate) struct Cleaned {
    pub(crate) users: CatalogueBuilder,
    pub(crate) items: CatalogueBuilder,
    pub(crate) train: Vec<Edge>,
    pub(crate) test: Option<Vec<Edge>>,
}

/// Sorts, collapses repetitions, takes the k-core; counts what went into `report`.
pub(crate) fn clean(
    mut collector: Collector<'_>,
    file: &Path,
    report: &mut ReadReport,
) -> Result<Cleaned, ReadError> {
    let options = collector.options();
    report.lines = collector.lines;
    report.below_min_rating = collector.below_min_rating;
    report.ratings = collector.ratings.take().and_then(Tally::finish);
    let (train, mut duplicates) = collector.train.finish();
    let test = collector.test.map(|test| {
        let (mut test, repeated) = test.finish();
        duplicates += repeated;
        let before = test.len();
        remove_sorted(&mut test, &train);
        report.in_both_parts = (before - test.len()) as u64;
        test
    });
    report.duplicates = duplicates;
    let path = file.to_path_buf();
    if train.is_empty() {
        return Err(match options.min_rating {
            Some(min) if report.below_min_rating > 0 => {
                let filter = format!("{} {min}", Field::MinRating);
                ReadError::NothingLeft { path, before: report.below_min_rating, filter }
            }
            _ => ReadError::NoInteractions { path, lines: report.lines },
        });
    }
    let mut cleaned = Cleaned { users: collector.users, items: collector.items, train, test };
    if let Some(k) = options.k_core {
        let before = cleaned.train.len() as u64;
        cleaned = take_core(cleaned, k, &mut report.dropped_by_core);
        if cleaned.train.is_empty() {
            return Err(ReadError::NothingLeft { path, before, filter: format!("{} {k}", Field::KCore) });
        }
    }
    Ok(cleaned)
}

/// Removes from `edges` what `others` has; both sorted.
fn remove_sorted(edges: &mut Vec<Edge>, others: &[Edge]) {
    let mut others = others.iter().peekable();
    edges.retain(|edge| {
        while others.next_if(|other| *other < edge).is_some() {}
        others.peek() != Some(&edge)
    });
}

fn take_core(data: Cleaned, k: u32, dropped: &mut Dropped) -> Cleaned {
    if k == 0 {
        return data;
    }
    let (users, items) = k_core(&data.train, data.users.len(), data.items.len(), k);
    let (users, user_rows) = keep_rows(&data.users.finish(), &users, &mut dropped.users);
    let (items, item_rows) = keep_rows(&data.items.finish(), &items, &mut dropped.items);
    let mut renumber = |edges: Vec<Edge>| {
        let before = edges.len();
        // Rows keep their order, so the edges keep theirs.
        let kept: Vec<Edge> = edges
            .into_iter()
            .filter_map(|edge| {
                let (user, item) = (user_rows[edge.user.row()]?, item_rows[edge.item.row()]?);
                Some(Edge { user: UserId(user), item: ItemId(item) })
            })
            .collect();
        dropped.interactions += (before - kept.len()) as u64;
        kept
    };
    Cleaned { train: renumber(data.train), test: data.test.map(&mut renumber), users, items }
}

/// The kept rows under new numbers, and old number -> new number.
fn keep_rows(old: &Catalogue, keep: &[bool], dropped: &mut u64) -> (CatalogueBuilder, Vec<Option<u32>>) {
    let mut new = CatalogueBuilder::new();
    let rows = keep
        .iter()
        .zip(0u32..)
        .map(|(&keep, row)| {
            if !keep {
                *dropped += 1;
                return None;
            }
            let kept = new.intern(old.id(row))?;
            if let Some(title) = old.title(row) {
                new.set_title(kept, title);
            }
            Some(kept)
        })
        .collect();
    (new, rows)
}
