//! Somebody else's recommender: its arguments, and `grease oracle check`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgGroup, Args, Subcommand};
use grease::graph::{CardWork, Field, Interactions, ItemId, Recommender, Work, counted, grouped};
use grease::oracle::check::{CheckReport, Verdict, check};
use grease::oracle::{Address, Ender, Meter, Oracle, OracleOptions, Token, Voice};
use grease::{Subject, find_item};

use crate::failure::{Code, Failure, flag};
use crate::input::ReadingArguments;
use crate::interruption;
use crate::numbers::{at_least_one, threads};
use crate::output::{Format, Output, plain};

#[derive(Debug, Args)]
#[command(next_help_heading = "Somebody else's recommender")]
pub(crate) struct OracleArguments {
    /// A command that reads questions from stdin and answers on stdout, as docs/oracle.md says
    #[arg(
        long,
        hide_short_help = true,
        value_name = "COMMAND",
        group = "subject",
        conflicts_with = "oracle_url",
        requires = "interactions"
    )]
    oracle_cmd: Option<String>,
    /// The address of a service that answers the same questions over HTTP
    #[arg(long, hide_short_help = true, value_name = "URL", group = "subject", requires = "interactions")]
    oracle_url: Option<String>,
    /// The interactions behind it: a file, or a folder of files of a known form
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    interactions: Option<PathBuf>,
    /// Run so many processes, or send so many requests at a time [default: one a thread]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = threads)]
    oracle_workers: Option<NonZeroUsize>,
    /// Wait so many seconds for an answer
    #[arg(long, hide_short_help = true, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    oracle_timeout: f64,
    /// Send the token in this environment variable, as `Authorization: Bearer TOKEN`
    #[arg(long, hide_short_help = true, value_name = "VAR", requires = "oracle_url")]
    oracle_token_env: Option<String>,
    /// Send the bare token in this header instead
    #[arg(long, hide_short_help = true, value_name = "NAME", requires = "oracle_token_env")]
    oracle_token_header: Option<String>,
    #[command(flatten)]
    reading: ReadingArguments,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("expected a number of seconds above 0, up to a day".into()),
    }
}

/// What will be asked, for oracles that say only what their first items are.
#[derive(Debug, Default)]
pub(crate) struct Expected<'a> {
    /// The length of the lists.
    pub(crate) list: usize,
    /// Items that are named, whose scores are wanted wherever they stand.
    pub(crate) items: Vec<&'a str>,
}

/// A recommender, and what is said about asking it once that is over.
pub(crate) struct Opened {
    pub(crate) subject: Subject,
    pub(crate) asking: Asking,
}

/// Says what asking took, when it is dropped.
pub(crate) enum Asking {
    Oracle(Arc<Meter>, Output),
    /// A model of ours costs little to ask: only a log has it.
    Model(Arc<dyn Recommender>),
}

impl Asking {
    pub(crate) fn model(subject: &Subject) -> Self {
        Self::Model(Arc::clone(subject.recommender()))
    }

    /// What the oracle calls itself.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Oracle(meter, _) => meter.report().name,
            Self::Model(_) => String::new(),
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        match self {
            Self::Oracle(meter, output) => {
                let report = meter.report();
                // Who was asked nothing took nothing.
                if report.questions > 0 {
                    output.note(format_args!("oracle: {report}"));
                }
            }
            Self::Model(recommender) => {
                if let Some(work) = recommender.work().filter(|work| *work != Work::default()) {
                    tracing::info!("{}", answers(work));
                }
            }
        }
    }
}

/// How a model of ours came by its answers.
fn answers(Work { local, products, whole, card }: Work) -> String {
    let (local, products, whole) = (grouped(local), counted(products, "product"), grouped(whole));
    let mut said = format!("answers: {local} local, {products}, {whole} by the whole graph");
    if card != CardWork::default() {
        let [answering, checking] = [card.answering, card.checking].map(|time| time.as_secs_f64());
        let (answered, checked) = (grouped(card.answered), grouped(card.checked));
        said += &format!(
            ", {answered} by a card in {answering:.1} s; {checked} asked anew of the processor in {checking:.1} s"
        );
    }
    said
}

