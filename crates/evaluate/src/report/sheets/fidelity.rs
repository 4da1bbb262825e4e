//! Whether a faithful surrogate is one whose answers hold.

use super::super::figures::{count, decimals, maybe, share};
use super::super::select::View;
use super::super::sheet::{Column, Entry, Sheet};
use super::{by_goal, place};
use crate::Results;

/// How the quarters are called.
pub(crate) const QUARTERS: [&str; 4] = ["least faithful", "second", "third", "most faithful"];

/// Verified shares by how faithful the surrogate is.
pub(crate) fn fidelity(results: &Results, view: View) -> Option<Sheet> {
    let note = "Pairs in four quarters by their surrogate’s fidelity: share verified, and in brackets from which fidelity to which. \
        AUC: probability that a verified pair’s surrogate is more faithful than that of a pair not verified; 0.5 says nothing. \
        Of found: the same among pairs the method itself came to an answer for.";
    let mut columns = vec![Column::figures("pairs", 1)];
    columns.extend(QUARTERS.map(|quarter| Column::figures(quarter, 2)));
    columns.extend([Column::figures("AUC", 0), Column::figures("AUC of found", 1)]);
    let sheet = Sheet::new(format!("Fidelity and what holds, {}", place(view)), note.to_owned(), columns);
    by_goal(
        results,
        view,
        sheet,
        |model| &model.fidelity,
        |one| &one.row,
        |_, one| {
            let mut row = vec![Entry::words(count(one.pairs))];
            row.extend((0..QUARTERS.len()).map(|at| {
                one.quarters.get(at).map_or_else(Entry::missing, |quarter| {
                    let [from, to] = [quarter.from, quarter.to].map(|bound| decimals(bound, 2));
                    Entry::words(format!("{} ({from} to {to})", share(quarter.share)))
                })
            }));
            row.extend([maybe(one.auc, share), maybe(one.auc_of_found, share)]);
            row
        },
    )
}
