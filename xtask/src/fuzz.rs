//! `cargo xtask fuzz`: builds the targets of `fuzz/` on stable Rust and lets libFuzzer at each for a while.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::args::count;
use crate::failure::Failure;
use crate::process::{self, cargo};

/// Coverage instrumentation as cargo-fuzz asks for it, spelt so that a stable compiler takes it.
const RUSTFLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    --cfg fuzzing \
    -Ccodegen-units=1";
/// The longest input, unless there are long seeds.
const MAX_INPUT_BYTES: u64 = 4096;
const MEMORY_LIMIT_MB: u32 = 2048;
/// The longest that one input may take.
const SECONDS_AN_INPUT: u32 = 10;

/// Run the fuzz targets of fuzz/ for a while each, starting from fuzz/seeds/TARGET
///
/// What libFuzzer learns stays in target/fuzz/corpus/TARGET and is where the next run goes on. An input that breaks a target is kept
/// in target/fuzz/artifacts/TARGET, and the command to run it again is printed. A table at the end says how many inputs each target was
/// given. Needs no nightly toolchain and no cargo-fuzz, but a
/// C++ compiler for libFuzzer.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How long each target runs
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = count())]
    seconds: u32,
    /// Only this target
    target: Option<String>,
}

/// What came of a target.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    target: String,
    inputs: u64,
    failures: u64,
}

impl Outcome {
    pub(crate) fn survived(&self) -> bool {
        self.failures == 0
    }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let outcomes = turns(options.seconds, options.target.as_deref())?;
    let broken: Vec<&str> =
        outcomes.iter().filter(|outcome| !outcome.survived()).map(|outcome| &*outcome.target).collect();
    if broken.is_empty() {
        return Ok(());
    }
    let all = outcomes.len();
    Err(Failure::work(format!("{} of {all} fuzz targets broke: {}", broken.len(), broken.join(", "))))
}

/// Gives every target, or one, a turn of so many seconds, and prints what came of it.
pub(crate) fn turns(seconds: u32, target: Option<&str>) -> Result<Vec<Outcome>, Failure> {
    let root = process::workspace_root();
    let manifest = root.join("fuzz/Cargo.toml");
    if !manifest.exists() {
        return Err(Failure::work(
            "there is no fuzz/Cargo.toml in this workspace, so there is nothing to fuzz",
        ));
    }
    let targets = chosen(targets(&manifest)?, target)?;
    let host = host_triple()?;
    let binaries = build(&root, &manifest, &host)?;
    process::succeed(&mut Command::new(binaries.join("examples/seeds")))?;

    let mut outcomes = Vec::new();
    for target in targets {
        println!("\n== {target}: {seconds} s ==");
        outcomes.push(fuzz(&root, &binaries, target, seconds)?);
    }
    print!("\n{}", table(&outcomes));
    Ok(outcomes)
}

fn table(outcomes: &[Outcome]) -> String {
    let widest = outcomes.iter().map(|outcome| outcome.target.len()).max().unwrap_or(0).max("target".len());
    let mut text = format!("{:widest$}  {:>12}  {:>8}\n", "target", "inputs tried", "failures");
    for Outcome { target, inputs, failures } in outcomes {
        text += &format!("{target:widest$}  {inputs:>12}  {failures:>8}\n");
    }
    text
}

/// The binaries of the fuzz package, by name.
fn targets(manifest: &Path) -> Result<BTreeSet<String>, Failure> {
    let mut command = cargo(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
    let metadata = process::output(command.arg(manifest))?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| Failure::work(format!("`cargo metadata`: {error}")))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let binaries =
        targets.filter(|target| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"bin".into())));
    Ok(binaries.filter_map(|target| target["name"].as_str()).map(str::to_owned).collect())
}

fn chosen(all: BTreeSet<String>, wanted: Option<&str>) -> Result<BTreeSet<String>, Failure> {
    match wanted {
        None if all.is_empty() => Err(Failure::work("fuzz/Cargo.toml names no targets")),
        None => Ok(all),
        Some(target) if all.contains(target) => Ok(BTreeSet::from([target.to_owned()])),
        Some(target) => {
            let names: Vec<_> = all.into_iter().collect();
            Err(Failure::usage(format!("no fuzz target `{target}`; there are {}", names.join(", "))))
        }
    }
}

fn host_triple() -> Result<String, Failure> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = process::output(Command::new(rustc).arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::work("`rustc -vV` does not name the host it runs on"))
}

