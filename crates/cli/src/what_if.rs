//! `grease what-if`

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use grease::{NamedMoved, NamedWhatIf, Question};

use crate::failure::Failure;
use crate::items::{CandidateArguments, brought};
use crate::numbers::at_least_one;
use crate::oracle::{Expected, Opened};
use crate::output::{Format, Output, padded, plain, widest};
use crate::subject::SubjectArguments;

/// See what somebody's list would be, had they done something else
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  grease what-if --model model --user 42 --remove tea
  grease what-if --model model --user 42 --remove tea --remove 'Earl Grey' --add rum -k 5
  grease what-if --model model --history 'tea,milk' --add rum --format json

Both lists are made by the model itself: the one as it is, and the one with some interactions
imagined away and others imagined there. What is imagined away is not listed again, as the
question is what it did for the others; what is imagined there is history, and not listed either.")]
#[command(group(ArgGroup::new("who").required(true)))]
#[command(group(ArgGroup::new("change").required(true).multiple(true)))]
pub(crate) struct WhatIfArguments {
    /// Whose list, by id
    #[arg(long, value_name = "ID", group = "who")]
    user: Option<String>,
    /// That of somebody the model has never seen, by the items they like
    #[arg(long, value_name = "ITEM,ITEM,…", group = "who")]
    history: Option<String>,
    /// Imagine that they had not touched this item, by id or title; may be repeated
    #[arg(long, value_name = "ITEM", group = "change")]
    remove: Vec<String>,
    /// Imagine that they had also touched this item; may be repeated
    #[arg(long, value_name = "ITEM", group = "change")]
    add: Vec<String>,
    /// Length of the lists
    #[arg(short, default_value_t = 10, value_name = "N", value_parser = at_least_one)]
    k: usize,
    /// text or json
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
    #[command(flatten)]
    candidates: CandidateArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

pub(crate) fn run(arguments: &WhatIfArguments, output: &Output) -> Result<ExitCode, Failure> {
    let WhatIfArguments { user, history, remove, add, k, format, candidates, .. } = arguments;
    let Opened { subject, asking: _asking } =
        arguments.subject.open(&Expected { list: *k, items: Vec::new() }, output)?;
    let items = &subject.data().items;
    let history = history.as_deref().map(|history| brought(history, items)).transpose()?;
    let mut question = Question { user: user.clone(), history, k: *k, ..Question::default() };
    candidates.fill(&mut question, items, output)?;
    let names = if remove.is_empty() && add.is_empty() { "users.tsv" } else { "items.tsv" };
    let lists = subject
        .what_if(&question, remove, add)
        .map_err(|refusal| arguments.subject.known_in(refusal.into(), names))?;
    match format {
        Format::Json => output.json(&lists)?,
        Format::Text => {
            let whose = user.as_deref().map_or("somebody new".to_owned(), plain);
            output.results(|out| write_text(out, &lists, &whose))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The list as it would be, where each item is now, and what would no longer be there.
fn write_text(out: &mut dyn Write, lists: &NamedWhatIf, whose: &str) -> io::Result<()> {
    writeln!(out, "The list of {whose} as it would be")?;
    let k = lists.before.len();
    let rows: Vec<[String; 3]> =
        lists.after.iter().zip(1..).map(|(moved, rank)| row(moved, rank, k)).collect();
    write_rows(out, &rows)?;
    let gone: Vec<[String; 3]> = (1..)
        .zip(&lists.before)
        .filter(|(_, moved)| lists.after.iter().all(|listed| listed.item != moved.item))
        .map(|(rank, moved)| {
            let then = match moved.rank_after {
                Some(rank) => format!("would be at {rank}"),
                None => "would be history".to_owned(),
            };
            [format!("{rank}."), name(moved), then]
        })
        .collect();
    if !gone.is_empty() {
        writeln!(out, "\nNo longer on it")?;
        write_rows(out, &gone)?;
    }
    Ok(())
}

/// Its place, its name, and where it comes from.
fn row(moved: &NamedMoved, rank: usize, k: usize) -> [String; 3] {
    let from = match moved.rank_before {
        Some(before) if before > k => format!("new, was at {before}"),
        Some(before) if before > rank => format!("up from {before}"),
        Some(before) if before < rank => format!("down from {before}"),
        Some(_) => String::new(),
        None => "new".to_owned(),
    };
    [format!("{rank}."), name(moved), from]
}

fn name(moved: &NamedMoved) -> String {
    match &moved.title {
        Some(title) => format!("{}  {}", plain(title), plain(&moved.item)),
        None => plain(&moved.item),
    }
}

fn write_rows(out: &mut dyn Write, rows: &[[String; 3]]) -> io::Result<()> {
    let [ranks, names] = [0, 1].map(|column| widest(rows.iter().map(|row| row[column].as_str())));
    for [rank, name, said] in rows {
        writeln!(out, "{}", format!("{rank:>ranks$}  {}  {said}", padded(name, names)).trim_end())?;
    }
    Ok(())
}
