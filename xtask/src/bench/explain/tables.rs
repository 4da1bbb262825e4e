//! What was measured, as tables.

use super::row::{METHODS, Row, STYLES};
use crate::bench::{figure, table};

/// Columns of the lists, and where their figures are.
const OWN: [(&str, &str); 8] = [
    ("ms/list", "/own/list_ms"),
    ("p95", "/own/list_p95_ms"),
    ("two threads", "/own_list_two_threads_ms"),
    ("queries/list", "/own/queries_a_list"),
    ("ms/edit alone", "/own/one_edit_ms"),
    ("in a batch", "/own/batched_edit_ms"),
    ("total/alone", "/own/total_to_queries_alone"),
    ("total/batch", "/own/total_to_queries_batched"),
];
/// The same people's lists looked at closely and from afar, and with proofs.
const CLOSE: [(&str, &str); 9] = [
    ("close ms/list", "/close/close/list_ms"),
    ("from afar", "/close/afar/list_ms"),
    ("verified/s", "/close/close/verified_a_second"),
    ("from afar", "/close/afar/verified_a_second"),
    ("PN pairs", "/close/close/counterfactual"),
    ("from afar", "/close/afar/counterfactual"),
    ("proving ms/list", "/close/proving/list_ms"),
    ("p95", "/close/proving/list_p95_ms"),
    ("proved", "/close/proving/proved"),
];
/// The same of the pairs.
const HOPS: [(&str, &str); 6] = [
    ("s/pair", "/hops/pair_seconds"),
    ("worst", "/hops/pair_worst_seconds"),
    ("worst hub", "/hops/hub_worst_seconds"),
    ("once", "/hops/once_seconds"),
    ("queries/pair", "/hops/queries_a_pair"),
    ("MB", "/hops_peak_mb"),
];
const TORCH: [&str; 8] =
    ["torch style", "torch s/pair", "threads", "grease", "torch/grease", "paper", "torch/paper", "torch MB"];

pub(super) fn text(rows: &[Row]) -> String {
    let warnings = rows.iter().flat_map(Row::warnings).map(|warning| format!("- {warning}\n"));
    format!(
        "Whole top-10 lists from own interactions, factual and counterfactual, one thread:\n\n{}\n\
         The same looked at closely (0 edits to prove anything), from afar, and with 10,000 edits a list to prove the least:\n\n{}\n\
         Pairs from the neighbourhood, counterfactual, one thread, seconds:\n\n{}\n\
         Some of these pairs in PyTorch, by method grease and by the paper's own algorithm in Rust (method paper):\n\n{}\n{}\n{}{}",
        ours(rows, &OWN),
        ours(rows, &CLOSE),
        ours(rows, &HOPS),
        named(rows, &TORCH, torch),
        named(rows, &["bar", "figure", ""], bars),
        rows.iter().map(found).collect::<String>(),
        warnings.collect::<String>(),
    )
}

/// A table whose lines begin with data and model; a row may have several.
fn named(rows: &[Row], header: &[&str], lines: impl Fn(&Row) -> Vec<Vec<String>>) -> String {
    let mut cells = Vec::new();
    for row in rows {
        cells.extend(lines(row).into_iter().map(|line| [row.name().into(), line].concat()));
    }
    table(&[&["data", "model"], header].concat(), &cells)
}

fn ours(rows: &[Row], columns: &[(&str, &str)]) -> String {
    let header: Vec<_> = columns.iter().map(|column| column.0).collect();
    let figures = |row: &Row| columns.iter().map(|column| figure(row.ours(column.1))).collect();
    named(rows, &header, |row| vec![figures(row)])
}

fn torch(row: &Row) -> Vec<Vec<String>> {
    let shown = |value: Option<f64>| value.map_or("-".to_owned(), figure);
    let style = |style: &str| {
        let (seconds, threads) = row.torch(style).unzip();
        let mut cells = vec![style.to_owned(), shown(seconds)];
        cells.push(threads.map_or("-".to_owned(), |threads| threads.to_string()));
        for method in METHODS {
            cells.extend([shown(row.ours_shown(method)), shown(row.ratio(style, method))]);
        }
        cells.push(shown(row.torch_peak_mb()));
        cells
    };
    STYLES.map(style).into()
}

fn bars(row: &Row) -> Vec<Vec<String>> {
    let verdict = |met| if met { "met" } else { "missed" }.to_owned();
    row.bars().into_iter().map(|(bar, value, met)| vec![bar, figure(value), verdict(met)]).collect()
}

fn found(row: &Row) -> String {
    format!(
        "- {}: {} lists, {} of {} explanations verified; hops: {} of {} pairs verified\n",
        row.name().join(" "),
        row.ours("/own/lists"),
        row.ours("/own/verified"),
        row.ours("/own/explanations"),
        row.ours("/hops/verified"),
        row.ours("/hops/explanations"),
    )
}
