//! Running an evaluation: unit by unit into a journal, so that it can be interrupted anywhere; then the figures.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use grease_graph::atomic::{sweep, write_atomically};
use grease_graph::{Graph, ScoreError};
use grease_models::train::Observer;
use serde::Serialize;
use serde_json::{Value, json};

use super::memory::Remembering;
use super::tally::Tally;
use super::unit::{Bench, Done, Unit, units};
use super::{
    Audit, AuditError, AuditOptions, EVALUATION_SCHEMA, Evaluated, Results, Settings, Times, report, retrain,
    rows,
};
use crate::in_order::in_order_ahead;
use crate::{Journal, JournalError, Opening, RunObserver, Subject};

/// The figures.
pub const RESULTS: &str = "results.json";
/// Every explanation.
pub const ROWS: &str = "results.parquet";
/// The report for people.
pub const PAGE: &str = "report.html";
/// The report as Markdown.
pub const MARKDOWN: &str = "report.md";
/// What it took: the only file that two runs do not share byte by byte.
pub const TIMES: &str = "times.json";

/// How many people a thread may be ahead of the slowest: whoever the ceiling is computed for takes a hundred times as long as others.
const AHEAD: usize = 128;

/// How times were taken.
const ABOUT_TIMES: &str = "Milliseconds an explanation, one thread: its own computing, and for each answer of the recommender what it took when it was first asked for; looking beyond the caps, for the curves, is included.";

/// A recommender to evaluate on.
pub struct NamedSubject {
    /// What its data set is called; the paper's figures are shown beside those of names that begin with lastfm or yelp.
    pub name: String,
    /// The recommender.
    pub subject: Subject,
}

/// What to evaluate, and where to keep it.
pub struct Evaluation<'a> {
    /// On what.
    pub subjects: &'a [NamedSubject],
    /// What and how much.
    pub settings: &'a Settings,
    /// The folder of the run.
    pub out: &'a Path,
    /// The command that repeats it.
    pub command: String,
    /// Whether other people's ids stand in the rows instead of pseudonyms.
    pub show_user_ids: bool,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The work could not be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Results could not be written.
    #[error("{}: {error}", file.display())]
    Write {
        /// Which file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// There are results already.
    #[error("{} holds the results of an evaluation", .0.display())]
    Exists(PathBuf),
    /// A list longer than the catalogue.
    #[error(
        "a list of {k} has room for all {items} items of {data}, so nothing could ever be missing from it"
    )]
    TooLong {
        /// The length.
        k: usize,
        /// Items there are.
        items: usize,
        /// Of which data set.
        data: String,
    },
    /// There is nothing to do.
    #[error("nothing to evaluate: there must be at least one {0}")]
    Nothing(&'static str),
    /// What is done is something else.
    #[error("{}: what is done there is not of this evaluation", folder.display())]
    OtherUnit {
        /// Where it is.
        folder: PathBuf,
    },
    /// The recommender failed; what is done is kept.
    #[error(transparent)]
    Recommender(#[from] ScoreError),
    /// Training again failed.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// Somebody wanted it to stop; what is done is kept.
    #[error("interrupted after {done} of {all} people")]
    Interrupted {
        /// Units done.
        done: usize,
        /// Units there are.
        all: usize,
    },
}

/// An evaluation under way.
pub struct Run<'e, 'a> {
    evaluation: &'e Evaluation<'a>,
    journal: Journal,
    units: Vec<Unit>,
}

impl<'a> Evaluation<'a> {
    /// Finds what is done already; nothing is asked of a model yet.
    pub fn open<'e>(&'e self, how: Opening) -> Result<Run<'e, 'a>, EvaluateError> {
        self.check()?;
        if how == Opening::Fresh && self.out.join(RESULTS).exists() {
            return Err(EvaluateError::Exists(self.out.to_owned()));
        }
        let journal = Journal::open(self.out, &self.identity(), how)?;
        // The journal is ours alone: whoever wrote here before was killed.
        sweep(self.out).map_err(|error| EvaluateError::Write { file: self.out.to_owned(), error })?;
        let units = self
            .subjects
            .iter()
            .enumerate()
            .flat_map(|(model, subject)| units(self.settings, model, subject.graph()))
            .collect();
        Ok(Run { evaluation: self, journal, units })
    }

    fn check(&self) -> Result<(), EvaluateError> {
        let Settings { ks, goals, methods, tables, repeats, .. } = self.settings;
        let needed = [
            ("model", self.subjects.is_empty()),
            ("length of lists", ks.is_empty() || ks.contains(&0)),
            ("goal", goals.is_empty()),
            ("method", methods.is_empty()),
            ("table", tables.is_empty()),
            ("repeat", *repeats == 0),
        ];
        if let Some((what, _)) = needed.into_iter().find(|(_, missing)| *missing) {
            return Err(EvaluateError::Nothing(what));
        }
        for subject in self.subjects {
            let items = subject.subject.data().items.len();
            if let Some(&k) = ks.iter().find(|&&k| k > items) {
                return Err(EvaluateError::TooLong { k, items, data: subject.name.clone() });
            }
        }
        Ok(())
    }

    /// All that the units depend on.
    pub(super) fn identity(&self) -> Value {
        let models: Vec<_> = self
            .subjects
            .iter()
            .map(|subject| {
                json!({
                    "data": subject.name,
                    "model_hash": subject.subject.model_hash(),
                    "data_hash": subject.subject.data_hash(),
                })
            })
            .collect();
        json!({ "schema": EVALUATION_SCHEMA, "settings": self.settings, "models": models })
    }
}

