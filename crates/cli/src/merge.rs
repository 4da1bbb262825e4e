//! `grease merge`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use grease::{MergeError, TableError, merge};

use crate::batch::{format_of, say};
use crate::failure::{Code, Failure};
use crate::output::{Output, refuse_to_replace};

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
    let format = format_of(out)?;
    refuse_to_replace(out, *force)?;
    let summary = merge(parts, out, format)?;
    say(&summary, out, *output);
    Ok(ExitCode::SUCCESS)
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        let said = error.to_string();
        match error {
            MergeError::Table(TableError::Io { .. }) => Self::new(Code::Data, said),
            MergeError::Table(_) => Self::new(Code::Data, said).help(
                "expected tables that `grease batch --shard` wrote; parts in .jsonl need no more than cat",
            ),
            MergeError::NoPart { .. } => {
                Self::new(Code::Data, said).help("expected tables that `grease batch --shard` wrote")
            }
            MergeError::Differs { .. } | MergeError::Twice { .. } | MergeError::Missing { .. } => {
                Self::usage(said).help("name every part of one job once")
            }
            MergeError::Io { .. } => Self::unexpected(said),
        }
    }
}
