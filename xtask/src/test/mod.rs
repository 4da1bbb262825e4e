//! `cargo xtask test`: all that must hold before a change goes in.

mod api;
mod browser;
mod counts;
mod cuda;
mod docs;
mod fuzzing;
mod house;
mod on_card;
mod python;
mod supply;

use std::process::Command;

use clap::ValueEnum;

use crate::card::Card;
use crate::failure::Failure;
use crate::process::{self, cargo, heading};
use crate::python::system as python_of_the_system;
use counts::Counts;

/// Check all that must hold before a change goes in
///
/// In this order, stopping at the first failure:
///
///   house        the rules of how the code is built: cycles between modules, the one door, flags, documentation, lengths
///   format       cargo fmt --all --check
///   lints        cargo clippy --workspace --all-targets -- -D warnings
///   tests        cargo nextest run --workspace, or cargo test where cargo-nextest is not installed
///   doc tests    cargo test --workspace --doc
///   docs         cargo doc --workspace --no-deps, warnings being errors
///   supply chain licences and sources of what comes from elsewhere (cargo-deny), its notices, the oldest Rust, packages for crates.io
///   cuda         the kernels compiled for every card, by NVRTC: no card is needed, and what is shipped is what the source makes
///   browser      the page of `grease serve` in headless Chromium; its pictures are left in target/page
///   api          the API of `grease serve` against its own description, by schemathesis
///   docs site    the documentation site, built and checked: cargo xtask docs
///   Python       the Python package with light dependencies
///   docs pages   every command and every block of Python of the README and the docs: with --all those that need PyTorch, too
///   Sail         the Python package on an engine that understands Spark's interface
///   engines      the Python package on Ray and on Spark, some of whose workers are killed: only with --all
///   adapters     the Python package against the libraries it adapts to: only with --all
///   fuzz         every fuzz target for a few seconds: only with --all
///
/// Python's packages are installed in environments under target/; with --all those of over a gigabyte are removed once they
/// have been used, unless --keep is said. Where there is no Python what
/// needs it (cuda, api, docs site, Python, docs pages) is skipped, unless CI is set. Chromium and chromedriver are installed by
/// apt-get where they are missing and that can be done without asking for a password; else the
/// browser's tests are skipped, unless CI is set.
///
/// The last line counts the tests: `N passed, N failed, N skipped`.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Options {
    /// Also test against the real Ray, Spark, PyTorch Geometric, implicit and RecBole, and the pages that need them; and a turn of each fuzz target
    #[arg(long)]
    all: bool,
    /// Keep the environments of Ray, Spark, PyTorch and RecBole for the next run: 13 GB on disk, as much as 7 GB to download
    #[arg(long, requires = "all")]
    keep: bool,
    /// Look only at how the code is built, which takes a second
    #[arg(long, conflicts_with = "all")]
    house: bool,
    /// Begin with this step, where those before it have passed already
    #[arg(long, value_name = "STEP", value_enum, default_value_t = Step::House, hide_default_value = true, conflicts_with = "house")]
    from: Step,
    /// Run on this card, cuda or cuda:N, the tests that need one, and nothing else; the numbers are nvidia-smi's
    #[arg(long, value_name = "CARD", conflicts_with_all = ["all", "house", "from"])]
    device: Option<Card>,
}

/// What there is to begin with, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
enum Step {
    House,
    /// Format, lints, tests, doc tests and docs
    Rust,
    SupplyChain,
    Cuda,
    Browser,
    Api,
    DocsSite,
    /// All that is tested from Python: docs pages, Sail, engines and adapters included
    Python,
    Fuzz,
}

impl Step {
    fn run(self, options: &Options, counts: &mut Counts) -> Result<(), Failure> {
        match self {
            Step::House => house::step(counts),
            Step::Rust => rust_steps(counts),
            Step::SupplyChain => supply::step(counts),
            Step::Cuda => cuda::step(counts),
            Step::Browser => browser::step(counts),
            Step::Api => api::step(counts),
            Step::DocsSite => docs::site(counts),
            Step::Python => python::steps(options, counts),
            Step::Fuzz if options.all => fuzzing::step(counts),
            Step::Fuzz => Ok(()),
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(card) = options.device {
        return on_card::run(card);
    }
    let mut counts = Counts::default();
    let is_wanted = |step: &&Step| **step >= options.from && (!options.house || **step == Step::House);
    let result =
        Step::value_variants().iter().filter(is_wanted).try_for_each(|step| step.run(options, &mut counts));
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

    if has_nextest() {
        heading("tests (cargo nextest)");
        let mut nextest = cargo(["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"]);
        // Those of the browser have a step of their own: here they would be counted as skipped.
        nextest.args(["--filterset", "not binary(browser)"]);
        count(&mut nextest, Counts::from_nextest, counts)?;
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

fn has_nextest() -> bool {
    process::works(&mut cargo(["nextest", "--version"]))
}

/// Whether this is where nothing may be missing.
fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Whether a step that needs Python is passed over because there is none, which is said; `to` is what it would be there to do.
fn without_python(step: &str, to: &str, counts: &mut Counts) -> bool {
    let without = python_of_the_system().is_none() && !is_ci();
    if without {
        heading(&format!("{step}: skipped"));
        println!("skipped: no Python 3.10 or later found; install python3 with its venv module to {to}");
        counts.skipped += 1;
    }
    without
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
