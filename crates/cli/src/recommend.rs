//! `grease recommend`

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgGroup, Args, ValueEnum};
use grease::graph::{ItemId, Recommender as _, Words};
use grease::models::folder::{Dataset, ModelFolder};
use grease::{Candidates, Listed, Who, find_item, find_user, recommend};
use serde::Serialize;

use crate::failure::{Code, Failure};
use crate::output::{Output, plain, width};

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
    /// A folder made by `grease train`
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
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
    /// List only items named in this file
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// List no items named in this file
    #[arg(long, value_name = "FILE")]
    exclude: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
    Csv,
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("expected at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("expected a whole number of at least 1".into()),
    }
}

/// One person's list, as JSON says it.
#[derive(Serialize)]
struct List<'a> {
    /// `None` for a newcomer.
    user: Option<&'a str>,
    k: usize,
    recommendations: Vec<Recommendation<'a>>,
}

#[derive(Serialize)]
struct Recommendation<'a> {
    rank: usize,
    item: &'a str,
    title: Option<&'a str>,
    score: f32,
}

pub(crate) fn run(arguments: &RecommendArguments, output: &Output) -> Result<ExitCode, Failure> {
    let ModelFolder { data, model, .. } = ModelFolder::load(&arguments.model)?;
    let names = if arguments.history.is_some() { "items.tsv" } else { "users.tsv" };
    let known_in = |failure: Failure| match failure {
        Failure::Said { code: Code::Unknown, .. } => {
            failure.help(format!("{} lists all the model knows", arguments.model.join(names).display()))
        }
        failure => failure,
    };
    let people = people(arguments, &data).map_err(known_in)?;
    let candidates = Candidates {
        only: arguments.candidates.as_deref().map(|file| items_in(file, &data, output)).transpose()?,
        except: match &arguments.exclude {
            Some(file) => items_in(file, &data, output)?,
            None => BTreeSet::new(),
        },
    };
    let mut lists = Vec::with_capacity(people.len());
    for (user, who) in &people {
        let listed = recommend(&model, who, arguments.k, &candidates)?;
        let name = user.unwrap_or("somebody new");
        if listed.len() < arguments.k {
            output.note(format_args!(
                "note: {name} gets {} of {} {}: there are no more candidates",
                listed.len(),
                arguments.k,
                data.words.items
            ));
        }
        if matches!(who, Who::Known(_)) && who.history(model.graph()).is_empty() {
            output.note(format_args!(
                "note: {name} has no training interactions; the list says little about them"
            ));
        }
        let recommendations = listed.iter().map(|l| Recommendation::new(l, &data)).collect();
        lists.push(List { user: *user, k: arguments.k, recommendations });
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
    let items = items_named(history, data)?;
    if items.is_empty() {
        return Err(
            Failure::usage("--history names no item").help("name at least one: --history 'first,second'")
        );
    }
    Ok(vec![(None, Who::Newcomer(items))])
}

/// Ids and titles separated by commas; a title may have commas of its own if it is the only one.
fn items_named(list: &str, data: &Dataset) -> Result<Vec<ItemId>, Failure> {
    if let Ok(item) = find_item(&data.items, list.trim()) {
        return Ok(vec![item]);
    }
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(|name| Ok(find_item(&data.items, name)?)).collect()
}

/// One item a line. What the model does not know cannot be listed anyway: counted, not refused.
fn items_in(file: &Path, data: &Dataset, output: &Output) -> Result<BTreeSet<ItemId>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::new(Code::Data, format_args!("the items in {} could not be read: {error}", file.display()))
    })?;
    let names = text.lines().map(|line| line.split('\t').next().unwrap_or("").trim());
    let (mut items, mut unknown) = (BTreeSet::new(), Vec::new());
    for name in names.filter(|name| !name.is_empty()) {
        match find_item(&data.items, name) {
            Ok(item) => _ = items.insert(item),
            Err(error) => unknown.push(error),
        }
    }
    match (&unknown[..], items.is_empty()) {
        ([], true) => {
            return Err(Failure::new(Code::Data, format_args!("{} names no item", file.display())));
        }
        ([first, ..], true) => {
            return Err(Failure::new(Code::Unknown, format_args!("{}: {first}", file.display())));
        }
        ([first, ..], false) => output.note(format_args!(
            "note: passed over what the model does not know in {1}: {0} ({first})",
            unknown.len(),
            file.display()
        )),
        ([], false) => {}
    }
    Ok(items)
}

impl<'a> Recommendation<'a> {
    fn new(listed: &Listed, data: &'a Dataset) -> Self {
        let row = listed.item.0;
        Self {
            rank: listed.rank,
            item: data.items.id(row),
            title: data.items.title(row),
            score: listed.score,
        }
    }
}

fn write_csv(out: &mut dyn Write, lists: &[List<'_>]) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["user", "rank", "item", "title", "score"])?;
    for list in lists {
        for r in &list.recommendations {
            let (rank, score) = (r.rank.to_string(), r.score.to_string());
            csv.write_record([list.user.unwrap_or(""), &rank, r.item, r.title.unwrap_or(""), &score])?;
        }
    }
    csv.flush()
}

fn write_text(out: &mut dyn Write, lists: &[List<'_>], words: &Words) -> io::Result<()> {
    for (at, list) in lists.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let user = list.user.map_or("somebody new".to_owned(), plain);
        let things = if list.recommendations.len() == 1 { &words.item } else { &words.items };
        writeln!(out, "{} {things} for {user}", list.recommendations.len())?;
        let rows: Vec<(String, String, String)> = list
            .recommendations
            .iter()
            .map(|r| (plain(r.item), r.title.map(plain).unwrap_or_default(), format!("{:.4}", r.score)))
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
