//! `cargo xtask test`: all that must hold before a change goes in.

use std::io::{self, Write};
use std::ops::AddAssign;
use std::process::Command;

use crate::args::{Arg, Args};
use crate::failure::Failure;
use crate::process::{self, cargo};

const HELP: &str = "\
Everything that must hold before a change goes in, in this order, stopping at the first failure:

  format       cargo fmt --all --check
  lints        cargo clippy --workspace --all-targets -- -D warnings
  tests        cargo nextest run --workspace, or cargo test where cargo-nextest is not installed
  doc tests    cargo test --workspace --doc
  docs         cargo doc --workspace --no-deps, warnings being errors

The last line counts the tests: `N passed, N failed, N skipped`.

Usage: cargo xtask test
";

pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    match args.next() {
        None => {}
        Some(Arg::Flag(flag)) if Args::asks_help(&flag) => {
            print!("{HELP}");
            return Ok(());
        }
        Some(Arg::Flag(flag)) => return Err(Failure::unknown_flag(&flag)),
        Some(Arg::Word(word)) => return Err(Failure::unknown_word(&word)),
    }

    let mut counts = Counts::default();
    let result = all_steps(&mut counts);
    if let Err(failure) = &result {
        eprintln!("\nerror: {failure}");
    }
    println!("\n{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    result.map_err(|_| Failure::Told)
}

fn all_steps(counts: &mut Counts) -> Result<(), Failure> {
    heading("format");
    need_component("rustfmt", "fmt")?;
    process::succeed(&mut cargo(["fmt", "--all", "--check"]))?;

    heading("lints");
    need_component("clippy", "clippy")?;
    process::succeed(&mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;

    if process::works(&mut cargo(["nextest", "--version"])) {
        heading("tests (cargo nextest)");
        count(
            &mut cargo(["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"]),
            Counts::from_nextest,
            counts,
        )?;
    } else {
        heading("tests (cargo test: cargo-nextest is not installed)");
        count(
            &mut cargo(["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"]),
            Counts::from_cargo_test,
            counts,
        )?;
    }

    heading("doc tests");
    count(&mut cargo(["test", "--workspace", "--doc", "--no-fail-fast"]), Counts::from_cargo_test, counts)?;

    heading("docs");
    process::succeed(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn heading(name: &str) {
    println!("\n== {name} ==");
    // The programs that follow write to the same terminal on their own.
    let _ = io::stdout().flush();
}

/// Makes sure `cargo <verb>` is there, installing the toolchain component it belongs to if that can be done.
fn need_component(component: &str, verb: &str) -> Result<(), Failure> {
    let there = || process::works(&mut cargo([verb, "--version"]));
    if there() {
        return Ok(());
    }
    println!("{component} is not installed; trying `rustup component add {component}`");
    let added = process::status(Command::new("rustup").args(["component", "add", component]));
    if added.is_ok_and(|status| status.success()) && there() {
        return Ok(());
    }
    Err(Failure::work(format!(
        "`cargo {verb}` is not there and could not be installed: run `rustup component add {component}`, or install your \
         distribution's {component} package"
    )))
}

/// Runs a test runner and adds what its summary lines say. Each runner is read in its own words only: below a failed
/// test nextest repeats what the test binary printed, a `cargo test` summary included.
fn count(runner: &mut Command, read: fn(&str) -> Option<Counts>, counts: &mut Counts) -> Result<(), Failure> {
    let (status, found) = process::watch(runner, read)?;
    for summary in found {
        *counts += summary;
    }
    if status.success() { Ok(()) } else { Err(process::ended_badly(runner, status)) }
}

/// How many tests ended how.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Counts {
    /// `     Summary [   0.005s] 3 tests run: 2 passed (1 slow), 1 failed, 1 timed out, 0 skipped`
    fn from_nextest(line: &str) -> Option<Self> {
        let (_, outcomes) = line.trim_start().strip_prefix("Summary [")?.split_once(" run: ")?;
        Some(Self::sum(without_brackets(outcomes).split(',')))
    }

    /// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`
    fn from_cargo_test(line: &str) -> Option<Self> {
        let (_, outcomes) = line.strip_prefix("test result: ")?.split_once(". ")?;
        Some(Self::sum(outcomes.split(';')))
    }

    fn sum<'a>(outcomes: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            let Some((number, name)) = outcome.trim().split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match name.trim() {
                "passed" => counts.passed += number,
                "skipped" | "ignored" => counts.skipped += number,
                "measured" | "filtered out" => {}
                // nextest names some kinds of failure apart: `timed out`, `exec failed`.
                _ => counts.failed += number,
            }
        }
        counts
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// `2 passed (1 slow, 1 flaky), 1 failed` becomes `2 passed , 1 failed`.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64, skipped: u64) -> Option<Counts> {
        Some(Counts { passed, failed, skipped })
    }

    #[test]
    fn reads_nextest() {
        let read = Counts::from_nextest;
        assert_eq!(read("     Summary [   0.005s] 3 tests run: 3 passed, 0 skipped\n"), counts(3, 0, 0));
        assert_eq!(read("     Summary [   0.005s] 1 test run: 1 passed, 2 skipped"), counts(1, 0, 2));
        let mixed =
            "Summary [ 12.300s] 6/9 tests run: 3 passed (1 slow, 1 flaky), 1 failed, 2 timed out, 4 skipped";
        assert_eq!(read(mixed), counts(3, 3, 4));
    }

    #[test]
    fn reads_cargo_test() {
        let read = Counts::from_cargo_test;
        let ok =
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 5 filtered out; finished in 0.00s\n";
        assert_eq!(read(ok), counts(3, 0, 1));
        let failed = "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(read(failed), counts(2, 1, 0));
    }

    #[test]
    fn other_lines_are_no_summary() {
        for line in
            ["running 3 tests", "test tests::reads_nextest ... ok", "", "Summary of the run: 3 passed"]
        {
            assert_eq!(Counts::from_nextest(line), None, "{line}");
            assert_eq!(Counts::from_cargo_test(line), None, "{line}");
        }
    }

    #[test]
    fn what_nextest_repeats_of_a_failed_test_is_not_counted_again() {
        let repeated = "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out";
        assert_eq!(Counts::from_nextest(repeated), None);
        assert_eq!(Counts::from_cargo_test(repeated), None);
    }
}
