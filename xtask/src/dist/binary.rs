//! The binary, statically linked, in a tarball with all that belongs to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::archive::pack;
use super::release::{Release, TARGET};
use super::room::{Room, told};
use super::sbom;
use crate::failure::Failure;
use crate::process;
use crate::supply::Packages;

/// Beside the binary.
const DOCUMENTS: [&str; 5] =
    ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES.txt"];
/// Shells and the names their completions go by.
const SHELLS: [(&str, &str); 3] = [("bash", "grease.bash"), ("zsh", "_grease"), ("fish", "grease.fish")];

pub(super) fn build(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    let binary = compiled(release)?;
    let name = format!("grease-{}-{TARGET}", release.version);
    let folder = release.compiled().join(&name);
    lay_out(release, &binary, &folder)?;
    let tarball = release.out.join(format!("{name}.tar.gz"));
    pack(release, &folder, &tarball)?;
    let bill = release.out.join(format!("{name}.cdx.json"));
    fs::copy(folder.join("grease.cdx.json"), &bill).map_err(Failure::file(&bill))?;
    Ok(vec![tarball, bill])
}

/// Compiled without anything of the system it will run on.
pub(super) fn compiled(release: &Release) -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = release.command(cargo, "-C target-feature=+crt-static")?;
    cargo.args(["build", "--release", "--locked", "--package", "grease-cli", "--target", TARGET]);
    // Flags of its own: beside those of the wheel everything would be compiled anew each time.
    let folder = release.compiled().join("static");
    process::succeed(cargo.env("CARGO_TARGET_DIR", &folder))?;
    Ok(folder.join(TARGET).join("release/grease"))
}

/// The folder that is packed.
fn lay_out(release: &Release, binary: &Path, folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Failure::file(folder))?;
    }
    fs::create_dir_all(folder.join("completions")).map_err(Failure::file(folder))?;
    let copy = |from: &Path, to: &Path| fs::copy(from, to).map(drop).map_err(Failure::file(to));
    copy(binary, &folder.join("grease"))?;
    for document in DOCUMENTS {
        copy(&release.root.join(document), &folder.join(document))?;
    }
    let write = |to: PathBuf, text: &str| fs::write(&to, text).map_err(Failure::file(&to));
    write(folder.join("grease.cdx.json"), &sbom::of(release, &Packages::read()?)?)?;
    for (shell, name) in SHELLS {
        let completions = process::output(Command::new(binary).args(["completions", shell]))?;
        write(folder.join("completions").join(name), &completions)?;
    }
    process::succeed(Command::new(binary).args(["--quiet", "man", "--out"]).arg(folder.join("man/man1")))
}

pub(super) fn attempt(release: &Release) -> Result<(), Failure> {
    let tarball = release.package("grease-", "-gnu.tar.gz")?;
    let room = Room::new("binary")?;
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--strip-components=1", "--file"])
        .arg(&tarball)
        .arg("--directory")
        .arg(room.path());
    process::succeed(&mut tar)?;
    let bytes = fs::metadata(room.path().join("grease")).map_err(Failure::file(room.path()))?.len();
    println!("the binary has {:.1} MB", bytes as f64 / 1e6);
    told("file", &process::output(Command::new("file").arg(room.path().join("grease")))?, "static")?;
    room.explains("/grease")
}
