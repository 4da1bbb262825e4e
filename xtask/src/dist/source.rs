//! The source package: what pip builds where there is no wheel.

use std::path::PathBuf;

use super::pythons::{Fresh, oldest_and_newest};
use super::release::Release;
use crate::failure::Failure;
use crate::process;
use crate::python::DIST;

pub(super) fn build(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    let python = DIST.interpreter()?;
    let mut maturin = release.command(&python, "")?;
    maturin.args(["-m", "maturin", "sdist", "--manifest-path", "bindings/python/Cargo.toml", "--out"]);
    process::succeed(maturin.arg(&release.out))?;
    Ok(vec![release.package("grease_rec-", ".tar.gz")?])
}

pub(super) fn attempt(release: &Release) -> Result<(), Failure> {
    let package = release.package("grease_rec-", ".tar.gz")?;
    let python = oldest_and_newest()?.pop().ok_or_else(|| Failure::work("no Python found"))?;
    let fresh = Fresh::of(&python)?;
    let mut pip = fresh.pip();
    // As the tests compile it: what takes minutes is there already.
    pip.env("MATURIN_PEP517_ARGS", "--profile dev").env("CARGO_TARGET_DIR", release.root.join("target"));
    process::succeed(pip.arg(&package))?;
    fresh.explain()
}
