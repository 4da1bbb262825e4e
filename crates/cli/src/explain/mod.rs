//! `grease explain`

mod forms;
mod of_list;
mod people;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{ArgGroup, Args};
use grease::explain::Goal;
use grease::graph::{Destination, Field};
use grease::{HALF, PROVE, Question, Record, Refusal, Resolved, Subject, in_order};

use crate::device::DeviceArguments;
use crate::failure::{Code, Failure};
use crate::interruption;
use crate::numbers::at_least_one;
use crate::oracle::{Expected, Opened};
use crate::output::{Output, Sink, destination_in_folder, plain};
use crate::progress::people_bar;
use crate::search::SearchArguments;
use crate::subject::SubjectArguments;
use forms::Format;
use of_list::WholeLists;
use people::{PeopleArguments, Person};

const EXAMPLES: &str = "\
Examples:
  grease explain --model model --user 42
  grease explain --model model --user 42 --item tea --goal factual --format svg --out why.svg
  grease explain --model model --user 42 --why-not 'Earl Grey'
  grease explain --model model --user 42 --list";

/// The rest of `--help`.
const MORE: &str = "
  grease explain --model model --history 'tea,milk' -k 5         for somebody new
  grease explain --model model --people 100 --format jsonl --out why.jsonl

Ways of saying why, each checked by asking the model itself:
  factual         the few interactions that suffice for the item to be on the list
  counterfactual  the few interactions without which it would not be
  joint           both at once: a few interactions that suffice, and without which it would not be

Where the question has no answer, the nearest weaker one is answered instead: going by the history
alone, or with more interactions than may be named. --list says what the list as a whole rests on.

With the usual --scope own only the person's own interactions are named, and nobody else appears.
With wider scopes others are other-1, other-2, … unless --show-user-ids. Nothing found is an answer
too, with the reason. `grease verify` checks stored explanations again. Every field of json is
explained in docs/explanation.md. Ctrl-C ends after the people under way.

A file of --out appears whole or not at all; what a link leads to is written, and the link stays.
Pipes and devices, such as /dev/stdout, are written to as they are.

Items are named by their id, or by their title where only one item has it. A title with commas
stands in a --history of its own, or in double quotes: --history '\"Crosby, Stills & Nash\",Yes'.";

/// Say why items are on somebody's list, and prove it on the model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
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
    /// Write to this file, pipe or device instead of to stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    device: DeviceArguments,
    /// Explain this item of the list, by id or title; may be repeated
    #[arg(long, value_name = "ITEM", group = "what", help_heading = "What is explained")]
    item: Vec<String>,
    /// Explain the whole list, as is usual
    #[arg(long, hide_short_help = true, group = "what", help_heading = "What is explained")]
    top: bool,
    /// Say instead what the list as a whole rests on: the fewest interactions without which half of it would be another
    #[arg(long, group = "what", conflicts_with_all = ["goal", "firm", "alternatives"], help_heading = "What is explained")]
    list: bool,
    /// With --list: the share of the list that has to change, above 0 and up to 1 [default: 0.5]
    #[arg(
        long,
        value_name = "SHARE",
        requires = "list",
        hide_short_help = true,
        help_heading = "What is explained"
    )]
    share: Option<f64>,
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

pub(crate) fn run(arguments: &ExplainArguments, output: &Output) -> Result<Code, Failure> {
    let destination = match &arguments.out {
        Some(out) => Some(destination_in_folder(out, arguments.force)?),
        None => None,
    };
    let named = arguments.item.iter().chain(&arguments.why_not);
    let expected = Expected { list: arguments.k, items: named.map(String::as_str).collect() };
    let device = arguments.device.device;
    let Opened { mut subject, asking: _asking } = arguments.subject.open_on(device, &expected, output)?;
    arguments.search.words.apply(subject.words_mut());
    let people = arguments.people.find(&subject, &arguments.subject, arguments.search.seed, *output)?;
    let question = arguments.question(&subject, output)?;
    if arguments.list {
        return arguments.write_lists(&subject, people, &question, output);
    }
    arguments.format.check(people.len(), &question)?;
    let resolved = subject.resolve(&question).map_err(|refusal| arguments.subject.known_in(refusal))?;
    let to_file = matches!(destination, Some(Destination::File { .. }));
    let lists =
        Lists { subject: &subject, resolved, people, format: arguments.format, to_file, output: *output };
    let interrupted = interruption::watch("finishing the people under way; Ctrl-C again quits at once")?;
    output.sink(arguments.out.as_deref(), |out| lists.write(out, interrupted))?;
    Ok(Code::Done)
}

