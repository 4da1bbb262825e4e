//! The crates, as crates.io would get them: each is packed, unpacked and compiled by itself.

use super::release::Release;
use crate::failure::Failure;
use crate::process;

pub(super) fn attempt(release: &Release) -> Result<(), Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut publish = std::process::Command::new(cargo);
    publish.current_dir(&release.root).args(["publish", "--workspace", "--dry-run", "--locked"]);
    if release.commit.contains(' ') {
        publish.arg("--allow-dirty");
    }
    process::succeed(&mut publish)
}