impl OracleArguments {
    /// Whether there is one.
    pub(crate) fn is_given(&self) -> bool {
        self.oracle_cmd.is_some() || self.oracle_url.is_some()
    }

    /// How many may ask at a time, where somebody said so.
    pub(crate) fn workers(&self) -> Option<usize> {
        self.oracle_workers.filter(|_| self.is_given()).map(NonZeroUsize::get)
    }

    /// Without an oracle nothing is read.
    pub(crate) fn refuse_reading(&self) -> Result<(), Failure> {
        if self.reading.is_usual() {
            return Ok(());
        }
        Err(Failure::usage("how data is read can only be said with --interactions")
            .help("a model folder has its data in it"))
    }

    fn address(&self) -> Result<Address, Failure> {
        if let Some(command) = &self.oracle_cmd {
            return Ok(Address::Command(command.clone()));
        }
        let Some(url) = &self.oracle_url else {
            return Err(Failure::usage("name an oracle by --oracle-cmd or --oracle-url"));
        };
        let token = match &self.oracle_token_env {
            None => None,
            Some(variable) => {
                let token =
                    std::env::var(variable).ok().filter(|token| !token.is_empty()).ok_or_else(|| {
                        Failure::usage(format_args!("the environment has no {variable} with a token in it"))
                    })?;
                Some(match &self.oracle_token_header {
                    Some(header) => Token::in_header(header, &token),
                    None => Token::bearer(&token),
                })
            }
        };
        Ok(Address::Url { url: url.clone(), token })
    }

    fn read(&self, output: &Output) -> Result<Interactions, Failure> {
        let Some(path) = &self.interactions else {
            return Err(Failure::usage("an oracle needs --interactions PATH"));
        };
        self.reading.read(path, output)
    }

    fn options(&self, list: usize, output: Output) -> Result<OracleOptions, Failure> {
        let ender = Ender::default();
        interruption::end_with_us(ender.clone())?;
        Ok(OracleOptions {
            workers: self.workers().unwrap_or_else(rayon::current_num_threads),
            timeout: Duration::from_secs_f64(self.oracle_timeout),
            list,
            voice: Voice::new(move |line| output.note(format_args!("oracle: {}", plain(line)))),
            ender,
            ..OracleOptions::default()
        })
    }

    pub(crate) fn open(&self, expected: &Expected<'_>, output: &Output) -> Result<Opened, Failure> {
        let (address, interactions) = (self.address()?, self.read(output)?);
        let mut oracle = Oracle::open(&address, &interactions, self.options(expected.list, *output)?)
            .map_err(|error| {
                Failure::from(error).or_help(
                    "`grease oracle check` looks into it; docs/oracle.md has the questions and answers",
                )
            })?;
        // Who is unknown here is told so by the verb.
        let named: Vec<ItemId> =
            expected.items.iter().filter_map(|name| find_item(oracle.items(), name).ok()).collect();
        oracle.always_ask(named);
        if let Some(top) = oracle.hello().top.filter(|&top| top < oracle.items().len()) {
            output.note(format_args!(
                "note: the oracle says only what its first {top} items are; a rank beyond {top} is the least it can be"
            ));
        }
        let asking = Asking::Oracle(oracle.meter(), *output);
        Ok(Opened { subject: Subject::oracle(oracle, &interactions), asking })
    }

    /// What the oracle calls itself is only known once it is asked; until then, what was typed.
    pub(crate) fn typed(&self) -> Vec<(&'static str, String)> {
        let mut typed = Vec::new();
        typed.extend(self.oracle_cmd.as_ref().map(|command| ("--oracle-cmd", format!("'{command}'"))));
        let shown = |url: &String| Address::Url { url: url.clone(), token: None }.shown();
        typed.extend(self.oracle_url.as_ref().map(|url| ("--oracle-url", shown(url))));
        typed.extend(self.interactions.as_ref().map(|path| ("--interactions", path.display().to_string())));
        typed
    }

