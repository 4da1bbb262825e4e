//! The paper's table: data set, model, method; PN and EC, PS and EC; what is printed beside what is measured.

use grease_explain::{Goal, Method, Rigour, Scope};

use super::super::figures::{counted, edges, printed, share, spread};
use super::super::select::{GOALS, View, cell, lines, models};
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::words;
use crate::{Cell, ModelResults, Results, Settings};

/// Columns of each goal: published, judged and verified, share and edges.
const OF_A_GOAL: usize = 6;
/// Where the verified share stands among them.
const VERIFIED: usize = 4;

/// The table of one view, if there is anything in it. That of the shortest lists is for the first page.
pub(crate) fn main_table(results: &Results, view: View) -> Option<Sheet> {
    let mut columns = vec![Column::words("method")];
    for goal in GOALS {
        for (over, ranks) in [("published", [2, 3]), ("judged", [4, 5]), ("verified", [0, 1])] {
            columns.push(Column::figures(words::share(goal), ranks[0]).under(over));
            columns.push(Column::figures("EC", ranks[1]).under(over));
        }
    }
    let title = format!("Top-{} recommendations, {}", view.k, words::table(view.table));
    let mut sheet = Sheet::new(title, note(results, view), columns);
    sheet.prominent = super::ks(results, view.table).first() == Some(&view.k);
    for (_, model) in models(results) {
        let of_model = lines(model, view);
        let mut rows: Vec<Vec<Entry>> = of_model.iter().map(|line| row(model, view, *line)).collect();
        for goal in 0..GOALS.len() {
            emphasise(&mut rows, &of_model, 1 + goal * OF_A_GOAL + VERIFIED);
        }
        sheet.groups.push(Group { label: words::model(&model.model), rows });
    }
    sheet.trimmed()
}

fn row(model: &ModelResults, view: View, (method, rigour): (Method, Rigour)) -> Vec<Entry> {
    let cells = GOALS.map(|goal| cell(model, view.row(goal, method, rigour)));
    let some = cells.iter().flatten().any(|cell| cell.subsample);
    let mark = if some { "\u{a0}†" } else { "" };
    let mut row = vec![Entry::words(format!("{}{mark}", words::method(method, rigour)))];
    row.extend(cells.into_iter().flat_map(|cell| cell.map_or_else(absent, figures)));
    row
}

fn absent() -> [Entry; OF_A_GOAL] {
    std::array::from_fn(|_| Entry::missing())
}

fn figures(cell: &Cell) -> [Entry; OF_A_GOAL] {
    let [says, says_edges] = cell.published.map_or_else(
        || [Entry::missing(), Entry::missing()],
        |says| [printed(says.share, says.share_sd), printed(says.edges, says.edges_sd)],
    );
    let verified = (cell.attempted > 0).then_some(cell.share);
    [
        says,
        says_edges,
        spread(cell.judged, cell.repeats, share),
        spread(cell.judged_edges, cell.repeats, edges),
        spread(verified, cell.repeats, share),
        spread(cell.edges, cell.repeats, edges),
    ]
}

/// The best figures of a column, as they are written; the ceiling is not in the running, and nothing beats nothing.
fn emphasise(rows: &mut [Vec<Entry>], lines: &[(Method, Rigour)], column: usize) {
    let runs = |at: usize| lines[at].0 != Method::Exact;
    let figure = |row: &[Entry]| row[column].text.parse::<f64>().ok();
    let all: Vec<f64> = (0..rows.len()).filter(|at| runs(*at)).filter_map(|at| figure(&rows[at])).collect();
    let best = all.iter().copied().fold(0.0, f64::max);
    if all.len() < 2 || best == 0.0 {
        return;
    }
    for (at, row) in rows.iter_mut().enumerate() {
        row[column].best = runs(at) && figure(row) == Some(best);
    }
}

/// Which edges may be cited, and who was looked at.
fn note(results: &Results, view: View) -> String {
    let settings = &results.settings;
    let goals =
        GOALS.iter().filter(|goal| settings.goals.contains(goal)).map(|goal| rule(settings, view, *goal));
    let mut note: Vec<String> = goals.collect();
    let sizes = sizes(results, view);
    if !sizes.is_empty() {
        note.push(format!("† fewer people than the others, as the method is slow: {}.", sizes.join("; ")));
    }
    note.join(" ")
}

fn rule(settings: &Settings, view: View, goal: Goal) -> String {
    let edges = match view.table.scope(goal) {
        Scope::Own => "the person’s own interactions".to_owned(),
        Scope::Target => "interactions of the person and of the item".to_owned(),
        Scope::Hops => {
            format!("edges within {} of the person or the items", counted(settings.hops, "hop", "hops"))
        }
    };
    match goal {
        Goal::Counterfactual => {
            format!("Counterfactual: at most {} removed, out of {edges}.", settings.max_remove)
        }
        _ => {
            let profile = match view.table {
                crate::Table::Own => ", learned profile set aside",
                crate::Table::Paper => "",
            };
            format!("Factual: at most {} put back, out of {edges}{profile}.", settings.max_add)
        }
    }
}

/// "exact (ceiling) 25 lists, 250 pairs", for each method that looked at some people only; where models or goals
/// differ, from the fewest to the most.
fn sizes(results: &Results, view: View) -> Vec<String> {
    let here = || results.models.iter().flat_map(|model| &model.cells).filter(|cell| view.holds(&cell.row));
    let mut methods: Vec<Method> = Vec::new();
    for cell in here().filter(|cell| cell.subsample) {
        if !methods.contains(&cell.row.method) {
            methods.push(cell.row.method);
        }
    }
    let range = |method: Method, of: fn(&Cell) -> usize, what: &str| {
        let all = || here().filter(|cell| cell.subsample && cell.row.method == method).map(of);
        let (least, most) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        if least == most { format!("{most} {what}") } else { format!("{least} to {most} {what}") }
    };
    let size = |method: Method| {
        let name = match method {
            Method::Paper | Method::Exact => words::method(method, Rigour::Certified),
            other => other.name().to_owned(),
        };
        format!(
            "{name} {}, {}",
            range(method, |cell| cell.lists, "lists"),
            range(method, |cell| cell.attempted, "pairs")
        )
    };
    methods.into_iter().map(size).collect()
}
