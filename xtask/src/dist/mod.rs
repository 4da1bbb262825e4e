//! `cargo xtask dist`: everything that can be released from one machine, built and tried.

mod again;
mod archive;
mod binary;
mod crates;
mod deb;
mod pythons;
mod release;
mod room;
mod sbom;
mod source;
mod sums;
mod wheel;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;

use crate::args::{Chosen, one_or_all};
use crate::failure::Failure;
use crate::process::{self, heading};
use release::Release;

/// Build everything that can be released from this machine, and try it in clean places
///
///   wheel    for Linux x86-64, any Python from 3.10 on, glibc 2.17 or later (built with zig's compiler); in a fresh environment of
///            the oldest and of the newest Python at hand
///   source   the same as a source package; built and installed in a fresh environment
///   binary   a tarball with the statically linked binary, manual pages, completions, notices and what it is made of (CycloneDX); in
///            a root folder with nothing else in it
///   deb      the same as a Debian package (cargo-deb); installed into a root folder with nothing else in it
///   crates   cargo publish --workspace --dry-run
///
/// Each explains something where it was installed. They lie in dist/, with SHA256SUMS; what is tried as root (a folder as the root)
/// is skipped, with a line that says so, where it may not be done.
///
/// From nothing it takes about a quarter of an hour on two cores.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Options {
    /// What to build
    #[arg(value_name = "WHAT", default_value = "all", value_parser = one_or_all::<What>())]
    what: Chosen<What>,
    /// The folder to put it in
    #[arg(long, value_name = "DIR", default_value = "dist")]
    out: PathBuf,
    /// Build it all a second time, in another folder, and compare: the same commit is the same bytes
    #[arg(long)]
    twice: bool,
    /// Build from files that are not committed; what is built says so
    #[arg(long)]
    allow_dirty: bool,
}

/// What can be released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    Wheel,
    Source,
    Binary,
    Deb,
    Crates,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        return Err(Failure::usage(
            "packages are built on x86-64 Linux alone; .github/workflows has the others",
        ));
    }
    let release = Release::of(process::workspace_root(), &options.out, options.allow_dirty)?;
    fs::create_dir_all(&release.out).map_err(Failure::file(&release.out))?;
    let mut made = Vec::new();
    for what in &options.what.0 {
        let start = Instant::now();
        heading(&format!("{what:?}").to_lowercase());
        made.extend(build(*what, &release)?);
        attempt(*what, &release)?;
        println!("{:.0} s", start.elapsed().as_secs_f64());
    }
    if options.twice {
        heading("once more, elsewhere");
        again::compare(&release, &options.what.0, &made)?;
    }
    heading("done");
    sums::write(&release.out)?;
    for path in &made {
        println!("{}", sums::line(path)?);
    }
    Ok(())
}

/// Makes one kind; the files that came of it.
fn build(what: What, release: &Release) -> Result<Vec<PathBuf>, Failure> {
    match what {
        What::Wheel => wheel::build(release),
        What::Source => source::build(release),
        What::Binary => binary::build(release),
        What::Deb => deb::build(release),
        What::Crates => Ok(Vec::new()),
    }
}

/// Tries one kind as those do who get it.
fn attempt(what: What, release: &Release) -> Result<(), Failure> {
    match what {
        What::Wheel => wheel::attempt(release),
        What::Source => source::attempt(release),
        What::Binary => binary::attempt(release),
        What::Deb => deb::attempt(release),
        What::Crates => crates::attempt(release),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    #[test]
    fn all_is_built_unless_one_is_named() {
        let what = |line: &str| parsed::<Options>(line).map(|options| options.what.0);
        assert_eq!(what("").unwrap(), What::value_variants());
        assert_eq!(what("wheel --twice").unwrap(), [What::Wheel]);
        assert!(what("rpm").is_err());
    }
}
