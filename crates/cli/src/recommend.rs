//! `grease recommend`

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use grease::graph::Words;
use grease::{BatchRequest, Lists, NamedList, Question, Refusal, Subject, Who};

use crate::failure::{Code, Failure};
use crate::items::{CandidateArguments, brought};
use crate::many::{ManyArguments, ToFile, people, say};
use crate::numbers::at_least_one;
use crate::oracle::{Expected, Opened};
use crate::output::{Output, Row, plain, widest, write_rows};
use crate::subject::SubjectArguments;

const EXAMPLES: &str = "\
Examples:
  grease recommend --model model --user 42 -k 20
  grease recommend --model model --history 'tea,Earl Grey'   for somebody new
  grease recommend --model model --user 42 --candidates in-stock.txt --exclude adult.txt
  grease recommend --model model --users all --out lists.parquet";

/// The rest of `--help`.
const MORE: &str = "
  grease recommend --model model --user 42 --user 43 --format json
  grease recommend --model model --history 'Earth, Wind & Fire' --history Yes
  grease recommend --model model --users all --out part-2.parquet --shard 2/8

What somebody has touched already, in the training part, is never listed.
Items are named by their id, or by their title where only one item has it, in upper or lower case.
A title with commas stands in a --history of its own, or in double quotes:
--history '\"Crosby, Stills & Nash\",Yes'.
Files of items have one a line; of a line with tabs the first column counts.

--users writes everybody's lists into a table (.parquet) or an object a line (.jsonl): a row an item
with user, rank, item, item_title and score; somebody the model does not know has one row whose
error says so. Whatever ends the run, --resume goes on; `grease merge` joins parts. The columns are explained in docs/batch.md.";

/// List the best items for a user, for everybody, or for somebody new
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
#[command(group(ArgGroup::new("who").required(true)))]
pub(crate) struct RecommendArguments {
    /// For whom, by id; may be repeated
    #[arg(long, value_name = "ID", group = "who")]
    user: Vec<String>,
    /// For somebody the model has never seen, by the items they like; may be repeated
    #[arg(long, value_name = "ITEM,ITEM,…", group = "who")]
    history: Vec<String>,
    /// For many: a file with an id a line, or all; into a file
    #[arg(long, value_name = "FILE|all", group = "who", requires = "out")]
    users: Option<PathBuf>,
    /// Where to, with --users: a name that ends in .parquet or .jsonl
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many items to list
    #[arg(short, default_value_t = 10, value_name = "N", value_parser = at_least_one)]
    k: usize,
    /// text, json or csv
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, conflicts_with = "users")]
    format: Format,
    #[command(flatten)]
    many: ManyArguments,
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

pub(crate) fn run(arguments: &RecommendArguments, output: &Output) -> Result<Code, Failure> {
    if let (Some(users), Some(out)) = (&arguments.users, &arguments.out) {
        return arguments.write_lists(users, out, output);
    }
    if arguments.out.is_some() || arguments.many.is_said() {
        // Clap does not ask for --users where --user is given, because both cannot be.
        return Err(Failure::usage("--out, --shard, --resume and --force are for the lists of many")
            .help("say whose by --users FILE, or --users all"));
    }
    let expected = Expected { list: arguments.k, items: Vec::new() };
    let Opened { subject, asking: _asking } = arguments.subject.open(&expected, output)?;
    let mut question = Question { k: arguments.k, ..Question::default() };
    let people = arguments.people(&subject)?;
    arguments.candidates.fill(&mut question, &subject.data().items, output)?;
    let candidates = subject.candidates(&question)?;
    let mut lists = Vec::with_capacity(people.len());
    for who in &people {
        let list = subject.list_for(who, arguments.k, &candidates)?;
        let name = list.user.as_deref().unwrap_or("somebody new");
        if list.recommendations.len() < arguments.k {
            output.note(format_args!(
                "note: {name} gets {} of {} {}: there are no more candidates",
                list.recommendations.len(),
                arguments.k,
                subject.words().items
            ));
        }
        if matches!(who, Who::Known(_)) && who.history(subject.recommender().graph()).is_empty() {
            output.note(format_args!(
                "note: {name} has no training interactions; the list says little about them"
            ));
        }
        lists.push(list);
    }
    match arguments.format {
        Format::Json => match &lists[..] {
            [one] => output.json(one)?,
            lists => output.json(&lists)?,
        },
        Format::Csv => output.results(|out| write_csv(out, &lists))?,
        Format::Text => output.results(|out| write_text(out, &lists, subject.words()))?,
    }
    Ok(Code::Done)
}

impl RecommendArguments {
    /// Many people's lists, into a file.
    fn write_lists(&self, users: &Path, out: &Path, output: &Output) -> Result<Code, Failure> {
        let to = ToFile::begin(out, &self.many)?;
        let expected = Expected { list: self.k, items: Vec::new() };
        let Opened { subject, asking: _asking } = self.subject.open(&expected, output)?;
        let mut question = Question { k: self.k, ..Question::default() };
        self.candidates.fill(&mut question, &subject.data().items, output)?;
        let request = BatchRequest { people: people(users, &subject)?, question, shard: self.many.shard };
        if let Some(summary) = to.carry_out(&Lists::listing(&subject, &request)?, output)? {
            say("recommendation", &summary, out, *output);
        }
        Ok(Code::Done)
    }

    fn people(&self, subject: &Subject) -> Result<Vec<Who>, Failure> {
        let known_in = |refusal: Refusal| self.subject.known_in(refusal);
        if self.history.is_empty() {
            let known = |name: &String| subject.user(name).map(Who::Known).map_err(known_in);
            return self.user.iter().map(known).collect();
        }
        let history = Some(brought(&self.history, &subject.data().items));
        let new = subject.who(&Question { history, ..Question::default() }).map_err(known_in)?;
        Ok(vec![new])
    }
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
        let scores: Vec<String> = list.recommendations.iter().map(|r| format!("{:.4}", r.score)).collect();
        let width = widest(scores.iter().map(String::as_str));
        let rows = list.recommendations.iter().zip(&scores).map(|(r, score)| Row {
            rank: r.rank,
            title: r.title.as_deref().map(plain).unwrap_or_default(),
            id: plain(&r.item),
            said: format!("{score:>width$}"),
        });
        write_rows(out, &rows.collect::<Vec<_>>())?;
    }
    Ok(())
}
