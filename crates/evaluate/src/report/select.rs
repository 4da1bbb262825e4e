//! Which tables, list lengths, models and rows the results hold, in the order they are shown.

use grease_explain::{Goal, Method, Rigour};

use crate::{Cell, ModelResults, Results, Row, Table};

/// Which goals are shown, in which order.
pub(super) const GOALS: [Goal; 2] = [Goal::Counterfactual, Goal::Factual];

/// One table at one length of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    pub(super) table: Table,
    pub(super) k: usize,
}

impl View {
    pub(super) fn row(self, goal: Goal, method: Method, rigour: Rigour) -> Row {
        Row { table: self.table, k: self.k, goal, method, rigour }
    }

    /// Whether the row belongs here.
    pub(super) fn holds(self, row: &Row) -> bool {
        row.table == self.table && row.k == self.k
    }

    /// Whether the row belongs here and to this goal.
    pub(super) fn holds_for(self, row: &Row, goal: Goal) -> bool {
        self.holds(row) && row.goal == goal
    }
}

/// The tables that have figures, in the order asked for.
pub(super) fn tables(results: &Results) -> Vec<Table> {
    let mut tables = results.settings.tables.clone();
    tables.extend(cells(results).map(|cell| cell.row.table));
    in_order_of_appearance(tables.into_iter().filter(|table| !ks(results, *table).is_empty()))
}

/// The lengths of lists a table has figures for, ascending.
pub(super) fn ks(results: &Results, table: Table) -> Vec<usize> {
    let of_table = cells(results).filter(|cell| cell.row.table == table);
    let mut ks = in_order_of_appearance(of_table.map(|cell| cell.row.k));
    ks.sort_unstable();
    ks
}

/// Models with where they stand in the results, those of one data set together.
pub(super) fn models(results: &Results) -> Vec<(usize, &ModelResults)> {
    let data = in_order_of_appearance(results.models.iter().map(|model| &model.model.data));
    let all = || results.models.iter().enumerate();
    data.into_iter().flat_map(|data| all().filter(move |(_, model)| model.model.data == *data)).collect()
}

/// The methods of one view as they were run, in the order they were.
pub(super) fn lines(model: &ModelResults, view: View) -> Vec<(Method, Rigour)> {
    let here = model.cells.iter().filter(|cell| view.holds(&cell.row));
    let mut lines = in_order_of_appearance(here.map(|cell| (cell.row.method, cell.row.rigour)));
    // A method that only one goal has would otherwise come after all of the other goal's.
    lines.sort_by_key(|(method, _)| *method == Method::Exact);
    lines
}

/// The figures of one row.
pub(super) fn cell(model: &ModelResults, row: Row) -> Option<&Cell> {
    model.cells.iter().find(|cell| cell.row == row)
}

fn cells(results: &Results) -> impl Iterator<Item = &Cell> {
    results.models.iter().flat_map(|model| &model.cells)
}

fn in_order_of_appearance<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}
