//! The page of `grease serve` in a real browser: `crates/serve/tests/browser`.

use std::process::Command;

use super::counts::Counts;
use super::{count, has_nextest, heading, is_ci};
use crate::failure::Failure;
use crate::process::{self, cargo};

/// Under any of these names the tests find it.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const DRIVER: &str = "chromedriver";

const INSTALL: &str = "install Chromium and the chromedriver of the same version: on Debian \
    `apt-get install chromium chromium-driver`, on Fedora `dnf install chromium chromedriver`, elsewhere \
    https://googlechromelabs.github.io/chrome-for-testing";

pub(super) fn step(counts: &mut Counts) -> Result<(), Failure> {
    if !is_there() {
        heading("browser: installing");
        install();
    }
    if !is_there() {
        if is_ci() {
            return Err(Failure::work(format!("the page was not tested in a browser: {INSTALL}")));
        }
        heading("browser: skipped");
        println!("skipped: the page was not tested in a browser; {INSTALL}");
        counts.skipped += 1;
        return Ok(());
    }
    // Pictures of this run, and of no other.
    let pictures = process::workspace_root().join("target/page");
    if pictures.exists() {
        std::fs::remove_dir_all(&pictures).map_err(Failure::file(&pictures))?;
    }
    // Of the whole workspace, as the tests before: then nothing is compiled with other features.
    if has_nextest() {
        heading("browser (cargo nextest)");
        let mut nextest = cargo(["nextest", "run", "--workspace", "--no-fail-fast", "--retries", "0"]);
        nextest.args(["--test-threads", "2", "--run-ignored", "only", "--filterset", "binary(browser)"]);
        count(&mut nextest, Counts::from_nextest, counts)
    } else {
        heading("browser (cargo test: cargo-nextest is not installed)");
        let mut tests = cargo(["test", "--workspace", "--test", "browser", "--no-fail-fast", "--"]);
        count(tests.args(["--ignored", "--test-threads=2"]), Counts::from_cargo_test, counts)
    }
}

fn is_there() -> bool {
    let works = |program: &str| process::works(Command::new(program).arg("--version"));
    works(DRIVER) && BROWSERS.into_iter().any(works)
}

/// Tries to, where nobody needs to be asked; whether it worked shows by itself.
fn install() {
    let Some(sudo) = rights().filter(|_| process::works(Command::new("apt-get").arg("--version"))) else {
        println!("Chromium or chromedriver is missing, and cannot be installed from here");
        return;
    };
    println!("Chromium or chromedriver is missing; installing chromium and chromium-driver by apt-get");
    for arguments in
        [&["update"][..], &["install", "-y", "--no-install-recommends", "chromium", "chromium-driver"]]
    {
        let words =
            [sudo, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"][..], arguments].concat();
        let [program, rest @ ..] = words.as_slice() else { return };
        if process::succeed(Command::new(program).args(rest)).is_err() {
            return;
        }
    }
}

/// What to write before a command that needs all rights: nothing for root, and `sudo` where it asks for no password.
fn rights() -> Option<&'static [&'static str]> {
    let is_root = process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if is_root {
        return Some(&[]);
    }
    process::works(Command::new("sudo").args(["-n", "true"])).then_some(&["sudo", "-n"])
}
