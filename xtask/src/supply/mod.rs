//! What comes from elsewhere: which packages, under which licences, with which notices.

mod notices;
mod packages;

use std::fs;

use crate::failure::Failure;
use crate::process;
pub(crate) use packages::{Package, Packages};

/// Stands at the root and goes into every package.
const FILE: &str = "THIRD-PARTY-NOTICES.txt";

/// Write the notices of the packages that are compiled into ours
///
/// THIRD-PARTY-NOTICES.txt names every package that goes into the binary or the Python package, its licence and the texts that come
/// with it. `cargo xtask test` fails where it is out of date: run this after a change to Cargo.lock.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {}

pub(crate) fn run(_: &Options) -> Result<(), Failure> {
    let path = process::workspace_root().join(FILE);
    let notices = notices::of(&Packages::read()?)?;
    fs::write(&path, notices).map_err(Failure::file(&path))?;
    println!("{FILE} is up to date");
    Ok(())
}

/// Whether the file says what is true.
pub(crate) fn is_up_to_date(packages: &Packages) -> Result<bool, Failure> {
    let written = fs::read_to_string(process::workspace_root().join(FILE)).unwrap_or_default();
    Ok(written == notices::of(packages)?)
}
