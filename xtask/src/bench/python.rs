//! `cargo xtask bench python`: what the way through Python costs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::{figure, median, publish, report, table};
use crate::args::{Arg, Args};
use crate::failure::Failure;
use crate::process::{self, cargo};
use crate::python::LIGHT;

const HELP: &str = "\
Times the Python package (bench/python_overhead.py): a recommender in Python that answers at once, in milliseconds a question; and
a model of ours, explaining the same people from Python and from the command line, taking turns in one run.

Usage: cargo xtask bench python --model DIR [--people N] [--rounds N]

Options:
  --model DIR      a model folder, say of LastFM
  --people N       how many people are explained (default: 200)
  --rounds N       turns of each (default: 5)

Both doors are timed as a whole, once for all people and once for one: the difference is what explaining takes. The table is also
written to target/bench/python.md and, with every figure, to python.json there.
";

/// The most that the same work may take longer.
const ALLOWED: f64 = 1.05;
/// The most milliseconds a question.
const BAR_MS: f64 = 1.0;

pub(super) fn run(args: &mut Args) -> Result<(), Failure> {
    let (mut model, mut people, mut rounds) = (None, 200, 5);
    while let Some(arg) = args.next() {
        match arg {
            Arg::Flag(flag) if Args::asks_help(&flag) => {
                print!("{HELP}");
                return Ok(());
            }
            Arg::Flag(flag) => match flag.as_str() {
                "--model" => model = Some(PathBuf::from(args.value(&flag)?)),
                "--people" => people = args.count(&flag)? as usize,
                "--rounds" => rounds = args.count(&flag)?,
                _ => return Err(Failure::unknown_flag(&flag)),
            },
            Arg::Word(word) => return Err(Failure::unknown_word(&word)),
        }
    }
    let model = model.ok_or_else(|| Failure::usage("say which model by --model"))?;
    let model = fs::canonicalize(&model).map_err(Failure::file(&model))?;
    process::succeed(&mut cargo(["build", "--release", "--package", "grease-cli"]))?;
    let python = installed()?;

    let overhead = report(&mut script(&python))?;
    let overhead = overhead["rows"].as_array().cloned().unwrap_or_default();
    let doors = Doors { python, model, folder: work_folder()? };
    let all = doors.users(people)?;
    let one = doors.list("one.txt", &all[..1])?;
    let all = doors.list("all.txt", &all)?;
    let mut turns: Vec<(f64, f64)> = Vec::new();
    for _ in 0..rounds {
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

/// The interpreter, with the package as its users have it: optimised.
fn installed() -> Result<PathBuf, Failure> {
    let python = LIGHT.interpreter()?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip.args(["--force-reinstall", "--no-deps"]).arg(process::workspace_root());
    process::succeed(&mut pip)?;
    Ok(python)
}

fn script(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.arg(process::workspace_root().join("bench/python_overhead.py"));
    command
}

fn work_folder() -> Result<PathBuf, Failure> {
    let folder = process::workspace_root().join("target/bench/python");
    fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    Ok(folder)
}

/// The two ways to the same explanations.
struct Doors {
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
        let grease = process::workspace_root().join("target/release/grease");
        let mut explain = Command::new(grease);
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
