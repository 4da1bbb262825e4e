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
const MAX_INPUT_BYTES: u32 = 4096;
const MEMORY_LIMIT_MB: u32 = 2048;

/// Run the fuzz targets of fuzz/ for a while each, starting from fuzz/seeds/TARGET
///
/// What libFuzzer learns stays in target/fuzz/corpus/TARGET and is where the next run goes on. An input that breaks a target is kept
/// in target/fuzz/artifacts/TARGET, and the command to run it again is printed. Needs no nightly toolchain and no cargo-fuzz, but a
/// C++ compiler for libFuzzer.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How long each target runs
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = count())]
    seconds: u32,
    /// Only this target
    target: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let root = process::workspace_root();
    let manifest = root.join("fuzz/Cargo.toml");
    if !manifest.exists() {
        return Err(Failure::work(
            "there is no fuzz/Cargo.toml in this workspace, so there is nothing to fuzz",
        ));
    }
    let targets = chosen(targets(&manifest)?, options.target.as_deref())?;
    let host = host_triple()?;
    let binaries = build(&root, &manifest, &host)?;

    let mut broken = Vec::new();
    for target in &targets {
        println!("\n== {target}: {} s ==", options.seconds);
        if !fuzz(&root, &binaries, target, options.seconds)? {
            broken.push(target.as_str());
        }
    }
    println!();
    if broken.is_empty() {
        println!("{} fuzz targets ran, none broke", targets.len());
        Ok(())
    } else {
        Err(Failure::work(format!(
            "{} of {} fuzz targets broke: {}",
            broken.len(),
            targets.len(),
            broken.join(", ")
        )))
    }
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

/// Builds every target and returns the folder they are in. Naming the host keeps the flags away from build scripts.
fn build(root: &Path, manifest: &Path, host: &str) -> Result<PathBuf, Failure> {
    let folder = root.join("target/fuzz");
    let mut command = cargo(["build", "--release", "--bins", "--target", host]);
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&folder);
    command.env("RUSTFLAGS", RUSTFLAGS).env_remove("CARGO_ENCODED_RUSTFLAGS");
    process::succeed(&mut command)?;
    Ok(folder.join(host).join("release"))
}

/// Runs one target; whether it survived.
fn fuzz(root: &Path, binaries: &Path, target: &str, seconds: u32) -> Result<bool, Failure> {
    let corpus = root.join("target/fuzz/corpus").join(target);
    let artifacts = root.join("target/fuzz/artifacts").join(target);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    }
    let before = files(&artifacts)?;

    let binary = binaries.join(target);
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(artifacts.join("")); // libFuzzer wants the trailing separator
    let mut command = Command::new(&binary);
    command
        .current_dir(root)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={MAX_INPUT_BYTES}"))
        .arg(format!("-rss_limit_mb={MEMORY_LIMIT_MB}"))
        .args([prefix, corpus.into()]);
    let seeds = root.join("fuzz/seeds").join(target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    let status = process::status(&mut command)?;
    if status.success() {
        return Ok(true);
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
    Ok(false)
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
    fn an_unknown_target_names_those_there_are() {
        let all = BTreeSet::from(["table".to_owned(), "adjacency".to_owned()]);
        assert_eq!(chosen(all.clone(), None), Ok(all.clone()));
        let failure = chosen(all, Some("tables")).unwrap_err();
        assert!(failure.to_string().contains("adjacency, table"), "{failure}");
    }
}
