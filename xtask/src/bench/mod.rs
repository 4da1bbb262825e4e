//! `cargo xtask bench`: timings, each printed as a table and kept under `target/bench`.
//!
//! The programs that are timed print one JSON object as the last line of their standard output.

mod against;
mod batch;
mod cuda;
mod explain;
mod growth;
mod oracle;
mod python;
mod rescore;
mod scale;
mod serve;
mod train;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::args::{Chosen, one_or_all};
use crate::data;
use crate::failure::Failure;
use crate::process::{self, cargo};

/// Time something, and print a table: figures mean something only on a machine that does nothing else
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    Train(train::Options),
    Rescore(rescore::Options),
    Explain(explain::Options),
    Batch(batch::Options),
    Growth(growth::Options),
    Oracle(oracle::Options),
    Python(python::Options),
    Scale(scale::Options),
    Serve(serve::Options),
    Cuda(cuda::Options),
}

pub(crate) fn run(what: &What) -> Result<(), Failure> {
    match what {
        What::Train(options) => train::run(options),
        What::Rescore(options) => rescore::run(options),
        What::Explain(options) => explain::run(options),
        What::Batch(options) => batch::run(options),
        What::Growth(options) => growth::run(options),
        What::Oracle(_) => oracle::run(),
        What::Python(options) => python::run(options),
        What::Scale(options) => scale::run(options),
        What::Serve(options) => serve::run(options),
        What::Cuda(options) => cuda::run(options),
    }
}

/// Which data sets to time, of those that are there.
#[derive(Debug, clap::Args)]
struct DataSets {
    /// A data set: looked for in ../shared/data, or in the folder GREASE_DATA names
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = one_or_all::<DataSet>())]
    data: Chosen<DataSet>,
}

impl DataSets {
    /// Each with its folder; says so where there is none.
    fn present(&self) -> Vec<(DataSet, PathBuf)> {
        let present: Vec<_> = self.data.0.iter().filter_map(|data| Some((*data, data.folder()?))).collect();
        if present.is_empty() {
            println!("nothing to time");
        }
        present
    }
}

/// A data set the benchmarks know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DataSet {
    #[value(name = "lastfm")]
    LastFm,
    Yelp2018,
}

impl DataSet {
    fn name(self) -> &'static str {
        match self {
            Self::LastFm => "lastfm",
            Self::Yelp2018 => "yelp2018",
        }
    }

    /// The folder of the data set; where there is none, says so and returns nothing.
    fn folder(self) -> Option<PathBuf> {
        data::folder(self.name())
    }
}

/// A kind of model the benchmarks train.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    #[value(name = "lightgcn")]
    LightGcn,
    Ngcf,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::LightGcn => "lightgcn",
            Self::Ngcf => "ngcf",
        }
    }
}

/// The command line that is timed: the one given, else the one that is here, built.
pub(crate) fn grease(given: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(given) = given {
        return fs::canonicalize(given).map_err(Failure::file(given));
    }
    process::succeed(&mut cargo(["build", "--release", "--package", "grease-cli"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| process::workspace_root().join("target"), PathBuf::from);
    Ok(target.join("release/grease"))
}

/// Above this many waiting processes, somebody else is at work.
const IDLE_LOAD: f64 = 0.7;

/// How busy the machine is: processes that ran or waited over the last minute, where the system says.
fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Builds a bench program of a package, so that no compiler runs between timings.
fn build(package: &str, bench: &str) -> Result<(), Failure> {
    process::succeed(&mut cargo(["bench", "--package", package, "--bench", bench, "--no-run"]))
}

/// The command that runs a bench program of a package; its own arguments are to be added.
fn bench(package: &str, name: &str) -> Command {
    cargo(["bench", "--quiet", "--package", package, "--bench", name, "--"])
}

/// A folder for the files of one bench.
fn work_folder(name: &str) -> Result<PathBuf, Failure> {
    let folder = process::workspace_root().join("target/bench").join(name);
    fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    Ok(folder)
}

/// Prints a text and keeps it, with the figures it comes from, in `target/bench`.
fn publish(name: &str, text: &str, rows: &[Value]) -> Result<(), Failure> {
    println!("\n{text}");
    let folder = process::workspace_root().join("target/bench");
    fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let figures = format!("{:#}\n", json!({ "rows": rows }));
    for (ending, content) in [("md", text), ("json", &figures)] {
        let path = folder.join(format!("{name}.{ending}"));
        fs::write(&path, content).map_err(Failure::file(&path))?;
    }
    println!("written to target/bench/{name}.md and {name}.json");
    Ok(())
}

/// Runs a program and reads the JSON object on its last line.
fn report(command: &mut Command) -> Result<Value, Failure> {
    let output = process::output(command)?;
    let last = output.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    match serde_json::from_str(last) {
        Ok(value @ Value::Object(_)) => Ok(value),
        _ => Err(Failure::work(format!(
            "`{}` did not end with a line that is a JSON object, but with `{last}`",
            process::shown(command)
        ))),
    }
}

/// Rows under a header as a Markdown table whose columns line up: text to the left, figures to the right.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let column = |c: usize| rows.iter().filter_map(move |row| row.get(c)).map(String::as_str);
    let widths: Vec<usize> = (0..header.len())
        .map(|c| column(c).chain([header[c]]).map(|cell| cell.chars().count()).max().unwrap_or(0).max(3))
        .collect();
    let figures: Vec<bool> = (0..header.len())
        .map(|c| column(c).all(|cell| cell == "-" || cell.starts_with(|first: char| first.is_ascii_digit())))
        .collect();
    let line = |cells: Vec<&str>| {
        let cells = cells.iter().zip(&widths).zip(&figures).map(|((cell, &width), &figure)| {
            if figure { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = widths.iter().zip(&figures).map(|(&width, &figure)| {
        if figure { format!("{}:", "-".repeat(width - 1)) } else { "-".repeat(width) }
    });
    let mut text = line(header.to_vec());
    text += &format!("| {} |\n", rule.collect::<Vec<_>>().join(" | "));
    text.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    text
}

/// A figure with three significant digits, or all digits before the point if there are more; a tiny one as a power of ten.
fn figure(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.001 {
        return format!("{value:.1e}");
    }
    let whole_digits = if value.abs() < 1.0 { 1 } else { value.abs().log10().floor() as usize + 1 };
    format!("{value:.*}", 3_usize.saturating_sub(whole_digits).max(usize::from(value.abs() < 1.0) * 3))
}

/// The middle of some figures; of an even number, the mean of the middle two.
fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn figures_have_three_significant_digits() {
        let shown: Vec<_> = [0.0, 6.14e-7, 0.04567, 0.4567, 4.567, 45.67, 456.7, 4567.8].map(figure).into();
        assert_eq!(shown, ["0.000", "6.1e-7", "0.046", "0.457", "4.57", "45.7", "457", "4568"]);
    }

    #[test]
    fn columns_line_up() {
        let rows =
            [vec!["lastfm".to_owned(), "0.45".to_owned()], vec!["yelp2018".to_owned(), "170".to_owned()]];
        let expected = "\
| data     | s/epoch |
| -------- | ------: |
| lastfm   |    0.45 |
| yelp2018 |     170 |
";
        assert_eq!(table(&["data", "s/epoch"], &rows), expected);
    }

    #[test]
    fn the_report_is_the_last_line() {
        let said = |text: &str| report(Command::new("printf").arg(text));
        assert_eq!(said("training\n{\"steps\": 3}\n\n").unwrap()["steps"], 3);
        assert!(matches!(said("{}\ndone\n"), Err(Failure::Work(message)) if message.contains("done")));
    }
}
