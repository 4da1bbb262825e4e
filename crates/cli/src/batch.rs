//! `grease batch`

use std::path::PathBuf;

use clap::Args;
use grease::{Batch, BatchRequest};

use crate::device::DeviceArguments;
use crate::failure::{Code, Failure};
use crate::many::{ManyArguments, ToFile, people, say};
use crate::numbers::at_least_one;
use crate::oracle::{Expected, Opened};
use crate::output::Output;
use crate::search::SearchArguments;
use crate::subject::SubjectArguments;

const EXAMPLES: &str = "\
Examples:
  grease batch --model model --users all --out why.parquet
  grease batch --model model --users some.txt --out why.jsonl -k 5 --goal counterfactual
  grease batch --model model --users all --out why.parquet --resume       after it was interrupted";

/// The rest of `--help`.
const MORE: &str = "
  grease batch --model model --users all --out part-2.parquet --shard 2/8
  grease merge part-*.parquet --out why.parquet
  grease batch --model model --users all --out part-$I.parquet --shard auto   in a job array

A table (.parquet) has a column for every field of an explanation, and a row for every explanation;
.jsonl has the same as an object a line. Somebody who cannot be explained anything, such as one the
model does not know, has one row that says why, and the others go on.

Until all are done, those who are stand in FILE.run, on the disk: whatever ends the run, --resume
goes on after them, and the file is the same as if nothing had happened. Ctrl-C ends after the
people under way. A finished run, resumed with the same options, is done: exit code 0. Beside lines
stands FILE.run.json, which says of which run they are. The columns are explained in docs/batch.md.";

/// Explain the lists of many people into one file
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
pub(crate) struct BatchArguments {
    /// Whose lists: a file with an id a line, or all
    #[arg(long, value_name = "FILE|all")]
    users: PathBuf,
    /// Where to: a name that ends in .parquet or .jsonl
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Length of the list
    #[arg(short, default_value_t = 10, value_name = "N", value_parser = at_least_one)]
    k: usize,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    many: ManyArguments,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

pub(crate) fn run(arguments: &BatchArguments, output: &Output) -> Result<Code, Failure> {
    let BatchArguments { subject, out, many, search, users, k, device } = arguments;
    let to = ToFile::begin(out, many)?;
    let expected = Expected { list: *k, items: Vec::new() };
    let Opened { mut subject, asking: _asking } = subject.open_on(device.device, &expected, output)?;
    search.words.apply(subject.words_mut());
    let request = BatchRequest {
        people: people(users, &subject)?,
        question: search.question(*k, &subject, output)?,
        shard: many.shard,
    };
    if let Some(summary) = to.carry_out(&Batch::explaining(&subject, &request)?, output)? {
        say("explanation", &summary, out, *output);
    }
    Ok(Code::Done)
}
