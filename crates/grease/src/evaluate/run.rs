//! Running an evaluation: unit by unit into a journal, so that it can be interrupted anywhere; then the figures.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use grease_graph::Recommender as _;
use grease_graph::atomic::write_atomically;
use grease_models::folder::ModelFolder;
use serde::Serialize;
use serde_json::json;

use super::memory::Remembering;
use super::tally::Tally;
use super::unit::{Bench, Done, Unit, units};
use super::{EVALUATION_SCHEMA, Evaluated, Results, Settings, Times};
use crate::{Journal, JournalError, Opening, in_order};

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

/// How times were taken.
const ABOUT_TIMES: &str = "Milliseconds an explanation, one thread: its own computing, and for each answer of the recommender what it took when it was first asked for; looking beyond the caps, for the curves, is included.";

/// A model to evaluate on.
pub struct Subject {
    /// What its data set is called; the paper's figures are shown beside those of names that begin with lastfm or yelp.
    pub data: String,
    /// The model.
    pub folder: ModelFolder,
}

/// What to evaluate, and where to keep it.
pub struct Evaluation<'a> {
    /// On what.
    pub subjects: &'a [Subject],
    /// What and how much.
    pub settings: &'a Settings,
    /// The folder of the run.
    pub out: &'a Path,
    /// The command that repeats it.
    pub command: String,
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
    /// Somebody wanted it to stop; what is done is kept.
    #[error("interrupted after {done} of {all} units")]
    Interrupted {
        /// Units done.
        done: usize,
        /// Units there are.
        all: usize,
    },
}

/// How far it is.
pub trait Watch: Send {
    /// So many units of so many are done.
    fn progress(&mut self, done: usize, all: usize);
}

impl<F: FnMut(usize, usize) + Send> Watch for F {
    fn progress(&mut self, done: usize, all: usize) {
        self(done, all);
    }
}

impl Evaluation<'_> {
    /// Does what is left to do, until all is done or `cancelled` says stop, and writes the results.
    pub fn run(
        &self,
        how: Opening,
        watch: &mut dyn Watch,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Results, Times), EvaluateError> {
        self.check()?;
        let mut journal = Journal::open(self.out, &self.identity(), how)?;
        let all: Vec<Unit> = self
            .subjects
            .iter()
            .enumerate()
            .flat_map(|(model, subject)| units(self.settings, model, subject.folder.model.graph()))
            .collect();
        watch.progress(journal.done(), all.len());
        let todo = &all[journal.done().min(all.len())..];
        for part in todo.chunk_by(|a, b| a.model == b.model) {
            let remembering = Remembering::new(&self.subjects[part[0].model].folder.model);
            let bench = Bench::new(self.settings, &remembering);
            in_order(
                part,
                |unit| (!cancelled()).then(|| bench.explain(*unit)),
                |done| {
                    let Some(done) = done else {
                        return Err(EvaluateError::Interrupted { done: journal.done(), all: all.len() });
                    };
                    journal.append(&done)?;
                    watch.progress(journal.done(), all.len());
                    Ok(())
                },
            )?;
        }
        let (results, times) = self.results(&journal)?;
        self.write(&journal, &results, &times)?;
        Ok((results, times))
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
            let items = subject.folder.data.items.len();
            if let Some(&k) = ks.iter().find(|&&k| k > items) {
                return Err(EvaluateError::TooLong { k, items, data: subject.data.clone() });
            }
        }
        Ok(())
    }

    /// All that the units depend on.
    fn identity(&self) -> serde_json::Value {
        let models: Vec<_> = self
            .subjects
            .iter()
            .map(|subject| {
                json!({
                    "data": subject.data,
                    "model_hash": subject.folder.model_hash(),
                    "data_hash": subject.folder.data_hash(),
                })
            })
            .collect();
        json!({ "schema": EVALUATION_SCHEMA, "settings": self.settings, "models": models })
    }

    fn results(&self, journal: &Journal) -> Result<(Results, Times), EvaluateError> {
        let mut tallies: Vec<Tally<'_>> = self.subjects.iter().map(|_| Tally::new(self.settings)).collect();
        let mut seconds = 0.0;
        for done in journal.units::<Done>()? {
            let done = done?;
            seconds += done.ms / 1e3;
            if let Some(tally) = tallies.get_mut(done.unit.model) {
                tally.add(&done);
            }
        }
        let (models, times) = self
            .subjects
            .iter()
            .zip(tallies)
            .map(|(subject, tally)| tally.finish(subject.evaluated()))
            .unzip();
        let results = Results {
            schema: EVALUATION_SCHEMA.to_owned(),
            grease: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.clone(),
            settings: self.settings.clone(),
            models,
        };
        Ok((results, Times { about: ABOUT_TIMES.to_owned(), seconds, models: times }))
    }

    fn write(&self, journal: &Journal, results: &Results, times: &Times) -> Result<(), EvaluateError> {
        let put = |name: &str, text: &str| {
            let file = self.out.join(name);
            write_atomically(&file, |out| out.write_all(text.as_bytes()))
                .map_err(|error| EvaluateError::Write { file, error })
        };
        put(TIMES, &pretty(times))?;
        put(RESULTS, &pretty(results))
    }
}

fn pretty(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("figures and names have a form in JSON");
    text.push('\n');
    text
}

impl Subject {
    fn evaluated(&self) -> Evaluated {
        let manifest = &self.folder.manifest;
        Evaluated {
            data: self.data.clone(),
            kind: manifest.kind,
            model_hash: self.folder.model_hash().to_owned(),
            data_hash: self.folder.data_hash(),
            users: manifest.users,
            items: manifest.items,
            interactions: manifest.train_interactions,
            epochs: manifest.training_log.len() as u64,
            recall_at_20: manifest.recall_at_20,
            ndcg_at_20: manifest.ndcg_at_20,
        }
    }
}