    /// Where a name was unknown.
    pub(crate) fn known_in(&self, failure: Failure) -> Failure {
        let Some(path) = &self.interactions else { return failure };
        failure
            .help(format!("{} names all users, and the oracle's answer to hello all items", path.display()))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum OracleVerb {
    Check(Box<CheckArguments>),
}

const EXAMPLES: &str = "\
Examples:
  grease oracle check --oracle-cmd 'python3 my_model.py' --interactions ratings.csv
  grease oracle check --oracle-url http://localhost:8000 --interactions ratings.csv --people 20";

/// The rest of `--help`.
const MORE: &str = "
  grease oracle check --oracle-url https://models.example/score --oracle-token-env TOKEN \\
                      --interactions ratings.csv --format json

A line a check: ok, warn (perhaps meant so) or FAILED, with what to do. The exit code is 6 if any
failed. docs/oracle.md has the questions and the answers, field by field.";

/// Ask somebody else's recommender what it will be asked, and see whether its answers fit together
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("subject").required(true)))]
#[command(mut_args(in_short))]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
pub(crate) struct CheckArguments {
    /// Ask about so many people
    #[arg(long, alias = "users", value_name = "N", default_value_t = 5, value_parser = at_least_one)]
    people: usize,
    /// text or json
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
    #[command(flatten)]
    oracle: OracleArguments,
}

/// Elsewhere few name an oracle; here it is what the verb is about.
fn in_short(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "oracle_cmd" | "oracle_url" | "interactions" => arg.hide_short_help(false),
        _ => arg,
    }
}

impl OracleVerb {
    pub(crate) fn oracle_workers(&self) -> Option<usize> {
        let Self::Check(arguments) = self;
        arguments.oracle.workers()
    }
}

pub(crate) fn run(verb: &OracleVerb, output: &Output) -> Result<Code, Failure> {
    let OracleVerb::Check(arguments) = verb;
    let (address, interactions) = (arguments.oracle.address()?, arguments.oracle.read(output)?);
    let mut report = check(&address, &interactions, &arguments.oracle.options(0, *output)?, arguments.people);
    for finding in &mut report.findings {
        finding.said = Field::rendered(&finding.said, flag);
        finding.advice = finding.advice.as_deref().map(|advice| Field::rendered(advice, flag));
    }
    match arguments.format {
        Format::Text => output.results(|out| write_text(out, &report))?,
        Format::Json => output.json(&report)?,
    }
    Ok(if report.failed() { Code::NotConfirmed } else { Code::Done })
}

fn write_text(out: &mut dyn Write, report: &CheckReport) -> io::Result<()> {
    let widest = report.findings.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
    for finding in &report.findings {
        let said = finding.said.lines().map(plain).collect::<Vec<_>>().join("\n          ");
        writeln!(out, "{:<7} {:<widest$}  {said}", finding.verdict, finding.check)?;
        if let Some(advice) = &finding.advice {
            writeln!(out, "        {:<widest$}  -> {advice}", "")?;
        }
    }
    let counts = [
        (Verdict::Ok, "ok"),
        (Verdict::Warning, "to look at"),
        (Verdict::Failed, "failed"),
        (Verdict::Skipped, "skipped"),
    ];
    let said = counts.iter().map(|(verdict, word)| format!("{} {word}", report.count(*verdict)));
    writeln!(out, "\n{}", said.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_model_answered_is_one_line() {
        let said = answers(Work { local: 1234, products: 56, ..Work::default() });
        assert_eq!(said, "answers: 1,234 local, 56 products, 0 by the whole graph");
        let card = CardWork {
            answered: 2391,
            answering: Duration::from_millis(701),
            checked: 1548,
            checking: Duration::from_millis(8516),
        };
        assert_eq!(
            answers(Work { card, ..Work::default() }),
            "answers: 0 local, 0 products, 0 by the whole graph, 2,391 by a card in 0.7 s; 1,548 asked anew of the processor in 8.5 s"
        );
    }
}
