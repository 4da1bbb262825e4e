//! What the surrogate of the algorithm as published claims, and what of it says anything.

use super::super::figures::{count, edges, maybe, share, spread};
use super::super::select::View;
use super::super::sheet::{Column, Entry, Sheet};
use super::{by_goal, place};
use crate::{Cell, Results};

/// Claims of the algorithm as published, those counted apart beside the others.
pub(crate) fn claims(results: &Results, view: View) -> Option<Sheet> {
    let note = "What the surrogate is satisfied with. Judged: of items that it has on its list before any edit, as the recommender has; of its list: as a share of those items alone. \
        Off the list: claims about the other items, which it never recommended; of those a counterfactual one takes no edge. \
        Nothing needed: claims that the item stays with everything taken away. All claims: the share and EC of whoever counts these too, as Algorithm 1 does. \
        Confirmed: share of the pairs judged or claimed that hold on the recommender.";
    let columns = vec![
        Column::figures("attempted", 2),
        Column::figures("share", 0).under("judged"),
        Column::figures("EC", 1).under("judged"),
        Column::figures("of its list", 2).under("judged"),
        Column::figures("off the list", 3),
        Column::figures("nothing needed", 4),
        Column::figures("share", 0).under("all claims"),
        Column::figures("EC", 1).under("all claims"),
        Column::figures("confirmed", 2),
    ];
    let sheet = Sheet::new(format!("What the surrogate claims, {}", place(view)), note.to_owned(), columns);
    by_goal(results, view, sheet, |model| &model.cells, |cell| &cell.row, |_, cell| figures(cell))
}

fn figures(cell: &Cell) -> Vec<Entry> {
    let Some(claims) = cell.claims else { return Vec::new() };
    let claimed = claims.share.mean * cell.attempted as f64;
    vec![
        Entry::words(count(cell.attempted)),
        spread(cell.judged, cell.repeats, share),
        spread(cell.judged_edges, cell.repeats, edges),
        spread(claims.of_listed, cell.repeats, share),
        Entry::words(count(claims.off_list)),
        Entry::words(count(claims.of_nothing)),
        spread(Some(claims.share), cell.repeats, share),
        spread(claims.edges, cell.repeats, edges),
        maybe((claimed > 0.0).then(|| cell.verified as f64 / claimed), share),
    ]
}
