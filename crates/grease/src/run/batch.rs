//! Explaining the lists of many people: one at a time in memory, each kept on disk as soon as they are done.
//!
//! ```text
//! people -explain, in order-> Journal (a unit a person) -finish-> table or lines, and a Summary
//!                                                   parts of several machines -merge-> the same table
//! ```

use std::io;
use std::path::{Path, PathBuf};

use grease_graph::Who;
use grease_graph::atomic::write_aside;
use grease_tell::Record;
use grease_tell::table::{Row, TableFormat, TableWriter};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::in_order::AHEAD_A_THREAD;
use super::units::run_units;
use super::{Journal, JournalError, Person, RunObserver, Shard, Summary, finished, journal, settings};
use crate::question::Question;
use crate::refusal::{Refusal, RefusalKind};
use crate::subject::{Resolved, Subject};

/// The whole lists of many people, all explained in the same way.
pub struct Batch<'a> {
    subject: &'a Subject,
    resolved: Resolved<'a>,
    /// Those of the shard.
    people: &'a [Person],
    settings: Value,
}

/// What is asked about everybody.
#[derive(Debug, Clone)]
pub struct BatchRequest {
    /// All but whose list it is.
    pub question: Question,
    /// Everybody, each once, also those that belong to other shards.
    pub people: Vec<Person>,
    /// Which part of them is explained; all where there is none.
    pub shard: Option<Shard>,
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// What is done could not be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What is done is somebody else's.
    #[error("{}: person {number} is '{found}', expected '{expected}'", folder.display())]
    OtherPerson {
        folder: PathBuf,
        /// From 1.
        number: usize,
        expected: String,
        found: String,
    },
    /// The recommender failed; what is done is kept.
    #[error("while explaining {user}: the recommender could not score: {said}")]
    Recommender { user: String, said: String },
    /// Somebody wanted it to end.
    #[error("interrupted after {done} of {people} people")]
    Interrupted { done: usize, people: usize },
    /// The result could not be written.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

/// What the journal keeps of a person.
#[derive(Debug, Serialize, Deserialize)]
struct Unit {
    user: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    records: Vec<Record>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Unit {
    fn rows(self) -> impl Iterator<Item = Row> {
        let failure = self.error.map(|error| Row::Failure { user: self.user, error });
        self.records.into_iter().map(|record| Row::Explanation(Box::new(record))).chain(failure)
    }
}

impl<'a> Batch<'a> {
    /// Nothing is asked of the model yet.
    ///
    /// What can be asked of nobody, whoever it is, is refused here.
    pub fn new(subject: &'a Subject, request: &'a BatchRequest) -> Result<Self, Refusal> {
        let BatchRequest { question, people, shard } = request;
        let resolved = subject.resolve(question)?;
        Ok(Self {
            people: &people[shard.map_or(0..people.len(), |shard| shard.of(people.len()))],
            settings: settings::settings(subject, request, &resolved),
            subject,
            resolved,
        })
    }

    /// What the run is, for a [`Journal`] and for the table: all that its rows depend on.
    pub fn settings(&self) -> &Value {
        &self.settings
    }

    /// How many people are explained.
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// Explains everybody the journal does not have yet, several at once, and keeps them in order.
    pub fn run(&self, journal: &mut Journal, observer: &dyn RunObserver) -> Result<(), BatchError> {
        let people = self.people.len();
        // A journal of these settings has no more units than there are people.
        let left = self.people.get(journal.done()..).unwrap_or_default();
        let interrupted = |done| BatchError::Interrupted { done, people };
        run_units(journal, left, AHEAD_A_THREAD, observer, |person| self.explain(person), interrupted)
    }

    /// Who cannot be explained anything has that as their answer. A recommender that fails is nobody's answer: the run ends, and
    /// goes on from there when it is back.
    fn explain(&self, person: &Person) -> Result<Unit, BatchError> {
        let user = self.name(person).to_owned();
        let explained = match person {
            Person::Known(known) => match self.resolved.records(&Who::Known(*known)) {
                Err(Refusal { kind: RefusalKind::Recommender | RefusalKind::Cancelled, message, .. }) => {
                    return Err(BatchError::Recommender { user, said: message });
                }
                explained => explained.map_err(|refusal| refusal.message),
            },
            Person::Unknown { error, .. } => Err(error.clone()),
        };
        Ok(match explained {
            Ok(records) => Unit { user, records, error: None },
            Err(error) => Unit { user, records: Vec::new(), error: Some(error) },
        })
    }

    fn name<'p>(&'p self, person: &'p Person) -> &'p str {
        match person {
            Person::Known(user) => self.subject.data().users.id(user.0),
            Person::Unknown { name, .. } => name,
        }
    }

    /// Whether `out` is the result of this run, and nothing is left to do; that of another run is refused. Not so where it does not
    /// say of which run it is.
    pub fn is_finished(&self, out: &Path, format: TableFormat) -> Result<bool, BatchError> {
        match finished::run_of(out, format) {
            None => Ok(false),
            Some(run) => Ok(journal::same(out, &run, &self.settings).map(|()| true)?),
        }
    }

    /// Turns a journal with everybody in it into `out`, whole or not at all, and removes it.
    pub fn finish(&self, journal: Journal, out: &Path, format: TableFormat) -> Result<Summary, BatchError> {
        let mut summary = Summary::default();
        // Beside the journal, which is removed with all that is left of earlier attempts.
        write_aside(journal.folder(), out, |file| {
            let mut writer = TableWriter::new(file, format, &self.settings)?;
            for ((unit, person), number) in journal.units::<Unit>()?.zip(self.people).zip(1..) {
                let unit = unit?;
                if unit.user != self.name(person) {
                    return Err(Failed::Batch(BatchError::OtherPerson {
                        folder: journal.folder().to_owned(),
                        number,
                        expected: self.name(person).to_owned(),
                        found: unit.user,
                    }));
                }
                summary.people += 1;
                for row in unit.rows() {
                    summary.count(&row);
                    writer.write(&row)?;
                }
            }
            Ok(writer.finish()?)
        })
        .map_err(|failed| match failed {
            Failed::Batch(error) => error,
            Failed::Io(error) => BatchError::Io { path: out.to_owned(), error },
        })?;
        finished::sign(journal.folder(), out, format, &self.settings)
            .map_err(|error| BatchError::Io { path: out.to_owned(), error })?;
        journal.remove()?;
        Ok(summary)
    }
}

/// The rows of a journal's bytes: for the fuzzer.
#[cfg(fuzzing)]
pub fn rows_of_journal(bytes: &[u8]) -> Result<Vec<Row>, JournalError> {
    Ok(journal::units_of::<Unit>(bytes)?.into_iter().flat_map(Unit::rows).collect())
}

/// Of writing the result, before it is said which file it was.
enum Failed {
    Batch(BatchError),
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<JournalError> for Failed {
    fn from(error: JournalError) -> Self {
        Self::Batch(error.into())
    }
}
