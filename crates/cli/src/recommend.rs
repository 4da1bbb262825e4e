//! `grease recommend`

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgGroup, Args, ValueEnum};
use grease::graph::Words;
use grease::models::folder::Dataset;
use grease::{NamedList, Who, find_user, recommend};

use crate::failure::Failure;
use crate::items::{CandidateArguments, brought};
use crate::numbers::at_least_one;
use crate::oracle::Wanted;
use crate::output::{Output, plain, width};
use crate::subject::{Opened, SubjectArguments};

/// List the best items for a user, or for somebody the model has never seen
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease recommend --model model --user 42 -k 20
  grease recommend --model model --user 42 --user 43 --format json
  grease recommend --model model --history 'tea,Earl Grey'   for somebody new
  grease recommend --model model --user 42 --candidates in-stock.txt --exclude adult.txt

What somebody has touched already, in the training part, is never listed.
Items are named by their id, or by their title where only one item has it.
Files of items have one a line; of a line with tabs the first column counts.")]
#[command(group(ArgGroup::new("who").required(true)))]
pub(crate) struct RecommendArguments {
    /// For whom, by id; may be repeated
    #[arg(long, value_name = "ID", group = "who")]
    user: Vec<String>,
    /// For somebody the model has never seen, by the items they like
    #[arg(long, value_name = "ITEM,ITEM,…", group = "who")]
    history: Option<String>,
    /// How many items to list
    #[arg(short, default_value_t = 10, value_name = "N", value_parser = at_least_one)]
    k: usize,
    /// text, json or csv
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
    #[command(flatten)]
    candidates: CandidateArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
    Csv,
}

pub(crate) fn run(arguments: &RecommendArguments, output: &Output) -> Result<ExitCode, Failure> {
    let wanted = Wanted { list: arguments.k, items: Vec::new() };
    let Opened { subject, asking: _asking } = arguments.subject.open(&wanted, output)?;
    let (data, recommender) = (subject.data(), subject.recommender());
    let names = if arguments.history.is_some() { "items.tsv" } else { "users.tsv" };
    let people = people(arguments, data).map_err(|failure| arguments.subject.known_in(failure, names))?;
    let candidates = arguments.candidates.read(data, output)?;
    let mut lists = Vec::with_capacity(people.len());
    for (user, who) in &people {
        let listed = recommend(recommender, who, arguments.k, &candidates)?;
        let name = user.unwrap_or("somebody new");
        if listed.len() < arguments.k {
            output.note(format_args!(
                "note: {name} gets {} of {} {}: there are no more candidates",
                listed.len(),
                arguments.k,
                data.words.items
            ));
        }
        if matches!(who, Who::Known(_)) && who.history(recommender.graph()).is_empty() {
            output.note(format_args!(
                "note: {name} has no training interactions; the list says little about them"
            ));
        }
        lists.push(NamedList::new(*user, arguments.k, &listed, &data.items));
    }
    match arguments.format {
        Format::Json => match &lists[..] {
            [one] => output.json(one)?,
            lists => output.json(&lists)?,
        },
        Format::Csv => output.results(|out| write_csv(out, &lists))?,
        Format::Text => output.results(|out| write_text(out, &lists, &data.words))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn people<'a>(
    arguments: &'a RecommendArguments,
    data: &Dataset,
) -> Result<Vec<(Option<&'a str>, Who)>, Failure> {
    let Some(history) = &arguments.history else {
        let known = |name: &'a String| Ok((Some(name.as_str()), Who::Known(find_user(&data.users, name)?)));
        return arguments.user.iter().map(known).collect();
    };
    let items = brought(history, data)?;
    Ok(vec![(None, Who::Newcomer(items))])
}

fn write_csv(out: &mut dyn Write, lists: &[NamedList]) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["user", "rank", "item", "title", "score"])?;
    for list in lists {
        for r in &list.recommendations {
            let (rank, score) = (r.rank.to_string(), r.score.to_string());
            csv.write_record([
                list.user.as_deref().unwrap_or(""),
                &rank,
                &r.item,
                r.title.as_deref().unwrap_or(""),
                &score,
            ])?;
        }
    }
    csv.flush()
}

fn write_text(out: &mut dyn Write, lists: &[NamedList], words: &Words) -> io::Result<()> {
    for (at, list) in lists.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let user = list.user.as_deref().map_or("somebody new".to_owned(), plain);
        let things = if list.recommendations.len() == 1 { &words.item } else { &words.items };
        writeln!(out, "{} {things} for {user}", list.recommendations.len())?;
        let rows: Vec<(String, String, String)> = list
            .recommendations
            .iter()
            .map(|r| {
                (plain(&r.item), r.title.as_deref().map(plain).unwrap_or_default(), format!("{:.4}", r.score))
            })
            .collect();
        let widest = |column: fn(&(String, String, String)) -> &String| {
            rows.iter().map(|row| width(column(row))).max().unwrap_or(0)
        };
        let (ids, titles, scores) = (widest(|r| &r.0), widest(|r| &r.1), widest(|r| &r.2));
        let places = rows.len().to_string().len();
        for (rank, (id, title, score)) in (1..).zip(&rows) {
            let title = if titles > 0 { format!("  {title:<titles$}") } else { String::new() };
            writeln!(out, "{rank:>places$}.{title}  {id:<ids$}  {score:>scores$}")?;
        }
    }
    Ok(())
}
