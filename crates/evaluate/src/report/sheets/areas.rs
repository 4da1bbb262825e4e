//! One figure for a whole budget curve.

use super::super::figures::{maybe, share};
use super::super::select::{GOALS, View, ks, lines, models};
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use crate::{Axis, Results, Table};

/// Areas under the budget curves of a table, at every length of lists.
pub(crate) fn areas(results: &Results, table: Table) -> Option<Sheet> {
    let ks = ks(results, table);
    let mut columns = vec![Column::words("method")];
    for goal in GOALS {
        let rank = |at: usize| u8::try_from(at).unwrap_or(u8::MAX);
        columns.extend(
            ks.iter()
                .enumerate()
                .map(|(at, k)| Column::figures(&format!("top-{k}"), rank(at)).under(words::share(goal))),
        );
    }
    let note = format!(
        "Mean of the verified shares when explanations may have at most 1, 2, … {} edges: 1 would be every pair explained by a single edge.",
        results.settings.budget
    );
    let title = format!("Area under the budget curve, {}", words::table(table));
    let mut sheet = Sheet::new(title, note, columns);
    for (_, model) in models(results) {
        let mut of_model = Vec::new();
        for view in ks.iter().map(|k| View { table, k: *k }) {
            let new: Vec<_> =
                lines(model, view).into_iter().filter(|line| !of_model.contains(line)).collect();
            of_model.extend(new);
        }
        let rows = of_model.into_iter().filter_map(|(method, rigour)| {
            let area = |goal, k: &usize| {
                let row = View { table, k: *k }.row(goal, method, rigour);
                let budget = model.curves.iter().find(|curve| curve.row == row && curve.over == Axis::Budget);
                maybe(budget.and_then(|curve| curve.area), share)
            };
            let mut row = vec![Entry::words(words::method(method, rigour))];
            row.extend(GOALS.iter().flat_map(|goal| ks.iter().map(|k| area(*goal, k))));
            row[1..].iter().any(|entry| !entry.is_missing()).then_some(row)
        });
        sheet.groups.push(Group { label: words::model(&model.model), rows: rows.collect() });
    }
    sheet.trimmed()
}
