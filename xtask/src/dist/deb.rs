//! The Debian package; `crates/cli/Cargo.toml` says what goes where.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::binary;
use super::release::{Release, TARGET};
use super::room::{Room, told};
use crate::failure::Failure;
use crate::process;
use crate::tools::DEB;

pub(super) fn build(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    // The tarball has what the package has, and its folder is where cargo-deb finds it.
    binary::build(release)?;
    let laid_out = release.compiled().join(format!("grease-{}-{TARGET}", release.version));
    let assets = release.root.join("target/deb");
    if assets.exists() {
        fs::remove_dir_all(&assets).map_err(Failure::file(&assets))?;
    }
    let mut copy = Command::new("cp");
    process::succeed(copy.arg("-r").arg(&laid_out).arg(&assets))?;
    compress(&assets.join("man/man1"))?;
    let mut deb = release.command(DEB.program()?, "")?;
    deb.args(["--no-build", "--no-strip", "--package", "grease-cli", "--output"]).arg(&release.out);
    process::succeed(deb.env("CARGO_TARGET_DIR", release.root.join("target")))?;
    Ok(vec![release.package("grease_", "_amd64.deb")?])
}

/// As Debian has manual pages.
fn compress(folder: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
    let pages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    process::succeed(Command::new("gzip").args(["--no-name", "--best"]).args(&pages))
}

pub(super) fn attempt(release: &Release) -> Result<(), Failure> {
    let package = release.package("grease_", "_amd64.deb")?;
    let listed = process::output(Command::new("dpkg-deb").arg("--contents").arg(&package))?;
    for part in [
        "./usr/bin/grease",
        "./usr/share/man/man1/grease-explain.1.gz",
        "./usr/share/bash-completion/completions/grease",
        "./usr/share/doc/grease/THIRD-PARTY-NOTICES.txt",
    ] {
        told("the package", &listed, part)?;
    }
    let room = Room::new("deb")?;
    if !room.is_root() {
        println!("skipped: only root may install a package into a root folder");
        return Ok(());
    }
    let known = room.path().join("var/lib/dpkg");
    for folder in ["info", "updates", "triggers"] {
        fs::create_dir_all(known.join(folder)).map_err(Failure::file(&known))?;
    }
    fs::write(known.join("status"), "").map_err(Failure::file(&known))?;
    let mut dpkg = Command::new("dpkg");
    // Nothing else is there to look after: no rules of what is left out, no scripts of other packages.
    dpkg.arg(format!("--root={}", room.path().display()))
        .args(["--force-depends", "--install"])
        .arg(&package);
    process::succeed(&mut dpkg)?;
    room.explains("/usr/bin/grease")
}