impl Run<'_, '_> {
    /// Units there are: a person in a repeat each.
    pub fn units(&self) -> usize {
        self.units.len()
    }

    /// Units on disk.
    pub fn done(&self) -> usize {
        self.journal.done()
    }

    /// Explains whoever is left, until all are done or the observer wants it to end. What is done is kept either way.
    pub fn explain(&mut self, observer: &dyn RunObserver) -> Result<(), EvaluateError> {
        let Self { evaluation, journal, units } = self;
        let all = units.len();
        let left = units.get(journal.done()..).unwrap_or_default();
        for part in left.chunk_by(|a, b| a.model == b.model) {
            let remembering = Arc::new(Remembering::new(evaluation.subjects[part[0].model].subject.shared()));
            let bench = Bench::new(evaluation.settings, &remembering);
            in_order_ahead(
                AHEAD,
                part,
                |unit| (!observer.cancelled()).then(|| bench.explain(*unit)),
                |done| {
                    let interrupted = EvaluateError::Interrupted { done: journal.done(), all };
                    let done = match done {
                        None => return Err(interrupted),
                        // It may have been told to end as well.
                        Some(Err(_)) if observer.cancelled() => return Err(interrupted),
                        Some(done) => done?,
                    };
                    journal.append(&done)?;
                    observer.done(journal.done());
                    Ok(())
                },
            )?;
        }
        Ok(())
    }

