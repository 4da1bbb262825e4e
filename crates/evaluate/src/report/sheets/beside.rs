//! Every method beside grease, on the pairs both tried and on those both solve: who is ahead, and by how much.

use super::super::figures::{count, edges, share};
use super::super::select::View;
use super::super::sheet::{Column, Entry, Sheet};
use super::{by_goal, place};
use crate::bar::standing;
use crate::{Cell, Interval, Results};

/// Methods beside grease.
pub(crate) fn beside(results: &Results, view: View) -> Option<Sheet> {
    let note = "Only pairs that both this method and grease tried: how much greater the share is that grease verifies, with the 95 % interval, people’s lists being what is drawn. \
        On the pairs both solve: how many more edges the method needs. Grease is ahead where the whole interval is above 0, behind where it is below.";
    let words = |head: &str, rank| Column { rank, ..Column::words(head) };
    let columns = vec![
        Column::figures("pairs", 4).under("both tried"),
        Column::figures("method", 3).under("both tried"),
        Column::figures("grease", 3).under("both tried"),
        Column::figures("grease more by", 0).under("both tried"),
        words("grease is", 1).under("both tried"),
        Column::figures("pairs", 4).under("both solve"),
        Column::figures("edges more", 2).under("both solve"),
        words("grease is", 2).under("both solve"),
    ];
    let sheet = Sheet::new(format!("Beside grease, {}", place(view)), note.to_owned(), columns);
    by_goal(results, view, sheet, |model| &model.cells, |cell| &cell.row, |_, cell| figures(cell))
}

fn figures(cell: &Cell) -> Vec<Entry> {
    let Some(tried) = cell.beside_grease else { return Vec::new() };
    let of = |verified: usize| Entry::words(share(verified as f64 / tried.pairs as f64));
    let solved = cell.against_grease;
    let longer = solved.and_then(|both| both.longer);
    vec![
        Entry::words(count(tried.pairs)),
        of(tried.verified),
        of(tried.grease),
        interval(tried.ahead, share),
        said(tried.ahead),
        solved.map_or_else(Entry::missing, |both| Entry::words(count(both.pairs))),
        interval(longer, edges),
        said(longer),
    ]
}

fn interval(known: Option<Interval>, written: fn(f64) -> String) -> Entry {
    known.map_or_else(Entry::missing, |Interval { mean, low, high }| {
        Entry::words(format!("{} ({} to {})", written(mean), written(low), written(high)))
    })
}

fn said(known: Option<Interval>) -> Entry {
    known.map_or_else(Entry::missing, |known| Entry::words(standing(known).name()))
}
