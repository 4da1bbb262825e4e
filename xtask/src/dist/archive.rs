//! Tarballs whose bytes say nothing of when and where they were packed.

use std::path::Path;
use std::process::{Command, Stdio};

use super::release::Release;
use crate::failure::Failure;
use crate::process;

/// Packs a folder under its own name.
pub(super) fn pack(release: &Release, folder: &Path, tarball: &Path) -> Result<(), Failure> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(Failure::work(format!("{} cannot be packed", folder.display())));
    };
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime=@{}", release.time)).args(["--use-compress-program", "gzip --no-name --best"]);
    tar.arg("--file").arg(tarball).arg("--directory").arg(parent).arg(name).stdin(Stdio::null());
    process::succeed(&mut tar)
}
