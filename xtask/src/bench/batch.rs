//! `cargo xtask bench batch`: explaining many people, with one thread and two, for some people and twice as many.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::explain::{SUBJECTS, Subject, trained};
use super::{DataSet, figure, table};
use crate::args::{Arg, Args};
use crate::failure::Failure;
use crate::process::{self, cargo};

const HELP: &str = "\
Times `grease batch` (own interactions, both goals, top 10): whether two threads are faster than one, whether time goes with the
number of people, and whether memory does not.

Usage: cargo xtask bench batch [OPTIONS]

Options:
  --data NAME    lastfm, yelp2018 or all (default: all)
  --people N     people of the smaller runs; the larger has twice as many (default: 150)
  --kind KIND    lightgcn, ngcf or all (default: lightgcn)
  --models DIR   holds the trained models as DATA-KIND, or will (default: target/bench-models)

Data is looked for in ../shared/data, or in the folder GREASE_DATA names. The table is also written to target/bench/batch.md
and, with every figure, to batch.json there.
";

const KINDS: [(&str, &str); 2] = [("lightgcn", "lightgcn"), ("ngcf", "ngcf")];
/// How often a run's memory is looked at; the system keeps the most there was.
const LOOK_EVERY: Duration = Duration::from_millis(5);

struct Options {
    data: Vec<DataSet>,
    kinds: Vec<&'static str>,
    people: u32,
    models: PathBuf,
}

pub(super) fn run(args: &mut Args) -> Result<(), Failure> {
    let Some(options) = parse(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let wanted =
        |subject: &&Subject| options.data.contains(&subject.data) && options.kinds.contains(&subject.kind);
    process::succeed(&mut cargo(["build", "--release", "--package", "grease-cli"]))?;
    let mut rows = Vec::new();
    for subject in SUBJECTS.iter().filter(wanted) {
        let Some(folder) = subject.data.folder() else { continue };
        let model = trained(subject, &folder, &options.models)?;
        rows.extend(measure(subject, &model, options.people)?);
    }
    if rows.is_empty() {
        println!("nothing to time");
        return Ok(());
    }
    super::publish("batch", &text(&rows), &rows)
}

/// `None` when help was asked for.
fn parse(args: &mut Args) -> Result<Option<Options>, Failure> {
    let mut options = Options {
        data: DataSet::ALL.map(|(_, data)| data).into(),
        kinds: vec!["lightgcn"],
        people: 150,
        models: process::workspace_root().join("target/bench-models"),
    };
    while let Some(arg) = args.next() {
        match arg {
            Arg::Flag(flag) => match flag.as_str() {
                "--data" => options.data = args.choice(&flag, &DataSet::ALL)?,
                "--kind" => options.kinds = args.choice(&flag, &KINDS)?,
                "--people" => options.people = args.count(&flag)?,
                "--models" => options.models = args.value(&flag)?.into(),
                _ if Args::asks_help(&flag) => return Ok(None),
                _ => return Err(Failure::unknown_flag(&flag)),
            },
            Arg::Word(word) => return Err(Failure::unknown_word(&word)),
        }
    }
    Ok(Some(options))
}

/// One thread, two threads, and two threads for twice as many people.
fn measure(subject: &Subject, model: &Path, people: u32) -> Result<Vec<Value>, Failure> {
    let name = format!("{} {}", subject.data.name(), subject.kind);
    let place = process::workspace_root().join("target/bench/batch");
    fs::create_dir_all(&place).map_err(Failure::file(&place))?;
    let mut rows = Vec::new();
    for (threads, people) in [(1, people), (2, people), (2, 2 * people)] {
        println!("{name}: {people} people, {threads} threads");
        let users = place.join("users.txt");
        fs::write(&users, spread_out(model, people as usize)?).map_err(Failure::file(&users))?;
        let mut command = Command::new(grease());
        command.arg("batch").arg("--model").arg(model).arg("--users").arg(&users);
        command.arg("--out").arg(place.join("why.parquet")).args([
            "--force",
            "--threads",
            &threads.to_string(),
        ]);
        let run = timed(&mut command)?;
        rows.push(json!({
            "data": subject.data.name(), "kind": subject.kind, "threads": threads, "people": people,
            "seconds": run.seconds, "verified": run.verified, "peak_mb": run.peak_mb,
        }));
    }
    Ok(rows)
}

/// The binary that was just built.
pub(super) fn grease() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| process::workspace_root().join("target"), PathBuf::from);
    target.join("release/grease")
}

