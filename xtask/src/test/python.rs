//! The Python package, as its users have it: built, installed and used from Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::counts::Counts;
use super::{Options, count, docs, heading, without_python};
use crate::failure::Failure;
use crate::process::{self, command_line};
use crate::python::{ENGINES, Environment, LIGHT, RECBOLE, SAIL, TORCH, path_with};

/// An engine that waits for ever is ended, and says where it waits.
const ENGINE_TESTS: &[&str] = &["-o", "faulthandler_timeout=180", "-o", "faulthandler_exit_on_timeout=true"];

pub(super) fn steps(options: &Options, counts: &mut Counts) -> Result<(), Failure> {
    if without_python("Python", "test the Python package", counts) {
        return Ok(());
    }
    heading("Python: building the package");
    let light = LIGHT.interpreter()?;
    let command_line = command_line()?;
    let wheel = build(&light)?;

    heading("Python: tests with light dependencies");
    install(&light, &wheel)?;
    pytest(
        &light,
        &command_line,
        &["tests", "--ignore", "tests/adapters", "--ignore", "tests/engines"],
        counts,
    )?;
    docs::pages(&light, &command_line, None, counts)?;
    let with = |environment: &Environment, what: &str, tests: &[&str], counts: &mut Counts| {
        heading(&format!("Python: {what}"));
        let python = environment.interpreter()?;
        install(&python, &wheel)?;
        pytest(&python, &command_line, tests, counts)
    };
    with(
        &SAIL,
        "Sail, which understands Spark",
        &[ENGINE_TESTS, &["tests/engines/test_sail.py"]].concat(),
        counts,
    )?;
    if options.all {
        // Each is removed before the next is installed, so that the disk holds one PyTorch at a time.
        let done = |environment: &Environment| if options.keep { Ok(()) } else { environment.remove() };
        let both = ["tests/engines/test_ray.py", "tests/engines/test_spark.py"];
        with(&ENGINES, "Ray and Spark", &[ENGINE_TESTS, &both].concat(), counts)?;
        done(&ENGINES)?;
        with(&TORCH, "PyTorch Geometric and implicit", &["tests/adapters"], counts)?;
        docs::pages(&TORCH.interpreter()?, &command_line, Some("torch"), counts)?;
        done(&TORCH)?;
        with(&RECBOLE, "RecBole", &["tests/adapters"], counts)?;
        done(&RECBOLE)?;
    }
    Ok(())
}

/// Builds the wheel as `pip install .` does; but with the profile of the tests, whose dependencies are compiled already, and with the
/// environment's maturin.
fn build(python: &Path) -> Result<PathBuf, Failure> {
    let wheels = process::workspace_root().join("target/python-wheels");
    // One wheel at a time, whatever its version.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).map_err(Failure::file(&wheels))?;
    }
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-build-isolation",
    ])
    .arg("--wheel-dir")
    .arg(&wheels)
    .arg(process::workspace_root())
    .env("PATH", path_with(python))
    .env("MATURIN_PEP517_ARGS", "--profile dev");
    process::succeed(&mut pip)?;
    let mut found = std::fs::read_dir(&wheels).map_err(Failure::file(&wheels))?;
    match found.next() {
        Some(Ok(wheel)) => Ok(wheel.path()),
        _ => Err(Failure::work(format!("{} holds no wheel", wheels.display()))),
    }
}

fn install(python: &Path, wheel: &Path) -> Result<(), Failure> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    process::succeed(pip.args(["--force-reinstall", "--no-deps"]).arg(wheel))
}

fn pytest(
    python: &Path,
    command_line: &Path,
    arguments: &[&str],
    counts: &mut Counts,
) -> Result<(), Failure> {
    let mut pytest = Command::new(python);
    pytest
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .args(arguments)
        .env("GREASE_BIN", command_line)
        .current_dir(process::workspace_root().join("bindings/python"));
    count(&mut pytest, Counts::from_pytest, counts)
}
