//! Running an evaluation: unit by unit into a journal, so that it can be interrupted anywhere; then the figures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use grease::calibration::CALIBRATION;
use grease::{Device, Journal, Opening, RunObserver, run_units};

use grease_graph::atomic::{sweep, write_atomically};
use grease_models::train::Observer;

use crate::audit::{Audit, AuditOptions, retrain};
use crate::bench::Bench;
use crate::evaluation::{EvaluateError, Evaluation, NamedSubject};
use crate::memory::Remembering;
use crate::plan::Plan;
use crate::pretty::pretty;
use crate::results::{Answers, EVALUATION_SCHEMA, Results, Times};
use crate::tally::Tally;
use crate::unit::{Done, Unit, units};
use crate::{report, rows};

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

/// How often it is seen whether the observer wants it to end.
const LOOK_UP: Duration = Duration::from_millis(50);

/// How times were taken.
const ABOUT_TIMES: &str = "Milliseconds an explanation, one thread: its own computing, and for each answer of the recommender what it took when it was first asked for; looking beyond the caps, for the curves, is included.";

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

    /// Explanations there are to look for: one a person, item, goal and method. Lists that turn out shorter have fewer.
    pub fn answers(&self) -> usize {
        self.answers_of(&self.units)
    }

    /// Those of the units on disk.
    pub fn answered(&self) -> usize {
        self.answers_of(&self.units[..self.done().min(self.units.len())])
    }

    fn answers_of(&self, units: &[Unit]) -> usize {
        let parts = units.chunk_by(|a, b| a.model == b.model);
        let of = |part: &[Unit]| {
            let graph = self.evaluation.subjects[part[0].model].graph();
            Plan::new(self.evaluation.settings, graph).answers(part)
        };
        parts.map(of).sum()
    }

    /// Explains whoever is left, until all are done or the observer wants it to end. What is done is kept either way.
    pub fn explain(&mut self, observer: &dyn RunObserver) -> Result<(), EvaluateError> {
        let given_up = Arc::new(AtomicBool::new(false));
        std::thread::scope(|scope| {
            let (ended, wait) = channel::<()>();
            let watched = Arc::clone(&given_up);
            // A person with a long history may take minutes: the searches under way are told as well.
            scope.spawn(move || {
                while wait.recv_timeout(LOOK_UP) == Err(RecvTimeoutError::Timeout) {
                    watched.fetch_or(observer.cancelled(), Ordering::Relaxed);
                }
            });
            let explained = self.explain_until(&given_up, observer);
            drop(ended);
            explained
        })
    }

    fn explain_until(
        &mut self,
        given_up: &Arc<AtomicBool>,
        observer: &dyn RunObserver,
    ) -> Result<(), EvaluateError> {
        let Self { evaluation, journal, units } = self;
        let all = units.len();
        let left = units.get(journal.done()..).unwrap_or_default();
        for part in left.chunk_by(|a, b| a.model == b.model) {
            let subject = &evaluation.subjects[part[0].model].subject;
            let memory = Remembering::new(Arc::clone(subject.recommender()), Arc::clone(given_up));
            let memory = Arc::new(memory);
            let bench = Bench::new(evaluation.settings, subject, &memory, observer);
            let explain = |unit: &Unit| Ok(bench.explain(*unit)?);
            run_units(journal, part, AHEAD, observer, explain, |done| EvaluateError::Interrupted {
                done,
                all,
            })?;
        }
        Ok(())
    }

    /// Deletes what explanations of each model name, and trains it again. An audit that is in the folder is not made again. What it says of
    /// explanations to come is put beside the model.
    pub fn audit(
        &self,
        options: &AuditOptions,
        device: Device,
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
                    let audit = retrain(&subject.subject, options, device, observer)?;
                    self.put(&name, &pretty(&audit))?;
                    audit
                }
            };
            if let (Some(calibration), Some(place)) = (&audit.calibration, subject.subject.place()) {
                let written = calibration.write(place);
                let file = place.join(CALIBRATION);
                written.map_err(|error| EvaluateError::Write { file, error })?;
            }
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
        let (models, times) = subjects
            .iter()
            .zip(tallies)
            .map(|(subject, tally)| tally.finish(subject.evaluated(), subject.graph()))
            .unzip();
        let results = Results {
            schema: EVALUATION_SCHEMA.to_owned(),
            grease: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.clone(),
            settings: (*settings).clone(),
            models,
        };
        let answers = |named: &NamedSubject| named.subject.recommender().work().map(Answers::from);
        let answers = subjects.iter().map(answers).collect();
        Ok((results, Times { about: ABOUT_TIMES.to_owned(), seconds, models: times, answers }))
    }

    fn put(&self, name: &str, text: &str) -> Result<(), EvaluateError> {
        let file = self.evaluation.out.join(name);
        write_atomically(&file, |out| out.write_all(text.as_bytes()))
            .map_err(|error| EvaluateError::Write { file, error })
    }
}
