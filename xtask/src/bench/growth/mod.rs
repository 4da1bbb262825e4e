//! `cargo xtask bench growth`: what everything costs as the data grows.

mod chart;
mod data;
mod figures;
mod questions;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::data::Size;
use super::{figure, grease, table};
use crate::args::count;
use crate::failure::Failure;
use crate::process;

/// Time reading, loading, listing and explaining as data grows
///
/// Makes data and a model of each size with `grease data sample` and `grease import`, starts `grease serve` twice, and asks it, one
/// question at a time: lists, what-ifs, explanations of whole lists (scope own) and of one item (scope target), searches by name. Then
/// `grease batch`. What is there already is used, so a run goes on where another ended; a size this machine has no room for is left out
/// and said. The table is also written to target/bench/growth.md and, with every figure, to growth.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Sizes in millions of interactions, with commas between
    #[arg(long, value_name = "MILLIONS", value_delimiter = ',', default_values_t = [0.1, 1.0, 10.0, 100.0])]
    sizes: Vec<f64>,
    /// Where data and models are kept; target/bench/growth unless it is said
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// People who are asked about, of each size
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = count())]
    people: u32,
    /// Measure anew what was measured before
    #[arg(long)]
    again: bool,
    /// The command line to time, instead of building the one that is here
    #[arg(long, value_name = "FILE")]
    grease: Option<PathBuf>,
    /// Also draw the chart into this file
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let grease = grease(options.grease.as_deref())?;
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None => process::workspace_root().join("target/bench/growth"),
    };
    let mut rows = Vec::new();
    for &millions in &options.sizes {
        let size = Size::new(&folder, millions)?;
        rows.extend(measured(&grease, &size, options)?);
    }
    if rows.is_empty() {
        return Ok(());
    }
    if let Some(path) = &options.chart {
        fs::write(path, chart::chart(&rows)).map_err(Failure::file(path))?;
    }
    super::publish("growth", &text(&rows), &rows)
}

/// The figures of one size: those of an earlier run, unless they are wanted anew. None where there is no room.
fn measured(grease: &Path, size: &Size, options: &Options) -> Result<Option<Value>, Failure> {
    let kept = size.file("figures.json");
    if !options.again
        && let Ok(text) = fs::read_to_string(&kept)
        && let Ok(figures) = serde_json::from_str(&text)
    {
        println!("{}: measured before", size.name());
        return Ok(Some(figures));
    }
    if let Some(lack) = size.lack() {
        println!("{}: left out, {lack}", size.name());
        return Ok(None);
    }
    size.make(grease)?;
    let figures = figures::of(grease, size, options.people as usize)?;
    fs::write(&kept, format!("{figures:#}\n")).map_err(Failure::file(&kept))?;
    Ok(Some(figures))
}

/// What the table shows: a name, and where the figure is.
const SHOWN: [(&str, &str); 19] = [
    ("users", "/users"),
    ("items", "/items"),
    ("invented and written, s", "/made/sample/seconds"),
    ("… most memory, MB", "/made/sample/peak_mb"),
    ("read and stored as a model, s", "/made/import/seconds"),
    ("… most memory, MB", "/made/import/peak_mb"),
    ("first load to listening, s", "/loads/0/listening"),
    ("… to the first list, s", "/loads/0/first_list"),
    ("second load to listening, s", "/loads/1/listening"),
    ("… to the first list, s", "/loads/1/first_list"),
    ("resident before questions, MB", "/loads/1/resident_mb"),
    ("resident after all questions, MB", "/resident_after_mb"),
    ("a list, ms", "/list/median_ms"),
    ("a what-if, ms", "/what_if/median_ms"),
    ("a top-10 list explained both ways, own, ms", "/own/median_ms"),
    ("… p95, ms", "/own/p95_ms"),
    ("an item explained both ways, target, ms", "/target/median_ms"),
    ("a search by name, ms", "/search/median_ms"),
    ("`grease batch`, explanations a second", "/batch/explanations_a_second"),
];

fn text(rows: &[Value]) -> String {
    let cell =
        |row: &Value, place: &str| row.pointer(place).and_then(Value::as_f64).map_or("-".into(), shown);
    let lines: Vec<Vec<String>> = SHOWN
        .iter()
        .map(|(name, place)| {
            std::iter::once((*name).to_owned()).chain(rows.iter().map(|row| cell(row, place))).collect()
        })
        .collect();
    let sizes: Vec<String> =
        rows.iter().map(|row| format!("{} M", row["millions"].as_f64().unwrap_or_default())).collect();
    let header: Vec<&str> = std::iter::once("").chain(sizes.iter().map(String::as_str)).collect();
    table(&header, &lines)
}

fn shown(value: f64) -> String {
    if value >= 1000.0 && value.fract() == 0.0 { format!("{value}") } else { figure(value) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_not_measured_is_a_dash() {
        let rows = [
            json!({ "millions": 0.1, "users": 2000, "list": { "median_ms": 0.25 } }),
            json!({ "millions": 100.0, "users": 2_000_000, "list": { "median_ms": 12.34 }, "target": null }),
        ];
        let text = text(&rows);
        let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
        assert!(text.lines().next().unwrap().contains("0.1 M"), "{text}");
        assert!(line("users").contains("2000000"), "{text}");
        assert!(line("a list, ms").contains("0.250") && line("a list, ms").contains("12.3"), "{text}");
        assert!(!line("target").contains(char::is_numeric), "{text}");
    }
}