    /// Deletes what explanations of each model name, and trains it again. An audit that is in the folder is not made again.
    pub fn audit(
        &self,
        options: &AuditOptions,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Audit>, EvaluateError> {
        let mut audits = Vec::new();
        for (number, subject) in self.evaluation.subjects.iter().enumerate() {
            let name = format!("audit-{}.json", number + 1);
            let file = self.evaluation.out.join(&name);
            let known =
                std::fs::read(&file).ok().and_then(|text| serde_json::from_slice::<Audit>(&text).ok());
            let same =
                |known: &Audit| known.options == *options && known.model == subject.subject.model_hash();
            let audit = match known.filter(same) {
                Some(known) => known,
                None => {
                    let folder = subject.subject.folder().ok_or(AuditError::Foreign)?;
                    let audit = retrain(folder, options, observer)?;
                    self.put(&name, &pretty(&audit))?;
                    audit
                }
            };
            audits.push(audit);
        }
        Ok(audits)
    }

    /// Counts what is in the journal, writes every file, and gives the figures. `audits` has one for each model, or none.
    pub fn finish(&self, audits: Vec<Audit>) -> Result<(Results, Times), EvaluateError> {
        let (mut results, times) = self.count()?;
        for (model, audit) in results.models.iter_mut().zip(audits) {
            // Whom it was about stands in the audit's own file; figures are for everybody.
            model.audit = Some(Audit { cases: Vec::new(), ..audit });
        }
        let file = self.evaluation.out.join(ROWS);
        write_atomically(&file, |out| rows::write(out, self.evaluation, self.journal.units::<Done>()?))
            .map_err(|failed| failed.writing(&file))?;
        self.put(MARKDOWN, &report::markdown(&results))?;
        self.put(PAGE, &report::html(&results))?;
        self.put(TIMES, &pretty(&times))?;
        // Last: where it is, all are.
        self.put(RESULTS, &pretty(&results))?;
        Ok((results, times))
    }

    fn count(&self) -> Result<(Results, Times), EvaluateError> {
        let Evaluation { subjects, settings, command, .. } = self.evaluation;
        let people = |subject: &NamedSubject| settings.people(subject.graph());
        let mut tallies: Vec<Tally<'_>> =
            subjects.iter().map(|subject| Tally::new(settings, people(subject))).collect();
        let mut seconds = 0.0;
        for (done, expected) in self.journal.units::<Done>()?.zip(&self.units) {
            let done = done?;
            if done.unit != *expected {
                return Err(EvaluateError::OtherUnit { folder: self.evaluation.out.to_owned() });
            }
            seconds += done.ms / 1e3;
            tallies[done.unit.model].add(&done);
        }
        let (models, times) =
            subjects.iter().zip(tallies).map(|(subject, tally)| tally.finish(subject.evaluated())).unzip();
        let results = Results {
            schema: EVALUATION_SCHEMA.to_owned(),
            grease: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.clone(),
            settings: (*settings).clone(),
            models,
        };
        Ok((results, Times { about: ABOUT_TIMES.to_owned(), seconds, models: times }))
    }

    fn put(&self, name: &str, text: &str) -> Result<(), EvaluateError> {
        let file = self.evaluation.out.join(name);
        write_atomically(&file, |out| out.write_all(text.as_bytes()))
            .map_err(|error| EvaluateError::Write { file, error })
    }
}

/// Of writing the rows, before it is said which file it was.
pub(super) enum Failed {
    Journal(JournalError),
    Io(io::Error),
}

impl Failed {
    fn writing(self, file: &Path) -> EvaluateError {
        match self {
            Failed::Journal(error) => error.into(),
            Failed::Io(error) => EvaluateError::Write { file: file.to_owned(), error },
        }
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<JournalError> for Failed {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

/// A line an entry of the innermost lists worth one: a person can find things, and a change is a line.
fn pretty(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("figures and names have a form in JSON");
    let mut text = String::new();
    lay_out(&value, 0, &mut text);
    text.push('\n');
    text
}

/// How deep values are laid out over several lines.
const DEEP: usize = 4;

fn lay_out(value: &Value, depth: usize, text: &mut String) {
    let (open, close, parts): (char, char, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(fields) if depth < DEEP => {
            ('{', '}', fields.iter().map(|(name, value)| (Some(name), value)).collect())
        }
        Value::Array(values) if depth < DEEP => {
            ('[', ']', values.iter().map(|value| (None, value)).collect())
        }
        flat => {
            text.push_str(&flat.to_string());
            return;
        }
    };
    text.push(open);
    for (at, (name, part)) in parts.iter().enumerate() {
        text.push_str(if at > 0 { ",\n" } else { "\n" });
        text.extend(std::iter::repeat_n("  ", depth + 1));
        if let Some(name) = name {
            text.push_str(&Value::from(name.as_str()).to_string());
            text.push_str(": ");
        }
        lay_out(part, depth + 1, text);
    }
    if !parts.is_empty() {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    }
    text.push(close);
}

impl NamedSubject {
    fn graph(&self) -> &Graph {
        self.subject.recommender().graph()
    }

    fn evaluated(&self) -> Evaluated {
        let graph = self.graph();
        // Only of a model of ours is it known how it was trained.
        let manifest = self.subject.folder().map(|folder| &folder.manifest);
        Evaluated {
            data: self.name.clone(),
            kind: self.subject.kind(),
            model_hash: self.subject.model_hash().to_owned(),
            data_hash: self.subject.data_hash(),
            users: graph.users(),
            items: graph.items(),
            interactions: graph.len(),
            epochs: manifest.map_or(0, |manifest| manifest.training_log.len() as u64),
            recall_at_20: manifest.and_then(|manifest| manifest.recall_at_20),
            ndcg_at_20: manifest.and_then(|manifest| manifest.ndcg_at_20),
        }
    }
}
