//! Many people into one file, as `batch` and `recommend` do it: a run that can be ended and gone on with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use grease::graph::{Destination, counted, grouped};
use grease::{Job, Journal, Opening, Person, Run, Shard, Subject, Summary, TableFormat};

use crate::failure::Failure;
use crate::interruption;
use crate::output::{Output, destination, plain};
use crate::pace::Pace;
use crate::shard::shard;
use crate::users::users_named_in;

/// How a run over many people is begun. The verb has `users`, too.
#[derive(Debug, Args)]
pub(crate) struct ManyArguments {
    /// Only this part of the people, such as 2/8; auto: as Kubernetes, Slurm or AWS Batch say
    #[arg(long, value_name = "I/N|auto", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Go on with a run that was not finished; nothing is done where it was
    #[arg(long)]
    resume: bool,
    /// Replace the file if it is there; without --resume also start an unfinished run over
    #[arg(long)]
    force: bool,
}

impl ManyArguments {
    /// Whether anything of it was asked for.
    pub(crate) fn is_said(&self) -> bool {
        self.shard.is_some() || self.resume || self.force
    }
}

/// The file a run is to become.
pub(crate) struct ToFile<'a> {
    out: &'a Path,
    /// What `out` leads to.
    file: PathBuf,
    format: TableFormat,
    folder: PathBuf,
    how: &'a ManyArguments,
    /// Whether a run may have made it already.
    is_over: bool,
}

impl<'a> ToFile<'a> {
    /// Looks at what is there, before anything is loaded.
    pub(crate) fn begin(out: &'a Path, how: &'a ManyArguments) -> Result<Self, Failure> {
        let file = file_of(out)?;
        let format = format_of(out)?;
        let folder = run_folder(&file);
        Journal::sweep(&folder)?;
        // Whoever began the run that is resumed was allowed to replace what is there; or it is that run's own result, and
        // only clearing up was left to do, or not even that.
        destination(out, how.force || how.resume)?;
        let is_over = how.resume && !how.force && file.exists() && !Journal::exists(&folder);
        Ok(Self { out, file, format, folder, how, is_over })
    }

    /// Answers everybody who is left. What came of it, unless nothing was left to do.
    pub(crate) fn carry_out<J: Job>(
        &self,
        run: &Run<'_, J>,
        output: &Output,
    ) -> Result<Option<Summary>, Failure> {
        let Self { out, file, format, folder, how, is_over } = self;
        if *is_over {
            if !run.is_finished(file, *format)? {
                destination(out, false)?;
            }
            output.note(format_args!("{} is finished: nothing is left to do", out.display()));
            return Ok(None);
        }
        let mut journal = Journal::open(folder, run.settings(), Opening::said(how.resume, how.force))?;
        let done = run.done(&journal);
        if done > 0 {
            output.note(format_args!("going on after {} of {}", done, counted(run.people(), "person")));
        }
        let interrupted = interruption::watch("finishing the people under way; Ctrl-C again quits at once")?;
        let pace = Pace::of_people(run.people(), done, *output, interrupted);
        let ended = run.run(&mut journal, &pace);
        pace.finish();
        ended?;
        Ok(Some(run.finish(journal, file, *format)?))
    }
}

/// Everybody the model knows (`all`), or those of a file.
pub(crate) fn people(users: &Path, subject: &Subject) -> Result<Vec<Person>, Failure> {
    let known = &subject.data().users;
    if users.as_os_str() == "all" {
        return Ok(Person::all(known));
    }
    let named = users_named_in(users)?;
    Ok(Person::find(known, named.iter().map(|(name, _)| name.as_str())))
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

/// How many were answered, and who first was not.
pub(crate) fn say(things: &str, summary: &Summary, out: &Path, output: Output) {
    let Summary { people, failed, rows, .. } = summary;
    output.note(format_args!(
        "{} for {} of {} in {}",
        counted(*rows, things),
        grouped(people - failed),
        counted(*people, "person"),
        out.display()
    ));
    say_goals(summary, output);
    if let Some(first) = &summary.first_error {
        output.note(format_args!("note: {failed} failed; the first was {}", plain(first)));
    }
}

/// What came of explaining.
fn say_goals(summary: &Summary, output: Output) {
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
}
