//! `cargo xtask bench python`: what the way through Python costs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::{figure, grease, median, publish, report, table, work_folder};
use crate::args::count;
use crate::failure::Failure;
use crate::process;
use crate::python::LIGHT;

/// Time a recommender in Python, and explaining from Python beside the command line
///
/// The Python package (bench/python_overhead.py): a recommender in Python that answers at once, in milliseconds a question; and a model
/// of ours, explaining the same people from Python and from the command line, taking turns in one run. Both doors are timed as a whole,
/// once for all people and once for one: the difference is what explaining takes. The table is also written to target/bench/python.md
/// and, with every figure, to python.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A model folder, say of LastFM
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// How many people are explained
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count())]
    people: u32,
    /// Turns of each
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count())]
    rounds: u32,
}

/// The most that the same work may take longer.
const ALLOWED: f64 = 1.05;
/// The most milliseconds a question.
const BAR_MS: f64 = 1.0;

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let model = fs::canonicalize(&options.model).map_err(Failure::file(&options.model))?;
    let people = options.people as usize;
    let grease = grease(None)?;
    let python = LIGHT.with_package()?;

    let overhead = report(&mut script(&python))?;
    let overhead = overhead["rows"].as_array().cloned().unwrap_or_default();
    let doors = Doors { grease, python, model, folder: work_folder("python")? };
    let all = doors.users(people)?;
    let one = doors.list("one.txt", &all[..1])?;
    let all = doors.list("all.txt", &all)?;
    let mut turns: Vec<(f64, f64)> = Vec::new();
    for _ in 0..options.rounds {
        let command_line = doors.command_line(&all)? - doors.command_line(&one)?;
        let python = doors.through_python(&all)? - doors.through_python(&one)?;
        turns.push((command_line, python));
    }
    tell(&overhead, &turns, people)
}

fn tell(overhead: &[Value], turns: &[(f64, f64)], people: usize) -> Result<(), Failure> {
    let rows: Vec<Vec<String>> = overhead
        .iter()
        .map(|row| {
            let ms = row["ms_a_question"].as_f64().unwrap_or(f64::NAN);
            let met = if ms < BAR_MS { "met" } else { "MISSED" };
            vec![
                row["items"].to_string(),
                row["door"].as_str().unwrap_or_default().to_owned(),
                row["questions"].to_string(),
                figure(ms),
                format!("{BAR_MS} ms, {met}"),
            ]
        })
        .collect();
    let mut text = "A recommender in Python that answers at once:\n\n".to_owned();
    text += &table(&["items", "asked by", "questions", "ms a question", "bar"], &rows);
    let times =
        |of: fn(&(f64, f64)) -> f64| median(&turns.iter().map(of).collect::<Vec<_>>()).unwrap_or(f64::NAN);
    let (command_line, python) = (times(|turn| turn.0), times(|turn| turn.1));
    let ratio = python / command_line;
    let met = if ratio <= ALLOWED { "met" } else { "MISSED" };
    text += &format!("\nA model of ours, lists of {people} people, medians of {} turns:\n\n", turns.len());
    text += &table(
        &["command line", "Python", "Python / command line", "bar"],
        &[vec![
            format!("{} s", figure(command_line)),
            format!("{} s", figure(python)),
            figure(ratio),
            format!("{ALLOWED}, {met}"),
        ]],
    );
    let turns: Vec<Value> = turns.iter().map(|(c, p)| json!({ "command_line": c, "python": p })).collect();
    publish("python", &text, &[json!({ "overhead": overhead, "turns": turns })])
}

fn script(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.arg(process::workspace_root().join("bench/python_overhead.py"));
    command
}

/// The two ways to the same explanations.
struct Doors {
    grease: PathBuf,
    python: PathBuf,
    model: PathBuf,
    folder: PathBuf,
}

impl Doors {
    /// The first people of the model.
    fn users(&self, people: usize) -> Result<Vec<String>, Failure> {
        let path = self.model.join("train.tsv");
        let text = fs::read_to_string(&path).map_err(Failure::file(&path))?;
        let mut users: Vec<String> =
            text.lines().skip(1).filter_map(|line| Some(line.split_once('\t')?.0.to_owned())).collect();
        users.dedup();
        users.truncate(people.max(2));
        Ok(users)
    }

    fn list(&self, name: &str, users: &[String]) -> Result<PathBuf, Failure> {
        let path = self.folder.join(name);
        fs::write(&path, users.join("\n")).map_err(Failure::file(&path))?;
        Ok(path)
    }

    fn command_line(&self, users: &Path) -> Result<f64, Failure> {
        let mut explain = Command::new(&self.grease);
        explain.args(["--quiet", "explain", "--format", "jsonl", "--force", "--model"]).arg(&self.model);
        explain.arg("--users").arg(users).arg("--out").arg(self.folder.join("why.jsonl"));
        let began = Instant::now();
        process::succeed(&mut explain)?;
        Ok(began.elapsed().as_secs_f64())
    }

    fn through_python(&self, users: &Path) -> Result<f64, Failure> {
        let began = Instant::now();
        report(script(&self.python).arg("--model").arg(&self.model).arg("--users").arg(users))?;
        Ok(began.elapsed().as_secs_f64())
    }
}