/// Builds every target, and what looks at their seeds; the folder they are in. Naming the host keeps the flags away from build scripts.
fn build(root: &Path, manifest: &Path, host: &str) -> Result<PathBuf, Failure> {
    let folder = root.join("target/fuzz");
    let mut command = cargo(["build", "--release", "--bins", "--examples", "--target", host]);
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&folder);
    command.env("RUSTFLAGS", RUSTFLAGS).env_remove("CARGO_ENCODED_RUSTFLAGS");
    process::succeed(&mut command)?;
    Ok(folder.join(host).join("release"))
}

/// Runs one target.
fn fuzz(root: &Path, binaries: &Path, target: String, seconds: u32) -> Result<Outcome, Failure> {
    let corpus = root.join("target/fuzz/corpus").join(&target);
    let artifacts = root.join("target/fuzz/artifacts").join(&target);
    let seeds = root.join("fuzz/seeds").join(&target);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    }
    let before = files(&artifacts)?;

    let binary = binaries.join(&target);
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(artifacts.join("")); // libFuzzer wants the trailing separator
    let mut command = Command::new(&binary);
    command
        .current_dir(root)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={}", longest(&seeds)?))
        .arg(format!("-rss_limit_mb={MEMORY_LIMIT_MB}"))
        .arg(format!("-timeout={SECONDS_AN_INPUT}"))
        .arg("-verbosity=0")
        .arg("-print_final_stats=1")
        .args([prefix, corpus.into(), seeds.into()]);
    let (status, inputs) = process::watch(&mut command, inputs_tried)?;
    let inputs = inputs.last().copied().unwrap_or(0);
    if status.success() {
        return Ok(Outcome { target, inputs, failures: 0 });
    }

    let kept: Vec<_> = files(&artifacts)?.difference(&before).cloned().collect();
    eprintln!("\n{target} broke ({status})");
    for input in &kept {
        eprintln!("  input kept: {}", relative(root, input));
        eprintln!("  run it again: {} {}", relative(root, &binary), relative(root, input));
    }
    if kept.is_empty() {
        eprintln!(
            "  no new input was kept: an earlier one in {} may be the same",
            relative(root, &artifacts)
        );
    }
    Ok(Outcome { target, inputs, failures: kept.len().max(1) as u64 })
}

/// The longest input a target is given: twice the longest seed, and not too short.
fn longest(seeds: &Path) -> Result<u64, Failure> {
    let length = |file: &PathBuf| fs::metadata(file).map(|found| found.len()).map_err(Failure::file(file));
    let lengths = files(seeds)?.iter().map(length).collect::<Result<Vec<u64>, _>>()?;
    Ok(lengths.into_iter().max().map_or(0, |longest| 2 * longest).max(MAX_INPUT_BYTES))
}

/// `stat::number_of_executed_units: 18849`
fn inputs_tried(line: &str) -> Option<u64> {
    line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok()
}

fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(Failure::file(folder))
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    #[test]
    fn options_and_target_come_in_any_order() {
        let read = |line| parsed::<Options>(line).map(|options| (options.seconds, options.target));
        for line in ["--seconds 5 table", "table --seconds=5"] {
            assert_eq!(read(line).unwrap(), (5, Some("table".into())));
        }
        assert_eq!(read("").unwrap(), (30, None));
        for line in ["--second 5", "table adjacency", "--seconds"] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_came_of_it_is_a_table() {
        let outcome = |target: &str, inputs, failures| Outcome { target: target.into(), inputs, failures };
        let said = table(&[outcome("npy", 12_345, 0), outcome("checkpoint", 7, 1)]);
        assert_eq!(
            said,
            "target      inputs tried  failures\n\
             npy                12345         0\n\
             checkpoint             7         1\n"
        );
        assert_eq!(inputs_tried("stat::number_of_executed_units: 18849\n"), Some(18_849));
        assert_eq!(inputs_tried("#18849 DONE cov: 7"), None);
    }

    #[test]
    fn an_unknown_target_names_those_there_are() {
        let all = BTreeSet::from(["table".to_owned(), "adjacency".to_owned()]);
        assert_eq!(chosen(all.clone(), None), Ok(all.clone()));
        let failure = chosen(all, Some("tables")).unwrap_err();
        assert!(failure.to_string().contains("adjacency, table"), "{failure}");
    }
}
