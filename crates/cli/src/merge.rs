//! `grease merge`

use std::path::{Path, PathBuf};

use clap::Args;
use grease::graph::Destination;
use grease::models::folder::ModelFolder;
use grease::{GatherRequest, gather, merge};

use crate::failure::{Code, Failure};
use crate::many::{format_of, say};
use crate::output::{Output, destination_in_folder};
use crate::users::users_named_in;

const EXAMPLES: &str = "\
Examples:
  grease merge part-*.parquet --out why.parquet
  grease merge --run run.json --users people.txt from-spark/ --out why.parquet";

/// The rest of `--help`.
const MORE: &str = "

All parts of one job are needed, each once, in any order. The result is the file that one run
without --shard would have written, to the byte: of `grease batch`, or of `grease recommend`.

With --run the parts are what Ray or Spark wrote: tables, or folders of them, with the rows of a
person anywhere. run.json is what `grease.distributed.run` wrote in Python; --users has everybody in
the order wanted: a file with an id a line, or the model's folder for all it knows. Rows that came
twice, because the engine did a part again, are written once. docs/scale.md has the whole story.";

/// Join the parts that several machines made
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
pub(crate) struct MergeArguments {
    /// The parts, as tables (.parquet)
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Where to: a name that ends in .parquet or .jsonl
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What the run is, where an engine made the parts
    #[arg(long, value_name = "FILE", requires = "users")]
    run: Option<PathBuf>,
    /// Everybody in their order: a file with an id a line, or a model's folder
    #[arg(long, value_name = "FILE|DIR", requires = "run")]
    users: Option<PathBuf>,
    /// People without a row have an empty list; without this they are an error
    #[arg(long, requires = "run")]
    allow_absent: bool,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &MergeArguments, output: &Output) -> Result<Code, Failure> {
    let MergeArguments { parts, out, run, users, allow_absent, force } = arguments;
    let aside = match destination_in_folder(out, *force)? {
        Destination::File { path, .. } => folder_of(&path),
        Destination::Stream => std::env::temp_dir(),
    };
    let format = format_of(out)?;
    let (things, summary) = match (run, users) {
        (Some(run), Some(users)) => {
            let people = everybody(users)?;
            let (aside, allow_absent) = (aside.as_path(), *allow_absent);
            gather(&GatherRequest { run, people: &people, parts, aside, allow_absent }, out, format)?
        }
        _ => merge(parts, out, format)?,
    };
    say(things.one(), &summary, out, *output);
    Ok(Code::Done)
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Everybody once.
fn everybody(users: &Path) -> Result<Vec<String>, Failure> {
    if users.is_dir() {
        let users = ModelFolder::load(users)?.data.users;
        return Ok((0..users.len() as u32).map(|row| users.id(row).to_owned()).collect());
    }
    let mut seen = std::collections::HashSet::new();
    let named = users_named_in(users)?.into_iter().map(|(name, _)| name);
    Ok(named.filter(|name| seen.insert(name.clone())).collect())
}
