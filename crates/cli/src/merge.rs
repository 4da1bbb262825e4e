//! `grease merge`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use grease::merge;

use crate::batch::{format_of, say};
use crate::failure::Failure;
use crate::output::{Output, destination_in_folder};

/// Join the parts that `grease batch --shard` made
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  grease merge part-*.parquet --out why.parquet

All parts of one job are needed, each once, in any order. The result is the file that one run
without --shard would have written, to the byte.")]
pub(crate) struct MergeArguments {
    /// The parts, as tables (.parquet)
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Where to: a name that ends in .parquet or .jsonl
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &MergeArguments, output: &Output) -> Result<ExitCode, Failure> {
    let MergeArguments { parts, out, force } = arguments;
    destination_in_folder(out, *force)?;
    let format = format_of(out)?;
    let summary = merge(parts, out, format)?;
    say(&summary, out, *output);
    Ok(ExitCode::SUCCESS)
}
