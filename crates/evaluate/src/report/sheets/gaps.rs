//! How much each method leaves to the ceiling.

use super::super::figures::{count, edges, maybe, share};
use super::super::select::View;
use super::super::sheet::{Column, Entry, Sheet};
use super::{by_goal, place};
use crate::Results;

/// Methods beside the ceiling, on the ceiling's own pairs.
pub(crate) fn gaps(results: &Results, view: View) -> Option<Sheet> {
    let note = "Only the pairs the ceiling was computed for, so that like is compared with like. \
        EC on the pairs both solve; as short: the method needs no more edges there than the ceiling.";
    let columns = vec![
        Column::figures("pairs", 2),
        Column::figures("verified", 0),
        Column::figures("ceiling", 0),
        Column::figures("EC", 1).under("both solve"),
        Column::figures("ceiling", 1).under("both solve"),
        Column::figures("pairs", 2).under("both solve"),
        Column::figures("as short", 1),
    ];
    let sheet = Sheet::new(format!("Gap to the ceiling, {}", place(view)), note.to_owned(), columns);
    by_goal(
        results,
        view,
        sheet,
        |model| &model.gaps,
        |gap| &gap.row,
        |_, gap| {
            vec![
                Entry::words(count(gap.pairs)),
                Entry::words(count(gap.verified)),
                Entry::words(count(gap.ceiling)),
                maybe(gap.both.map(|both| both.edges), edges),
                maybe(gap.both.map(|both| both.other_edges), edges),
                gap.both.map_or_else(Entry::missing, |both| Entry::words(count(both.pairs))),
                maybe(gap.as_short, share),
            ]
        },
    )
}
