//! `grease batch`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use grease::graph::{Destination, counted, grouped};
use grease::{Batch, BatchRequest, Journal, Opening, Person, Shard, Subject, Summary, TableFormat};

use crate::failure::Failure;
use crate::interruption;
use crate::numbers::at_least_one;
use crate::oracle::{Expected, Opened};
use crate::output::{Output, destination, plain};
use crate::pace::Pace;
use crate::search::SearchArguments;
use crate::subject::SubjectArguments;
use crate::users::users_named_in;

const EXAMPLES: &str = "\
Examples:
  grease batch --model model --users all --out why.parquet
  grease batch --model model --users some.txt --out why.jsonl -k 5 --goal counterfactual
  grease batch --model model --users all --out why.parquet --resume       after it was interrupted";

/// The rest of `--help`.
const MORE: &str = "
  grease batch --model model --users all --out part-2.parquet --shard 2/8
  grease merge part-*.parquet --out why.parquet

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
    /// Explain only this part of the people, such as 2/8: the second of eight
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Go on with a run that was not finished; nothing is done where it was
    #[arg(long)]
    resume: bool,
    /// Replace the file if it is there; without --resume also start an unfinished run over
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

pub(crate) fn run(arguments: &BatchArguments, output: &Output) -> Result<ExitCode, Failure> {
    let BatchArguments { subject, out, shard, resume, force, search, .. } = arguments;
    let file = file_of(out)?;
    let format = format_of(out)?;
    let run_folder = run_folder(&file);
    Journal::sweep(&run_folder)?;
    // Whoever began the run that is resumed was allowed to replace what is there; or it is that run's own result, and
    // only clearing up was left to do, or not even that.
    destination(out, *force || *resume)?;
    let is_over = *resume && !*force && file.exists() && !Journal::exists(&run_folder);
    let expected = Expected { list: arguments.k, items: Vec::new() };
    let Opened { mut subject, asking: _asking } = subject.open(&expected, output)?;
    search.words.apply(subject.words_mut());
    let request = BatchRequest {
        people: arguments.people(&subject)?,
        question: search.question(arguments.k, &subject, output)?,
        shard: *shard,
    };
    let batch = Batch::new(&subject, &request)?;
    if is_over {
        if !batch.is_finished(&file, format)? {
            destination(out, false)?;
        }
        output.note(format_args!("{} is finished: nothing is left to do", out.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let mut journal = Journal::open(&run_folder, batch.settings(), Opening::said(*resume, *force))?;
    if journal.done() > 0 {
        output.note(format_args!(
            "going on after {} of {}",
            journal.done(),
            counted(batch.people(), "person")
        ));
    }
    let interrupted = interruption::watch("finishing the people under way; Ctrl-C again quits at once")?;
    let pace = Pace::of_people(batch.people(), journal.done(), *output, interrupted);
    let ended = batch.run(&mut journal, &pace);
    pace.finish();
    ended?;
    let summary = batch.finish(journal, &file, format)?;
    say(&summary, out, *output);
    Ok(ExitCode::SUCCESS)
}

impl BatchArguments {
    fn people(&self, subject: &Subject) -> Result<Vec<Person>, Failure> {
        let users = &subject.data().users;
        if self.users.as_os_str() == "all" {
            return Ok(Person::all(users));
        }
        let named = users_named_in(&self.users)?;
        Ok(Person::find(users, named.iter().map(|(name, _)| name.as_str())))
    }
}

/// The file itself, where `out` is a link: the run stands beside it, on the same disk.
fn file_of(out: &Path) -> Result<PathBuf, Failure> {
    match destination(out, true)? {
        Destination::File { path, .. } => Ok(path),
        Destination::Stream => Err(Failure::usage(format_args!("{} is a pipe or a device", out.display()))
            .help("a batch keeps what is done beside its file, so that it can be resumed: name a file that ends in .parquet or .jsonl; `grease explain --format jsonl` writes to stdout and to pipes")),
    }
}

/// In which form, by the name of the file.
pub(crate) fn format_of(out: &Path) -> Result<TableFormat, Failure> {
    TableFormat::of(out).ok_or_else(|| {
        Failure::usage(format_args!("{} ends neither in .parquet nor in .jsonl", out.display()))
            .help("the end of the name says whether it is a table or an object a line")
    })
}

/// Where those stand who are done, until all are.
fn run_folder(out: &Path) -> PathBuf {
    let mut name = OsString::from(out);
    name.push(".run");
    name.into()
}

/// What came of it.
pub(crate) fn say(summary: &Summary, out: &Path, output: Output) {
    let Summary { people, failed, .. } = summary;
    output.note(format_args!(
        "{} for {} of {} in {}",
        counted(summary.explained(), "explanation"),
        grouped(people - failed),
        counted(*people, "person"),
        out.display()
    ));
    let mut lines: Vec<(&str, String)> = Vec::new();
    for ((goal, status), count) in &summary.explanations {
        let said = format!("{count} {}", status.replace('_', " "));
        match lines.last_mut() {
            Some((last, line)) if *last == goal => *line += &format!(", {said}"),
            _ => lines.push((goal, said)),
        }
    }
    for (goal, line) in lines {
        output.note(format_args!("  {goal}: {line}"));
    }
    if let Some(edges) = summary.mean_edges() {
        output.note(format_args!(
            "  {edges:.1} interactions in a verified one on average; {} asked of the model",
            counted(summary.queries.round(), "question")
        ));
    }
    if let Some(first) = &summary.first_error {
        output.note(format_args!("note: {failed} failed; the first was {}", plain(first)));
    }
}
