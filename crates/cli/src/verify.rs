//! `grease verify`

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use grease::explain::Goal;
use grease::graph::Field;
use grease::{Broken, Question, Record, Subject, Verdict, in_order, read_records};
use serde::Serialize;

use crate::failure::{Code, Failure, flag};
use crate::items::CandidateArguments;
use crate::oracle::{Expected, Opened};
use crate::output::{Format, Output, plain};
use crate::subject::SubjectArguments;

const EXAMPLES: &str = "\
Examples:
  grease explain --model model --user 42 --format jsonl --out why.jsonl
  grease verify --model model why.jsonl
  grease verify --model retrained why.jsonl --format json";

/// The rest of `--help`.
const MORE: &str = "

Imagines what each explanation imagines, asks the model, and counts: is the item still on the list
(or, for why-not, off it), do the interactions named still change that, and is none of them
superfluous where that was said?

Explanations made with --candidates or --exclude need the same files again. Those that name other
people can be checked again if they were stored with --show-user-ids. The exit code is 6 if any
that claims something no longer holds or cannot be checked again.";

/// Check stored explanations again on the model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
pub(crate) struct VerifyArguments {
    /// Explanations as `grease explain --format json` or jsonl wrote them, or `grease batch`
    file: PathBuf,
    /// text or json
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
    #[command(flatten)]
    candidates: CandidateArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

/// What JSON says.
#[derive(Serialize)]
struct Report<'a> {
    still_hold: usize,
    no_longer_hold: usize,
    not_checked: usize,
    without_claim: usize,
    same_model: bool,
    same_data: bool,
    explanations: Vec<Line<'a>>,
}

/// One explanation.
#[derive(Serialize)]
struct Line<'a> {
    /// Its place in the file, from 1.
    number: usize,
    user: &'a str,
    item: &'a str,
    goal: Goal,
    verdict: &'static str,
    /// The same in words.
    said: String,
    /// Where the model was asked and it holds or fails by rank.
    rank_after: Option<usize>,
}

pub(crate) fn run(arguments: &VerifyArguments, output: &Output) -> Result<Code, Failure> {
    let records = read_records(&arguments.file)?;
    let expected = Expected {
        list: records.iter().map(|record| record.k).max().unwrap_or(0),
        items: records.iter().map(|record| record.item.as_str()).collect(),
    };
    let Opened { subject, asking: _asking } = arguments.subject.open(&expected, output)?;
    let mut question = Question::default();
    arguments.candidates.fill(&mut question, &subject.data().items, output)?;
    let candidates = subject.candidates(&question)?;
    let mut verdicts = Vec::with_capacity(records.len());
    in_order(
        &records,
        |record| subject.verify(record, &candidates),
        |verdict| {
            verdicts.push(verdict?);
            Ok::<(), Failure>(())
        },
    )?;
    let report = Report::new(&records, &verdicts, &subject);
    let file = arguments.file.display();
    if !report.same_model {
        output
            .note(format_args!("note: {file} was made with another model than {}", arguments.subject.name()));
    }
    if !report.same_data {
        output.note(format_args!("note: {file} was made with other data than {}", arguments.subject.name()));
    }
    match arguments.format {
        Format::Text => output.results(|out| report.write(out, &records))?,
        Format::Json => output.json(&report)?,
    }
    let confirmed = report.no_longer_hold == 0 && report.not_checked == 0;
    Ok(if confirmed { Code::Done } else { Code::NotConfirmed })
}

impl<'a> Report<'a> {
    fn new(records: &'a [Record], verdicts: &[Verdict], subject: &Subject) -> Self {
        let count = |sort: &str| verdicts.iter().filter(|verdict| verdict.word() == sort).count();
        let line = |((number, record), verdict): ((usize, &'a Record), &Verdict)| Line {
            number,
            user: &record.user,
            item: &record.item,
            goal: record.goal,
            verdict: verdict.word(),
            said: Field::rendered(&verdict.to_string(), flag),
            rank_after: rank(verdict),
        };
        Self {
            still_hold: count("still_holds"),
            no_longer_hold: count("no_longer_holds"),
            not_checked: count("not_checked"),
            without_claim: count("without_claim"),
            same_model: records.iter().all(|record| record.model == subject.model_hash()),
            same_data: records.iter().all(|record| record.data == subject.data_hash()),
            explanations: (1..).zip(records).zip(verdicts).map(line).collect(),
        }
    }

    fn write(&self, out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
        for (line, record) in self.explanations.iter().zip(records) {
            let item = record.item_title.as_deref().unwrap_or(line.item);
            let goal = match line.goal {
                Goal::Factual => "factual",
                Goal::Counterfactual => "counterfactual",
                Goal::Joint => "both at once",
                Goal::WhyNot => "why not",
            };
            writeln!(out, "{}: {} ({goal}) {}", plain(line.user), plain(item), line.said)?;
        }
        let counts = [
            (self.still_hold, "still holds", "still hold"),
            (self.no_longer_hold, "no longer holds", "no longer hold"),
            (self.not_checked, "cannot be re-checked", "cannot be re-checked"),
            (self.without_claim, "claims nothing", "claim nothing"),
        ];
        let said = counts.iter().filter(|(count, ..)| *count > 0);
        let said = said.map(|(count, one, more)| format!("{count} {}", if *count == 1 { one } else { more }));
        writeln!(out, "\n{}", said.collect::<Vec<_>>().join(", "))
    }
}

fn rank(verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::Holds { rank, .. } | Verdict::Broken(Broken::Rank { rank, .. }) => Some(*rank),
        _ => None,
    }
}
