//! The tables of a leaderboard.

use grease_explain::{Goal, Method, Rigour};

use super::super::figures::{count, decimals, edges, share, spread};
use super::super::select::{View, cell, ks, lines, models};
use super::super::sheet::{Column, Entry, Group, Sheet};
use super::super::sheets::bar_of;
use super::super::words;
use super::stored::Stored;
use crate::{Cell, Interval, ModelResults, Sample, Standing, Table, standing};

/// The goals of shares, in the order they are shown.
const GOALS: [Goal; 3] = [Goal::Counterfactual, Goal::Factual, Goal::Joint];

/// How large the samples are that the figures stand on.
pub(super) fn sizes(stored: &[Stored]) -> Option<Sheet> {
    let columns = vec![
        Column::words("run"),
        Column::words("people a repeat"),
        Column::figures("repeats", 0),
        Column::words("k"),
        Column::figures("own", 0).under("pairs"),
        Column::figures("paper", 0).under("pairs"),
        Column::words("on fewer pairs"),
    ];
    let note = "Pairs of people and items of their lists at the shortest lists, over all repeats: in the table of own interactions and in the one with edges as in the paper.";
    let mut sheet = Sheet::new("Samples".to_owned(), note.to_owned(), columns);
    for stored in stored {
        let rows = models(&stored.results).into_iter().map(|(_, model)| size(stored, model));
        sheet.groups.push(Group { label: stored.name.clone(), rows: rows.collect() });
    }
    sheet.trimmed()
}

fn size(stored: &Stored, model: &ModelResults) -> Vec<Entry> {
    let settings = &stored.results.settings;
    let people = match settings.sample {
        Sample::Share(share) => format!("{} %", decimals(share * 100.0, 0)),
        Sample::People(people) => count(people),
    };
    let shortest = |table| ks(&stored.results, table).first().copied();
    let pairs = |table| {
        let of_table = |cell: &&Cell| cell.row.table == table && Some(cell.row.k) == shortest(table);
        model.cells.iter().filter(of_table).map(|cell| cell.attempted).max()
    };
    let number = |pairs: Option<usize>| pairs.map_or_else(Entry::missing, |pairs| Entry::words(count(pairs)));
    let all_ks: Vec<String> = settings.ks.iter().map(usize::to_string).collect();
    let fewer = [Table::Own, Table::Paper].into_iter().filter_map(|table| {
        let said = fewer(model, table, shortest(table)?, pairs(table)?);
        (!said.is_empty()).then(|| format!("{table}: {}", said.join(", ")))
    });
    let fewer = fewer.collect::<Vec<_>>().join("; ");
    vec![
        Entry::words(words::model(&model.model)),
        Entry::words(people),
        Entry::words(settings.repeats.to_string()),
        Entry::words(all_ks.join(", ")),
        number(pairs(Table::Own)),
        number(pairs(Table::Paper)),
        if fewer.is_empty() { Entry::missing() } else { Entry::words(fewer) },
    ]
}

/// "exact 250", for each method that was tried on fewer pairs than there are.
fn fewer(model: &ModelResults, table: Table, k: usize, pairs: usize) -> Vec<String> {
    let here = model.cells.iter().filter(|cell| (cell.row.table, cell.row.k) == (table, k));
    let mut said: Vec<String> = Vec::new();
    for cell in here.filter(|cell| cell.attempted < pairs) {
        let one = format!("{} {}", cell.row.method, count(cell.attempted));
        if !said.contains(&one) {
            said.push(one);
        }
    }
    said
}

/// Every method on every model, at the shortest lists: certified, as everybody may be.
pub(super) fn methods(stored: &[Stored]) -> Option<Sheet> {
    let note = "At the shortest lists of each run, certified; a method in its own right never does better than certified. EC in brackets. ± is the standard deviation over repeats. \
        Bold is the best of its group, the ceiling aside. Beside grease, on the same pairs: = within the 95 % interval, ▲ it is ahead, unmarked it is behind; \
        on the brackets the same for lengths, on the pairs both solve. Queries and milliseconds of a counterfactual explanation. Proved: share of those verified of which it is proved that fewer edges do not do it. \
        Retrained: share that also holds for a model trained without what they name, with the 95 % interval. † looked at fewer people.";
    let mut columns = vec![Column::words("method")];
    columns.extend(GOALS.map(|goal| Column::figures(words::share(goal), 0).under("own")));
    columns
        .extend(["queries", "ms", "proved", "retrained"].map(|head| Column::figures(head, 1).under("own")));
    columns
        .extend(GOALS[..2].iter().map(|&goal| Column::figures(words::share(goal), 2).under("paper’s edges")));
    let mut sheet = Sheet::new("Leaderboard".to_owned(), note.to_owned(), columns);
    for stored in stored {
        for (at, model) in models(&stored.results) {
            let label = format!("{} ({})", words::model(&model.model), stored.name);
            sheet.groups.push(Group { label, rows: of_model(stored, at, model) });
        }
    }
    sheet.trimmed()
}

/// A figure that is the better the greater it is, or the smaller.
#[derive(Clone, Copy)]
enum Better {
    Greater,
    Smaller,
}

