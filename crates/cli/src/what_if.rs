//! `grease what-if`

use std::collections::BTreeSet;
use std::io::{self, Write};

use clap::{ArgGroup, Args};
use grease::graph::{Field, ItemId, Words};
use grease::tell::list;
use grease::{NamedMoved, NamedWhatIf, Question, Refusal, Subject};

use crate::failure::{Code, Failure};
use crate::items::{CandidateArguments, brought};
use crate::numbers::at_least_one;
use crate::oracle::{Expected, Opened};
use crate::output::{Format, Output, Row, plain, write_rows};
use crate::subject::SubjectArguments;

const EXAMPLES: &str = "\
Examples:
  grease what-if --model model --user 42 --remove tea
  grease what-if --model model --user 42 --remove tea --remove 'Earl Grey' --add rum -k 5
  grease what-if --model model --history 'tea,milk' --add rum";

/// The rest of `--help`.
const MORE: &str = "

Both lists are made by the model itself: the one as it is, and the one with some interactions
imagined away and others imagined there. What is imagined away is not listed again, as the
question is what it did for the others; what is imagined there is history, and not listed either.

A title with commas stands in a --history of its own, or in double quotes:
--history '\"Crosby, Stills & Nash\",Yes'.";

/// See what somebody's list would be, had they done something else
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
#[command(group(ArgGroup::new("who").required(true)))]
#[command(group(ArgGroup::new("change").required(true).multiple(true)))]
pub(crate) struct WhatIfArguments {
    /// Whose list, by id
    #[arg(long, value_name = "ID", group = "who")]
    user: Option<String>,
    /// That of somebody the model has never seen, by the items they like; may be repeated
    #[arg(long, value_name = "ITEM,ITEM,…", group = "who")]
    history: Vec<String>,
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

pub(crate) fn run(arguments: &WhatIfArguments, output: &Output) -> Result<Code, Failure> {
    let WhatIfArguments { user, history, remove, add, k, format, candidates, .. } = arguments;
    let Opened { subject, asking: _asking } =
        arguments.subject.open(&Expected { list: *k, items: Vec::new() }, output)?;
    let items = &subject.data().items;
    let history = (!history.is_empty()).then(|| brought(history, items));
    let mut question = Question { user: user.clone(), history, k: *k, ..Question::default() };
    candidates.fill(&mut question, items, output)?;
    let known_in = |refusal: Refusal| arguments.subject.known_in(refusal);
    let lists = subject.what_if(&question, remove, add).map_err(known_in)?;
    match format {
        Format::Json => output.json(&lists)?,
        Format::Text => {
            let title = arguments.title(lists.after.len(), &subject)?;
            output.results(|out| {
                writeln!(out, "{title}")?;
                write_text(out, &lists)
            })?;
        }
    }
    Ok(Code::Done)
}

impl WhatIfArguments {
    /// So many for whom, and what is imagined.
    fn title(&self, listed: usize, subject: &Subject) -> Result<String, Refusal> {
        let named = |names: &[String], field| -> Result<String, Refusal> {
            let mut items = subject.items(names, field)?;
            let mut seen = BTreeSet::new();
            items.retain(|&item| seen.insert(item));
            let name = |item: ItemId| format!("“{}”", plain(subject.data().items.name(item.0)));
            let names: Vec<String> = items.into_iter().map(name).collect();
            Ok(list(&names))
        };
        let (removed, added) = (named(&self.remove, Field::Remove)?, named(&self.add, Field::Add)?);
        let Words { did, item, items, .. } = subject.words();
        let imagined = match (self.remove.is_empty(), self.add.is_empty()) {
            (false, true) => format!("never {did} {removed}"),
            (true, _) => format!("also {did} {added}"),
            (false, false) => format!("never {did} {removed}, but {did} {added}"),
        };
        let whom = self.user.as_deref().map_or("somebody new".to_owned(), plain);
        let things = if listed == 1 { item } else { items };
        Ok(format!("{listed} {things} for {whom}, as if they {imagined}"))
    }
}

/// The list as it would be, with where each item is now, and what would no longer be on it.
fn write_text(out: &mut dyn Write, lists: &NamedWhatIf) -> io::Result<()> {
    let (before, after) = (&lists.before, &lists.after);
    let row = |rank, NamedMoved { item, title, .. }: &NamedMoved, said| {
        let title = title.as_deref().map(plain).unwrap_or_default();
        Row { rank, title, id: plain(item), said }
    };
    let listed: Vec<Row> = (1..)
        .zip(after)
        .map(|(rank, moved)| row(rank, moved, came_from(moved, rank, before.len())))
        .collect();
    let gone: Vec<Row> = (1..)
        .zip(before)
        .filter(|(_, moved)| after.iter().all(|listed| listed.item != moved.item))
        .map(|(rank, moved)| row(rank, moved, goes_to(moved)))
        .collect();
    write_rows(out, &listed)?;
    if !gone.is_empty() {
        writeln!(out, "\nNo longer listed")?;
        write_rows(out, &gone)?;
    } else if listed.iter().all(|row| row.said.is_empty()) {
        writeln!(out, "\nNothing changes")?;
    }
    Ok(())
}

/// Where an item of the list as it would be is now; nothing where it is there already.
fn came_from(moved: &NamedMoved, rank: usize, k: usize) -> String {
    match moved.rank_before {
        Some(before) if before > k => format!("new, now at {before}"),
        Some(before) if before > rank => format!("up from {before}"),
        Some(before) if before < rank => format!("down from {before}"),
        _ => String::new(),
    }
}

/// Where an item of the list as it is would be.
fn goes_to(moved: &NamedMoved) -> String {
    moved.rank_after.map_or_else(|| "in the history".to_owned(), |rank| format!("down to {rank}"))
}
