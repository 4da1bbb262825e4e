//! Running other programs: where the workspace is, cargo as it called us, output passed through while it is read.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use crate::failure::Failure;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn workspace_root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().map(Path::to_owned).unwrap_or(package)
}

/// The cargo that started this program, in the workspace's folder.
pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace_root()).args(args);
    if std::env::var_os("CI").is_some() {
        // Nobody builds there a second time, and what a second time would need takes gigabytes.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The command line, built as the tests are.
pub(crate) fn command_line() -> Result<PathBuf, Failure> {
    // Of the whole workspace: then features, and so what is compiled already, are those of the tests.
    succeed(&mut cargo(["build", "--workspace", "--bin", "grease"]))?;
    let given = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = given.unwrap_or_else(|| workspace_root().join("target"));
    Ok(target.join("debug").join(if cfg!(windows) { "grease.exe" } else { "grease" }))
}

/// Whether a program can be run and says so itself (`cargo fmt --version`); prints nothing.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs a program with its output straight to ours.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Failure> {
    command.status().map_err(|error| could_not_start(command, &error))
}

/// Runs a program, its output straight to ours; an exit code other than 0 is a failure.
pub(crate) fn succeed(command: &mut Command) -> Result<(), Failure> {
    let status = status(command)?;
    if status.success() { Ok(()) } else { Err(ended_badly(command, status)) }
}

/// Runs a program and returns its standard output; its standard error goes straight to ours.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| could_not_start(command, &error))?;
    if !output.status.success() {
        return Err(ended_badly(command, output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program, passes every line of its output on as it comes and returns what `read` finds in the lines.
pub(crate) fn watch<T: Send + 'static>(
    command: &mut Command,
    read: fn(&str) -> Option<T>,
) -> Result<(ExitStatus, Vec<T>), Failure> {
    if io::stderr().is_terminal() {
        // Behind a pipe cargo would drop its colours.
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| could_not_start(command, &error))?;
    let out = child.stdout.take().map(|pipe| thread::spawn(move || pass_on(pipe, io::stdout(), read)));
    let err = child.stderr.take().map(|pipe| thread::spawn(move || pass_on(pipe, io::stderr(), read)));
    let mut found = Vec::new();
    for reader in [out, err].into_iter().flatten() {
        let lines = reader.join().map_err(|_| Failure::work("reading a program's output panicked"))?;
        found
            .extend(lines.map_err(|error| Failure::work(format!("passing a program's output on: {error}")))?);
    }
    let status = child.wait().map_err(|error| could_not_start(command, &error))?;
    Ok((status, found))
}

fn pass_on<T>(from: impl Read, mut to: impl Write, read: fn(&str) -> Option<T>) -> io::Result<Vec<T>> {
    let mut found = Vec::new();
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        found.extend(read(&without_colours(&String::from_utf8_lossy(&line))));
        line.clear();
    }
    Ok(found)
}

/// The text without terminal escapes of the form `ESC [ ... letter`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(
            part.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..).unwrap_or_default(),
        );
    }
    plain
}

/// Says what comes next.
pub(crate) fn heading(name: &str) {
    println!("\n== {name} ==");
    // The programs that follow write to the same terminal on their own.
    let _ = io::stdout().flush();
}

fn could_not_start(command: &Command, error: &io::Error) -> Failure {
    Failure::work(format!("could not run `{}`: {error}", shown(command)))
}

pub(crate) fn ended_badly(command: &Command, status: ExitStatus) -> Failure {
    Failure::work(format!("`{}` ended with {status}", shown(command)))
}

/// The command as one would type it; the program without its folder.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out() {
        let coloured = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.005s] \u{1b}[1m3\u{1b}[0m tests run";
        assert_eq!(without_colours(coloured), "     Summary [   0.005s] 3 tests run");
    }

    #[test]
    fn every_line_passes_and_is_read() {
        let mut passed = Vec::new();
        let found = pass_on(&b"one\n2\n3"[..], &mut passed, |line| line.trim().parse::<u32>().ok()).unwrap();
        assert_eq!(passed, b"one\n2\n3");
        assert_eq!(found, [2, 3]);
    }

    #[test]
    fn a_command_is_shown_without_folders() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["fmt", "--all"]);
        assert_eq!(shown(&command), "cargo fmt --all");
    }
}
