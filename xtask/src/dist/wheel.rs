//! The wheel: one for every Python from 3.10 on, on every Linux of the last ten years.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::pythons::{Fresh, oldest_and_newest};
use super::release::{Release, TARGET};
use super::room::told;
use crate::failure::Failure;
use crate::process;
use crate::python::{DIST, path_with};

/// glibc 2.17, of 2012.
const POLICY: &str = "manylinux2014";

pub(super) fn build(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    let python = DIST.interpreter()?;
    let mut maturin = release.command(&python, "")?;
    maturin.args(["-m", "maturin", "build", "--release", "--locked", "--zig", "--compatibility", POLICY]);
    maturin.args(["--target", TARGET, "--manifest-path", "bindings/python/Cargo.toml", "--out"]);
    process::succeed(maturin.arg(&release.out).env("PATH", path_with(&python)))?;
    Ok(vec![release.package("grease_rec-", ".whl")?])
}

pub(super) fn attempt(release: &Release) -> Result<(), Failure> {
    let wheel = release.package("grease_rec-", ".whl")?;
    judged(&wheel)?;
    for python in oldest_and_newest()? {
        let fresh = Fresh::of(&python)?;
        let start = Instant::now();
        process::succeed(fresh.pip().arg(&wheel))?;
        let installed = start.elapsed().as_secs_f64();
        fresh.explain()?;
        let total = start.elapsed().as_secs_f64();
        let said = fresh.shortest("grease", &["--version"])? * 1000.0;
        let version = process::output(fresh.command("python").arg("--version"))?;
        println!(
            "{}: installed in {installed:.1} s, explained after {total:.1} s, `grease --version` takes {said:.0} ms",
            version.trim()
        );
    }
    Ok(())
}

/// By those who judge wheels: what it needs of the system, of Python, and what is in it.
fn judged(wheel: &Path) -> Result<(), Failure> {
    let python = DIST.interpreter()?;
    let module = |name: &str, words: &[&str]| {
        let mut module = Command::new(&python);
        process::output(module.args(["-m", name]).args(words).arg(wheel).env("PATH", path_with(&python)))
    };
    told("twine check", &module("twine", &["check", "--strict"])?, "PASSED")?;
    told("auditwheel", &module("auditwheel", &["show"])?, "manylinux_2_17_x86_64")?;
    module("abi3audit", &["--strict"])?;
    println!("abi3audit: ok");
    let names = process::output(Command::new(&python).args(["-m", "zipfile", "-l"]).arg(wheel))?;
    for part in
        ["sboms/", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES.txt", "entry_points.txt", "py.typed"]
    {
        told("the wheel", &names, part)?;
    }
    Ok(())
}
