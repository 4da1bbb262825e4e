//! What stands behind the shares: how many pairs, what came of them, at what cost.

use grease_explain::Goal;

use super::super::figures::{count, decimals, edges, maybe, share, spread};
use super::super::select::View;
use super::super::sheet::{Column, Entry, Sheet};
use super::super::words;
use super::{by_goal, place};
use crate::{Cell, Results, Row, Times};

/// The counts of one view, with milliseconds an explanation where times are given.
pub(crate) fn counts(results: &Results, view: View, times: Option<&Times>) -> Option<Sheet> {
    let note = "Every share is verified over attempted. Found: the method itself came to an answer; refuted: the recommender denies it; \
        trivial: holds with nothing put back, and is not counted as verified. Queries an explanation, the list’s shared ones divided among its pairs. \
        Fidelity: mean rank correlation of the surrogate’s changes with the real ones. Agrees: share of pairs whose item the surrogate of the algorithm as published has on the list before any edit, as the recommender has; the others it cannot explain. \
        Minimal: share of verified answers from which no single edge can be spared. \
        EC on pairs both this method and grease solve is the fair comparison of lengths.";
    let columns = vec![
        Column::figures("attempted", 1),
        Column::figures("found", 3),
        Column::figures("verified", 0),
        Column::figures("refuted", 2),
        Column::figures("trivial", 4),
        Column::figures("queries", 1),
        Column::figures("fidelity", 5),
        Column::figures("agrees", 6),
        Column::figures("minimal", 6),
        Column::figures("EC", 2).under("both solve"),
        Column::figures("grease", 2).under("both solve"),
        Column::figures("pairs", 3).under("both solve"),
        Column::figures("ms", 1),
        Column { rank: 7, ..Column::words("mostly nothing because") },
    ];
    let sheet = Sheet::new(format!("Counts and costs, {}", place(view)), note.to_owned(), columns);
    let time = |at: usize, row: &Row| {
        let of_model = times?.models.get(at)?;
        of_model.iter().find(|time| time.row == *row).map(|time| time.ms)
    };
    by_goal(
        results,
        view,
        sheet,
        |model| &model.cells,
        |cell| &cell.row,
        |at, cell| {
            let mut row = figures(cell);
            row.insert(row.len() - 1, maybe(time(at, &cell.row), |ms| decimals(ms, 2)));
            row
        },
    )
}

fn figures(cell: &Cell) -> Vec<Entry> {
    let number = |value| Entry::words(count(value));
    let trivial = if cell.row.goal == Goal::Factual { number(cell.trivial) } else { Entry::missing() };
    let both = cell.against_grease;
    let reason = cell.reasons.first().map_or_else(Entry::missing, |(code, times)| {
        Entry::words(format!("{} ({})", words::reason(code), count(*times)))
    });
    vec![
        number(cell.attempted),
        number(cell.found),
        number(cell.verified),
        number(cell.refuted),
        trivial,
        spread(Some(cell.queries), cell.repeats, edges),
        maybe(cell.surrogate_fidelity, share),
        maybe(cell.surrogate_agrees, share),
        maybe(cell.minimal, share),
        maybe(both.map(|both| both.edges), edges),
        maybe(both.map(|both| both.other_edges), edges),
        both.map_or_else(Entry::missing, |both| number(both.pairs)),
        reason,
    ]
}
