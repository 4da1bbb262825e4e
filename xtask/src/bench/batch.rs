//! `cargo xtask bench batch`: explaining many people, with one thread and two, for some people and twice as many.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::against::AgainstOnly;
use super::explain::{Models, SUBJECTS, Subject};
use super::{DataSets, Kind, figure, grease, table};
use crate::args::{Chosen, count, one_or_all};
use crate::failure::Failure;
use crate::process;

/// How often a run's memory is looked at; the system keeps the most there was.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Time explaining many people: threads, time and memory
///
/// `grease batch` (own interactions, both goals, top 10): whether two threads are faster than one, whether time goes with the number of
/// people, and whether memory does not. The table is also written to target/bench/batch.md and, with every figure, to batch.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataSets,
    /// People of the smaller runs; the larger has twice as many
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = count())]
    people: u32,
    /// A kind of model
    #[arg(long, default_value = "lightgcn", value_parser = one_or_all::<Kind>())]
    kind: Chosen<Kind>,
    #[command(flatten)]
    models: Models,
    #[command(flatten)]
    against: AgainstOnly,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(comparison) = options.against.asked()? {
        let people = options.people;
        let turn = |grease: &Path| Ok(timed(&mut batch(grease, &comparison.model, people)?)?.seconds);
        return comparison.run("batch", &[(format!("people, {people}"), Box::new(turn))]);
    }
    let grease = grease(None)?;
    let mut rows = Vec::new();
    for (data, folder) in options.data.present() {
        let wanted = |subject: &&Subject| subject.data == data && options.kind.0.contains(&subject.kind);
        for subject in SUBJECTS.iter().filter(wanted) {
            let model = options.models.trained(subject, &folder)?;
            rows.extend(measure(&grease, subject, &model, options.people)?);
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    super::publish("batch", &text(&rows), &rows)
}

/// One thread, two threads, and two threads for twice as many people.
fn measure(grease: &Path, subject: &Subject, model: &Path, people: u32) -> Result<Vec<Value>, Failure> {
    let name = format!("{} {}", subject.data.name(), subject.kind.name());
    let mut rows = Vec::new();
    for (threads, people) in [(1, people), (2, people), (2, 2 * people)] {
        println!("{name}: {people} people, {threads} threads");
        let mut command = batch(grease, model, people)?;
        command.args(["--threads", &threads.to_string()]);
        let run = timed(&mut command)?;
        rows.push(json!({
            "data": subject.data.name(), "kind": subject.kind.name(), "threads": threads, "people": people,
            "seconds": run.seconds, "verified": run.verified, "peak_mb": run.peak_mb,
        }));
    }
    Ok(rows)
}

/// The command that explains so many people, into a file of this bench.
fn batch(grease: &Path, model: &Path, people: u32) -> Result<Command, Failure> {
    let place = process::workspace_root().join("target/bench/batch");
    fs::create_dir_all(&place).map_err(Failure::file(&place))?;
    let users = place.join("users.txt");
    fs::write(&users, spread_out(model, people as usize)?).map_err(Failure::file(&users))?;
    let mut command = Command::new(grease);
    command.arg("batch").arg("--model").arg(model).arg("--users").arg(&users);
    command.arg("--force").arg("--out").arg(place.join("why.parquet"));
    Ok(command)
}

/// So many of the model's people, spread evenly: the first ones may be the busiest.
pub(super) fn spread_out(model: &Path, people: usize) -> Result<String, Failure> {
    let file = model.join("users.tsv");
    let text = fs::read_to_string(&file).map_err(Failure::file(&file))?;
    let all: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split('\t').nth(1)).collect();
    let people = people.min(all.len());
    Ok((0..people).map(|at| format!("{}\n", all[at * all.len() / people])).collect())
}

pub(super) struct Run {
    pub(super) seconds: f64,
    verified: u64,
    /// Explanations there are, verified or not.
    pub(super) explanations: u64,
    pub(super) peak_mb: Option<f64>,
}

/// Runs it, looking at its memory all the while.
pub(super) fn timed(command: &mut Command) -> Result<Run, Failure> {
    let named = process::shown(command);
    let failed = |error: std::io::Error| Failure::work(format!("`{named}`: {error}"));
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
        return Err(Failure::work(format!("`{named}` ended with {status}: {said}")));
    }
    Ok(Run { seconds, verified: verified_in(&said), explanations: explanations_in(&said), peak_mb })
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

/// … and how many explanations there are.
fn explanations_in(said: &str) -> u64 {
    let line = said.lines().find(|line| line.contains(" explanations for "));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
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
        assert_eq!((verified_in(said), explanations_in(said)), (12, 20));
    }
}
