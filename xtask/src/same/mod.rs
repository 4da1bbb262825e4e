//! `cargo xtask same`: whether two binaries of `grease` do the same, to the byte.

mod asking;
mod files;
mod list;
mod openapi;
mod record;
mod settle;
mod side;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::failure::Failure;
use record::{Difference, Record};
use side::Side;

/// Runs every verb and format of two binaries, and compares what they say and write byte for byte
#[derive(Debug, Args)]
#[command(after_help = "\
What is run stands in xtask/src/same/commands. Both binaries run at the same time, each in a folder of its own.
Needs sh and python3.

Example, on a branch:
  git worktree add ../before main && (cd ../before && cargo build --release)
  cargo build --release
  cargo xtask same --before ../before/target/release/grease --after target/release/grease")]
pub(crate) struct Options {
    /// The binary as it was
    #[arg(long, value_name = "BINARY")]
    before: PathBuf,
    /// The binary as it is
    #[arg(long, value_name = "BINARY")]
    after: PathBuf,
    /// Keep what was said and written in this new folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Run only commands whose name begins so, such as `batch/`, and what they need
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

pub(crate) fn run(arguments: &Options) -> Result<(), Failure> {
    let blocks = list::blocks(arguments.only.as_deref())?;
    let folder = Folder::new(arguments.keep.as_deref())?;
    let begun = Instant::now();
    // Both before either runs: a binary that is still open for writing cannot be started.
    let [before, after] = [("before", &arguments.before), ("after", &arguments.after)]
        .map(|(name, binary)| Side::new(folder.path.join(name), binary, &arguments.before));
    let (before, after) = (before?, after?);
    let (before, after) = std::thread::scope(|scope| {
        let other = scope.spawn(|| after.run(&blocks));
        (before.run(&blocks), other.join())
    });
    let after = after.map_err(|_| Failure::work("running the binary after panicked"))?;
    let (before, after) = (before?, after?);
    println!("{} commands and questions in {:.0} s\n", before.len(), begun.elapsed().as_secs_f64());
    tell(before, after)
}

/// Those of the same name, in order; a service that fails has fewer than one that answers.
fn paired(before: Vec<Record>, mut after: Vec<Record>) -> Vec<(Record, Record)> {
    let mut pairs = Vec::new();
    for one in before {
        let at = after.iter().position(|other| other.name == one.name);
        let other = at.map_or_else(|| Record::new(&one.name), |at| after.remove(at));
        pairs.push((one, other));
    }
    pairs.extend(after.into_iter().map(|other| (Record::new(&other.name), other)));
    pairs
}

/// Says what differs, in two groups, and closes with the counts.
fn tell(before: Vec<Record>, after: Vec<Record>) -> Result<(), Failure> {
    let (mut passed, mut failed, mut differ) = (0, 0, 0);
    let (mut must, mut may) = (Vec::new(), Vec::new());
    for (before, after) in paired(before, after) {
        let differences = before.differences(&after);
        let counted = match (differences.is_empty(), differences.iter().all(|one| one.may)) {
            (true, _) => &mut passed,
            (_, true) => &mut differ,
            _ => &mut failed,
        };
        *counted += 1;
        for difference in differences {
            let group = if difference.may { &mut may } else { &mut must };
            group.push(line(&before.name, &difference));
        }
    }
    for (title, lines) in [("may differ", may), ("must be the same", must)] {
        if !lines.is_empty() {
            println!("{title}\n{}\n", lines.join("\n"));
        }
    }
    println!("{passed} passed, {failed} failed, {differ} differ as they may");
    if failed == 0 { Ok(()) } else { Err(Failure::Told) }
}

fn line(name: &str, difference: &Difference) -> String {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(160);
    let Difference { what, before, after, .. } = difference;
    let start = format!("  {name}  {what}  ");
    let room = usize::max(columns, 80).saturating_sub(start.chars().count() + 4).max(40) / 2;
    let cut = |text: &str| match text.chars().count() > room {
        true => text.chars().take(room - 1).chain(['…']).collect(),
        false => text.to_owned(),
    };
    format!("{start}{} -> {}", cut(before), cut(after))
}

/// Where all happens; goes away by itself unless it is to be kept.
struct Folder {
    path: PathBuf,
    kept: bool,
}

impl Folder {
    fn new(keep: Option<&Path>) -> Result<Self, Failure> {
        let path = match keep {
            Some(folder) => std::path::absolute(folder).map_err(Failure::file(folder))?,
            None => std::env::temp_dir().join(format!("grease-same-{}", std::process::id())),
        };
        if path.exists() {
            return Err(Failure::usage(format!("{} is there already", path.display())));
        }
        std::fs::create_dir_all(&path).map_err(Failure::file(&path))?;
        Ok(Self { path, kept: keep.is_some() })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.kept {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
