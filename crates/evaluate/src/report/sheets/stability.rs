//! Whether another seed tells people something else.

use super::super::figures::{count, maybe, share};
use super::super::select::View;
use super::super::sheet::{Column, Entry, Sheet};
use super::{by_goal, place};
use crate::Results;

/// Agreement across seeds.
pub(crate) fn stability(results: &Results, view: View) -> Option<Sheet> {
    let note = "The same pairs explained with different seeds, each seed compared with each. Same verdict: both verified or neither. \
        Where both are verified: mean Jaccard overlap of their edges, and how often the edges are exactly the same.";
    let columns = vec![
        Column::figures("seeds", 3),
        Column::figures("people", 2),
        Column::figures("pairs", 1),
        Column::figures("same verdict", 0),
        Column::figures("overlap", 0),
        Column::figures("same edges", 0),
    ];
    let sheet = Sheet::new(format!("Stability, {}", place(view)), note.to_owned(), columns);
    by_goal(
        results,
        view,
        sheet,
        |model| &model.stability,
        |one| &one.row,
        |_, one| {
            vec![
                Entry::words(count(one.seeds)),
                Entry::words(count(one.people)),
                Entry::words(count(one.pairs)),
                Entry::words(share(one.same_verdict)),
                maybe(one.overlap, share),
                maybe(one.same_edges, share),
            ]
        },
    )
}
