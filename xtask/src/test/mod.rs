//! `cargo xtask test`: all that must hold before a change goes in.

mod counts;
mod python;

use std::io::{self, Write};
use std::process::Command;

use crate::args::{Arg, Args};
use crate::failure::Failure;
use crate::process::{self, cargo};
use counts::Counts;

const HELP: &str = "\
Everything that must hold before a change goes in, in this order, stopping at the first failure:

  format       cargo fmt --all --check
  lints        cargo clippy --workspace --all-targets -- -D warnings
  tests        cargo nextest run --workspace, or cargo test where cargo-nextest is not installed
  doc tests    cargo test --workspace --doc
  docs         cargo doc --workspace --no-deps, warnings being errors
  Python       the Python package with light dependencies (NumPy, pandas, polars, …), and the tutorials that need no more

and with --all also

  adapters     against the real PyTorch Geometric, implicit and RecBole, and the tutorial that needs them

Python's packages are installed in environments under target/. Where there is no Python its tests are skipped, unless CI is set.
The last line counts the tests: `N passed, N failed, N skipped`.

Usage: cargo xtask test [--all]
";

pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    let mut all = false;
    while let Some(arg) = args.next() {
        match arg {
            Arg::Flag(flag) if Args::asks_help(&flag) => {
                print!("{HELP}");
                return Ok(());
            }
            Arg::Flag(flag) if flag == "--all" => all = true,
            Arg::Flag(flag) => return Err(Failure::unknown_flag(&flag)),
            Arg::Word(word) => return Err(Failure::unknown_word(&word)),
        }
    }

    let mut counts = Counts::default();
    let result = rust_steps(&mut counts).and_then(|()| python::steps(all, &mut counts));
    if let Err(failure) = &result {
        eprintln!("\nerror: {failure}");
    }
    println!("\n{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    result.map_err(|_| Failure::Told)
}

fn rust_steps(counts: &mut Counts) -> Result<(), Failure> {
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
