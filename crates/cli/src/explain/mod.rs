//! `grease explain`

mod forms;
mod people;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{ArgGroup, Args};
use grease::explain::{ExplainError, Explainer, Explanation, Goal, Items, Task};
use grease::graph::ItemId;
use grease::{Record, Subject, find_item, in_order};

use crate::failure::{Code, Failure};
use crate::interruption;
use crate::numbers::at_least_one;
use crate::oracle::Wanted;
use crate::output::{Output, Sink, plain, refuse_to_replace};
use crate::progress::people_bar;
use crate::search::SearchArguments;
use crate::subject::{Opened, SubjectArguments};
use forms::{Form, Format};
use people::{PeopleArguments, Person};

/// Say why items are on somebody's list, and prove it on the model
#[derive(Debug, Args)]
#[command(after_help = "\
Two ways of saying why, each checked by asking the model itself:
  factual         the few interactions that suffice for the item to be on the list
  counterfactual  the few interactions without which it would not be

Examples:
  grease explain --model model --user 42
  grease explain --model model --user 42 --item tea --goal factual --format svg --out why.svg
  grease explain --model model --user 42 --why-not 'Earl Grey'
  grease explain --model model --history 'tea,milk' -k 5         for somebody new
  grease explain --model model --sample-users 100 --format jsonl --out why.jsonl

With the usual --scope own only the person's own interactions are named, and nobody else appears.
With wider scopes others are other-1, other-2, … unless --show-user-ids. Nothing found is an answer
too, with the reason. `grease verify` checks stored explanations again. Every field of json is
explained in docs/explanation.md. Ctrl-C ends after the people under way.")]
#[command(group(ArgGroup::new("who").required(true)), group(ArgGroup::new("what")))]
pub(crate) struct ExplainArguments {
    #[command(flatten)]
    people: PeopleArguments,
    /// Length of the list
    #[arg(short, default_value_t = 10, value_name = "N", value_parser = at_least_one)]
    k: usize,
    /// text, json (an array), jsonl (an object a line), svg (one picture) or html (one person's page)
    #[arg(long, value_enum, value_name = "FORM", default_value_t, hide_possible_values = true)]
    format: Format,
    /// Write to this file instead of to stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "out")]
    force: bool,
    /// Explain this item of the list, by id or title; may be repeated
    #[arg(long, value_name = "ITEM", group = "what", help_heading = "What is explained")]
    item: Vec<String>,
    /// Explain the whole list, as is usual
    #[arg(long, group = "what", help_heading = "What is explained")]
    top: bool,
    /// Say instead what would bring this item onto the list
    #[arg(
        long,
        value_name = "ITEM",
        group = "what",
        conflicts_with = "goal",
        help_heading = "What is explained"
    )]
    why_not: Option<String>,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

pub(crate) fn run(arguments: &ExplainArguments, output: &Output) -> Result<ExitCode, Failure> {
    if let Some(out) = &arguments.out {
        refuse_to_replace(out, arguments.force)?;
    }
    let named = arguments.item.iter().chain(&arguments.why_not);
    let wanted = Wanted { list: arguments.k, items: named.map(String::as_str).collect() };
    let Opened { mut subject, asking: _asking } = arguments.subject.open(&wanted, output)?;
    arguments.search.words.apply(&mut subject.data_mut().words);
    let asked = Asked::new(arguments, &subject, output)?;
    asked.form.check(&asked)?;
    let interrupted = interruption::watch("finishing the people under way; Ctrl-C again quits at once")?;
    output.sink(arguments.out.as_deref(), |out| asked.answer(out, interrupted))?;
    Ok(ExitCode::SUCCESS)
}

/// All that was asked, with rows instead of names.
struct Asked<'a> {
    subject: &'a Subject,
    output: Output,
    form: Form,
    people: Vec<Person>,
    items: Items,
    goals: Vec<Goal>,
    /// One for all people: it keeps what it learns about the model.
    explainer: Explainer,
    /// But for whom.
    task: Task,
    show_user_ids: bool,
    /// Whether the results go to a file.
    to_file: bool,
}