/// Of the columns after the name.
const BETTER: [Better; 9] = {
    use Better::{Greater, Smaller};
    [Greater, Greater, Greater, Smaller, Smaller, Greater, Greater, Greater, Greater]
};

fn of_model(stored: &Stored, at: usize, model: &ModelResults) -> Vec<Vec<Entry>> {
    let view = |table| ks(&stored.results, table).first().map(|&k| View { table, k });
    let (own, paper) = (view(Table::Own), view(Table::Paper));
    let mut methods: Vec<Method> = Vec::new();
    for view in [own, paper].into_iter().flatten() {
        let certified = lines(model, view).into_iter().filter(|(_, rigour)| *rigour == Rigour::Certified);
        let new: Vec<Method> = certified.map(|(method, _)| method).filter(|m| !methods.contains(m)).collect();
        methods.extend(new);
    }
    let mut rows: Vec<Vec<Entry>> = Vec::new();
    let mut figures: Vec<[Option<f64>; BETTER.len()]> = Vec::new();
    for &method in &methods {
        let of =
            |view: Option<View>, goal| view.and_then(|v| cell(model, v.row(goal, method, Rigour::Certified)));
        let cells = GOALS.map(|goal| of(own, goal));
        let beyond = [GOALS[0], GOALS[1]].map(|goal| of(paper, goal));
        let out = cells[0];
        let ms = out.and_then(|cell| stored.ms(at, &cell.row));
        let held = out.and_then(|cell| stored.held(at, &cell.row));
        let proved = out.and_then(|cell| cell.proved);
        let queries = out.map(|cell| cell.queries);
        let repeats = stored.results.settings.repeats;
        let mut row = vec![Entry::words(method.name())];
        row.extend(cells.map(shown));
        row.push(spread(queries, repeats, edges));
        row.push(ms.map_or_else(Entry::missing, |ms| Entry::words(decimals(ms, 2))));
        row.push(proved.map_or_else(Entry::missing, |proved| Entry::words(share(proved.share))));
        row.push(held.map_or_else(Entry::missing, |held| {
            let [low, high] = [held.low, held.high].map(|end| decimals(end, 2));
            Entry::words(format!("{} ({low} to {high})", share(held.share)))
        }));
        row.extend(beyond.map(shown));
        rows.push(row);
        let mean = |cell: Option<&Cell>| cell.map(|cell| cell.share.mean);
        let [needed, enough, both] = cells.map(mean);
        let [out_of_more, with_more] = beyond.map(mean);
        let queries = queries.map(|queries| queries.mean);
        let (proved, held) = (proved.map(|proved| proved.share), held.map(|held| held.share));
        figures.push([needed, enough, both, queries, ms, proved, held, out_of_more, with_more]);
    }
    let runs: Vec<bool> = methods.iter().map(|method| *method != Method::Exact).collect();
    emphasise(&mut rows, &figures, &runs);
    rows
}

/// "0.571±0.013 (3.98)", with a mark where grease is not ahead.
fn shown(cell: Option<&Cell>) -> Entry {
    let Some(cell) = cell.filter(|cell| cell.attempted > 0) else { return Entry::missing() };
    let mut entry = spread(Some(cell.share), cell.repeats, share);
    let is_other = !matches!(cell.row.method, Method::Grease | Method::Exact);
    let mark = |ahead: Option<Interval>| match ahead.filter(|_| is_other).map(standing) {
        Some(Standing::Within) => " =",
        Some(Standing::Behind) => " ▲",
        Some(Standing::Ahead) | None => "",
    };
    let share_mark = mark(cell.beside_grease.and_then(|beside| beside.ahead));
    let length_mark = mark(cell.against_grease.and_then(|both| both.longer));
    let length =
        cell.edges.map_or_else(String::new, |length| format!(" ({}{length_mark})", edges(length.mean)));
    let part = if cell.subsample { " †" } else { "" };
    entry.text = format!("{}{share_mark}{length}{part}", entry.plain());
    entry.spread = None;
    entry
}

/// The best of each column, as far as it is written; where all are alike none is.
fn emphasise(rows: &mut [Vec<Entry>], figures: &[[Option<f64>; BETTER.len()]], runs: &[bool]) {
    for (column, better) in BETTER.iter().enumerate() {
        let worth = |at: usize| {
            let figure = figures[at][column].filter(|_| runs[at])?;
            let written = (figure * 1000.0).round();
            Some(match better {
                Better::Greater => written,
                Better::Smaller => -written,
            })
        };
        let all: Vec<f64> = (0..rows.len()).filter_map(worth).collect();
        let best = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if all.len() < 2 || all.iter().all(|one| *one == best) {
            continue;
        }
        for (at, row) in rows.iter_mut().enumerate() {
            row[column + 1].best = worth(at) == Some(best);
        }
    }
}

/// Whether grease is ahead of every other method, row by row of every run.
pub(super) fn bar(stored: &[Stored]) -> Option<Sheet> {
    bar_of(stored.iter().flat_map(|stored| {
        let label = |model: &ModelResults| format!("{} ({})", words::model(&model.model), stored.name);
        models(&stored.results).into_iter().map(move |(_, model)| (label(model), &stored.results, model))
    }))
}