impl ExplainArguments {
    /// What whole lists rest on.
    fn write_lists(
        &self,
        subject: &Subject,
        people: Vec<Person>,
        question: &Question,
        output: &Output,
    ) -> Result<Code, Failure> {
        WholeLists::check(self.format, people.len())?;
        let resolved = subject.resolve_list(question).map_err(|refusal| self.subject.known_in(refusal))?;
        let (share, format, to_file) = (self.share.unwrap_or(HALF), self.format, self.out.is_some());
        let lists = WholeLists { subject, resolved, people, share, format, to_file, output: *output };
        let interrupted = interruption::watch("finishing the people under way; Ctrl-C again quits at once")?;
        output.sink(self.out.as_deref(), |out| lists.write(out, interrupted))?;
        Ok(Code::Done)
    }

    /// What is asked about everybody; each item once, however often it is named.
    fn question(&self, subject: &Subject, output: &Output) -> Result<Question, Failure> {
        let question = self.search.question(self.k, subject, output)?;
        let question = Question { prove: question.prove.or(Some(PROVE)), ..question };
        if let Some(missing) = &self.why_not {
            return Ok(Question {
                items: Some(vec![missing.clone()]),
                goals: vec![Goal::WhyNot],
                ..question
            });
        }
        let mut items: Vec<String> = Vec::new();
        for item in &self.item {
            if !items.contains(item) {
                items.push(item.clone());
            }
        }
        Ok(Question { items: Some(items).filter(|items| !items.is_empty()), ..question })
    }
}

/// Everybody's lists, on their way out.
struct Lists<'a> {
    subject: &'a Subject,
    resolved: Resolved<'a>,
    people: Vec<Person>,
    format: Format,
    /// Whether the results go to a file.
    to_file: bool,
    output: Output,
}

impl Lists<'_> {
    /// Explains for everybody, several people at a time, and writes in the order they were named.
    fn write(&self, out: &mut Sink<'_>, interrupted: &AtomicBool) -> Result<(), Failure> {
        let bar = people_bar(self.people.len(), self.output, self.to_file);
        let mut writing = self.format.begin(out, self.subject.words());
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
                if let Some(records) = self.answered(person, result)? {
                    writing.person(person, &records)?;
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

    /// One person alone is told where an item stands elsewhere; of several, each is told what there is to say.
    fn explain(&self, person: &Person) -> Result<Vec<Record>, Refusal> {
        match self.people.len() {
            1 => self.resolved.records(&person.who),
            _ => self.resolved.records_wherever(&person.who),
        }
    }

    /// One person alone is told what does not fit; of several, those whom it fits get their answers.
    fn answered(
        &self,
        person: &Person,
        result: Result<Vec<Record>, Refusal>,
    ) -> Result<Option<Vec<Record>>, Failure> {
        let name = plain(&person.name);
        let records = match result {
            Err(refusal) if refusal.field == Some(Field::Items) && self.people.len() > 1 => {
                self.output.note(format_args!("note: {}", plain(&refusal.said())));
                return Ok(None);
            }
            result => result?,
        };
        if person.who.history(self.subject.recommender().graph()).is_empty() {
            self.output.note(format_args!("note: {name} has no training interactions to explain a list by"));
        }
        Ok(Some(records))
    }
}
