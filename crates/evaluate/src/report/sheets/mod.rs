//! From results to tables, one file a sort of table.

mod areas;
mod audit;
mod bar;
mod beside;
mod claims;
mod counts;
mod fidelity;
mod gaps;
mod importance;
mod joint;
mod main_table;
mod models;
mod named;
mod stability;

use grease_explain::Goal;

use super::select::{self, GOALS, View, ks, tables};
use super::sheet::{Column, Entry, Group, Sheet};
use super::words;
use crate::{ModelResults, Results, Row, Times};

pub(super) use areas::areas;
pub(super) use audit::audit;
pub(super) use bar::bar_of;
pub(super) use counts::counts;
pub(super) use fidelity::QUARTERS;
pub(super) use main_table::main_table;
pub(super) use models::models;

/// All tables: what was evaluated, then for each choice of edges the paper's table at every length of lists, then what stands behind it.
///
/// Times are shown where they are given, and nowhere else.
pub fn sheets(results: &Results, times: Option<&Times>) -> Vec<Sheet> {
    let mut sheets: Vec<Sheet> = models(results).into_iter().collect();
    for table in tables(results) {
        let views: Vec<View> = ks(results, table).into_iter().map(|k| View { table, k }).collect();
        sheets.extend(views.iter().filter_map(|view| main_table(results, *view)));
        sheets.extend(views.iter().filter_map(|view| counts(results, *view, times)));
        sheets.extend(areas(results, table));
        sheets.extend(views.iter().flat_map(|view| behind(results, *view)));
    }
    sheets.extend(overall(results));
    sheets.extend(audit(results));
    sheets
}

/// What is said of all views together.
pub(super) fn overall(results: &Results) -> Vec<Sheet> {
    [bar::bar, joint::whole_lists, named::personal, importance::importance]
        .into_iter()
        .filter_map(|sheet| sheet(results))
        .collect()
}

/// What stands behind one view's shares, besides the counts.
pub(super) fn behind(results: &Results, view: View) -> Vec<Sheet> {
    [
        joint::joint,
        beside::beside,
        named::named,
        claims::claims,
        gaps::gaps,
        stability::stability,
        fidelity::fidelity,
    ]
    .into_iter()
    .filter_map(|sheet| sheet(results, view))
    .collect()
}

/// "top-10, the person's own interactions".
pub(super) fn place(view: View) -> String {
    format!("top-{}, {}", view.k, words::table(view.table))
}

/// A sheet with a group for each model and goal, and a row for each of what `of` gives; `entries` come after the method, and
/// where there are none there is no row.
fn by_goal<'a, T: 'a>(
    results: &'a Results,
    view: View,
    mut sheet: Sheet,
    of: impl Fn(&'a ModelResults) -> &'a [T],
    row: impl Fn(&T) -> &Row,
    entries: impl Fn(usize, &T) -> Vec<Entry>,
) -> Option<Sheet> {
    sheet.columns.insert(0, Column::words("method"));
    for (at, model) in select::models(results) {
        for goal in GOALS.into_iter().chain([Goal::Joint]) {
            let here = of(model).iter().filter(|one| view.holds_for(row(one), goal));
            let rows = here.filter_map(|one| {
                let (row, entries) = (row(one), entries(at, one));
                let mut line = vec![Entry::words(words::method(row.method, row.rigour))];
                line.extend(entries);
                (line.len() > 1).then_some(line)
            });
            sheet.groups.push(Group { label: of_goal(model, goal), rows: rows.collect() });
        }
    }
    sheet.trimmed()
}

fn of_goal(model: &ModelResults, goal: Goal) -> String {
    format!("{} · {}", words::model(&model.model), words::goal(goal))
}