impl<'a> Asked<'a> {
    fn new(arguments: &ExplainArguments, subject: &'a Subject, output: &Output) -> Result<Self, Failure> {
        let data = subject.data();
        let item = |name: &String| {
            find_item(&data.items, name)
                .map_err(|error| arguments.subject.known_in(error.into(), "items.tsv"))
        };
        let people = arguments.people.find(subject, &arguments.subject, arguments.search.seed, *output)?;
        let (items, goals) = match (&arguments.why_not, &arguments.item[..]) {
            (Some(missing), _) => (Items::These(vec![item(missing)?]), vec![Goal::WhyNot]),
            (None, []) => (Items::List, arguments.search.goals()),
            (None, named) => {
                let mut items: Vec<ItemId> = Vec::new();
                for found in named.iter().map(item) {
                    let found = found?;
                    if !items.contains(&found) {
                        items.push(found);
                    }
                }
                (Items::These(items), arguments.search.goals())
            }
        };
        let task = arguments.search.task(arguments.k, data, output)?;
        Ok(Self {
            subject,
            output: *output,
            form: Form::new(arguments.format),
            people,
            items,
            goals,
            explainer: Explainer::new(subject.shared(), arguments.search.method),
            task,
            show_user_ids: arguments.search.show_user_ids,
            to_file: arguments.out.is_some(),
        })
    }

    /// Explains for everybody, several people at a time, and writes in the order they were named.
    fn answer(&self, out: &mut Sink<'_>, interrupted: &AtomicBool) -> Result<(), Failure> {
        let bar = people_bar(self.people.len(), self.output, self.to_file);
        let mut writing = self.form.begin(out, &self.subject.data().words);
        let mut done = 0;
        let ended = in_order(
            &self.people,
            |person| (!interrupted.load(Ordering::SeqCst)).then(|| (person, self.explain(person))),
            |result| {
                let Some((person, result)) = result else {
                    let rest = if self.to_file { "; nothing was written" } else { "" };
                    let message = format!("interrupted after {done} of {} people{rest}", self.people.len());
                    return Err(Failure::new(Code::Interrupted, message));
                };
                if let Some(explanations) = self.answered(person, result)? {
                    writing.person(person, &self.records(person, &explanations))?;
                }
                done += 1;
                bar.inc(1);
                Ok(())
            },
        );
        bar.finish_and_clear();
        // What was written so far is whole, also where the rest is missing.
        writing.end()?;
        ended
    }

    fn explain(&self, person: &Person) -> Result<Vec<Explanation>, ExplainError> {
        let task = Task { who: person.who.clone(), ..self.task.clone() };
        self.explainer.explain(&task, &self.items, &self.goals)
    }

    /// One person alone is told what does not fit; of several, those whom it fits get their answers.
    fn answered(
        &self,
        person: &Person,
        result: Result<Vec<Explanation>, ExplainError>,
    ) -> Result<Option<Vec<Explanation>>, Failure> {
        let (name, k) = (plain(&person.name), self.task.k);
        let called = |item: ItemId| plain(self.subject.data().items.name(item.0));
        let explanations = match result {
            Err(ExplainError::NotACandidate(item)) => {
                let said = format!(
                    "{} is never recommended to {name}: it is in their history, or excluded",
                    called(item)
                );
                if self.people.len() == 1 {
                    return Err(Failure::usage(said));
                }
                self.output.note(format_args!("note: {said}"));
                return Ok(None);
            }
            result => result?,
        };
        if self.people.len() == 1 && matches!(self.items, Items::These(_)) {
            let wanted = !self.goals.contains(&Goal::WhyNot);
            if let Some(other) = explanations.iter().find(|e| (e.rank_before <= k) != wanted) {
                let (item, rank) = (called(other.item), other.rank_before);
                return Err(if wanted {
                    Failure::usage(format_args!("{item} is not in the top {k} of {name}: it has rank {rank}"))
                        .help(format!("ask --why-not '{item}' instead, or for a longer list by -k"))
                } else {
                    Failure::usage(format_args!(
                        "{item} is in the top {k} of {name} already: it has rank {rank}"
                    ))
                    .help(format!("ask why by --item '{item}', or for a shorter list by -k"))
                });
            }
        }
        if person.who.history(self.subject.recommender().graph()).is_empty() {
            self.output.note(format_args!("note: {name} has no training interactions to explain a list by"));
        }
        Ok(Some(explanations))
    }

    fn records(&self, person: &Person, explanations: &[Explanation]) -> Vec<Record> {
        let names = self.subject.names(&person.who, &self.task.never_cite);
        explanations.iter().map(|explanation| Record::new(explanation, &names, self.show_user_ids)).collect()
    }
}