/// So many of the model's people, spread evenly: the first ones may be the busiest.
fn spread_out(model: &Path, people: usize) -> Result<String, Failure> {
    let file = model.join("users.tsv");
    let text = fs::read_to_string(&file).map_err(Failure::file(&file))?;
    let all: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split('\t').nth(1)).collect();
    let people = people.min(all.len());
    Ok((0..people).map(|at| format!("{}\n", all[at * all.len() / people])).collect())
}

struct Run {
    seconds: f64,
    verified: u64,
    peak_mb: Option<f64>,
}

/// Runs it, looking at its memory all the while.
fn timed(command: &mut Command) -> Result<Run, Failure> {
    let failed = |error: std::io::Error| Failure::work(format!("grease batch: {error}"));
    let started = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut peak_mb = None;
    let status = loop {
        peak_mb = peak_of(child.id()).or(peak_mb);
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None => std::thread::sleep(LOOK_EVERY),
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut said).map_err(failed)?;
    }
    if !status.success() {
        return Err(Failure::work(format!("grease batch ended with {status}: {said}")));
    }
    Ok(Run { seconds, verified: verified_in(&said), peak_mb })
}

/// The most memory a process has held so far, in MB, where the system says.
fn peak_of(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok().map(|kib: f64| kib * 1024.0 / 1e6)
}

/// `grease batch` says how many of each goal are verified.
fn verified_in(said: &str) -> u64 {
    let words: Vec<&str> = said.split([' ', ',', '\n']).filter(|word| !word.is_empty()).collect();
    words.windows(2).filter(|pair| pair[1] == "verified").filter_map(|pair| pair[0].parse::<u64>().ok()).sum()
}

fn text(rows: &[Value]) -> String {
    let number = |row: &Value, name: &str| row[name].as_f64();
    let mut shown = Vec::new();
    for runs in rows.chunks(3) {
        for row in runs {
            let seconds = number(row, "seconds").unwrap_or(f64::NAN);
            let against = |other: &Value| figure(number(other, "seconds").unwrap_or(f64::NAN) / seconds);
            let twice = number(row, "people") != number(&runs[0], "people");
            shown.push(vec![
                format!(
                    "{} {}",
                    row["data"].as_str().unwrap_or_default(),
                    row["kind"].as_str().unwrap_or_default()
                ),
                row["people"].to_string(),
                row["threads"].to_string(),
                figure(seconds),
                figure(number(row, "verified").unwrap_or(f64::NAN) / seconds),
                if twice || row["threads"] == 1 { "-".into() } else { against(&runs[0]) },
                if twice {
                    figure(seconds / number(&runs[1], "seconds").unwrap_or(f64::NAN))
                } else {
                    "-".into()
                },
                number(row, "peak_mb").map_or("-".into(), figure),
            ]);
        }
    }
    let header = [
        "model",
        "people",
        "threads",
        "s",
        "verified/s",
        "one thread / two",
        "twice the people / once",
        "peak MB",
    ];
    table(&header, &shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verified_explanations_are_counted_over_both_goals() {
        let said = "20 explanations for 5 of 5 people in all.parquet\n  counterfactual: 6 not found, 4 verified\n  factual: 8 verified\n";
        assert_eq!(verified_in(said), 12);
    }
}
