//! Something done for each of many people, whose answers are rows of a table.
//!
//! ```text
//! people -answer, in order-> Journal (a unit for some people) -finish-> table or lines, and a Summary
//!                                                     parts of several machines -merge-> the same table
//!        -stream-> rows, for engines that keep what is done themselves         -gather-> the same table
//! ```

use std::io;
use std::path::{Path, PathBuf};

use grease_graph::atomic::write_aside;
use grease_tell::table::{TableFormat, TableRow, TableWriter};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::in_order::{AHEAD_A_THREAD, in_order_with};
use super::units::run_units;
use super::{Journal, JournalError, Person, RunObserver, Summary, finished, journal};

/// What is done for each of many people.
pub trait Job: Sync {
    /// What the journal keeps of some people.
    type Unit: Serialize + DeserializeOwned + Send;
    /// What the table has.
    type Row: TableRow + Send;
    /// People of one unit: more where an answer takes less time than bringing it to the disk.
    const TOGETHER: usize;

    /// Answers some people. Who cannot be answered has that as their answer; a recommender that fails is nobody's answer.
    fn answer(&self, people: &[Person]) -> Result<Self::Unit, RunError>;

    /// The rows of a unit, person by person.
    fn rows(&self, unit: Self::Unit) -> Vec<Answered<Self::Row>>;

    /// What a person is called.
    fn name<'p>(&'p self, person: &'p Person) -> &'p str;
}

/// One person's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered<R> {
    pub user: String,
    pub rows: Vec<R>,
}

/// A job with the people it is done for.
pub struct Run<'a, J> {
    job: J,
    /// Those of the shard.
    people: &'a [Person],
    settings: Value,
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
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
    #[error("{doing} {user}: the recommender could not score: {said}")]
    Recommender {
        /// Such as "while explaining".
        doing: &'static str,
        user: String,
        said: String,
    },
    /// A method of somebody's own failed; what is done is kept.
    #[error("{doing} {user}: {said}")]
    Method {
        /// Such as "while explaining".
        doing: &'static str,
        user: String,
        said: String,
    },
    /// Somebody wanted it to end.
    #[error("interrupted after {done} of {people} people")]
    Interrupted { done: usize, people: usize },
    /// The result could not be written.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

impl<'a, J: Job> Run<'a, J> {
    pub(super) fn new(job: J, people: &'a [Person], settings: Value) -> Self {
        Self { job, people, settings }
    }

    /// What the run is, for a [`Journal`] and for the table: all that its rows depend on.
    pub fn settings(&self) -> &Value {
        &self.settings
    }

    /// How many people there are.
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// How many of them a journal has.
    pub fn done(&self, journal: &Journal) -> usize {
        self.people.len().min(journal.done() * J::TOGETHER)
    }

    /// Answers everybody the journal does not have yet, several at once, and keeps them in order.
    pub fn run(&self, journal: &mut Journal, observer: &dyn RunObserver) -> Result<(), RunError> {
        let people = self.people.len();
        // A journal of these settings has no more units than these people make.
        let left: Vec<&[Person]> = self.people.chunks(J::TOGETHER).skip(journal.done()).collect();
        let interrupted =
            |units: usize| RunError::Interrupted { done: people.min(units * J::TOGETHER), people };
        let observer = InPeople { observer, people, together: J::TOGETHER };
        run_units(journal, &left, AHEAD_A_THREAD, &observer, |people| self.job.answer(people), interrupted)
    }

    /// The rows of everybody, those of at most `together` people at a time, in their order, by so many threads and no more. Nothing is
    /// kept. The first error of `take` ends it.
    pub fn stream<E: From<RunError>>(
        &self,
        threads: usize,
        together: usize,
        mut take: impl FnMut(Vec<J::Row>) -> Result<(), E>,
    ) -> Result<(), E> {
        let together = together.max(1);
        // Each person by themselves where they take long, so that no thread waits for another's.
        let stretches: Vec<&[Person]> = self.people.chunks(J::TOGETHER.min(together)).collect();
        let (mut waiting, mut people) = (Vec::new(), 0);
        in_order_with(
            threads,
            &stretches,
            |stretch| self.job.answer(stretch),
            |unit| {
                let answered = self.job.rows(unit?);
                people += answered.len();
                waiting.extend(answered.into_iter().flat_map(|answered| answered.rows));
                if people < together || waiting.is_empty() {
                    return Ok(());
                }
                people = 0;
                take(std::mem::take(&mut waiting))
            },
        )?;
        if waiting.is_empty() { Ok(()) } else { take(waiting) }
    }

    /// Whether `out` is the result of this run, and nothing is left to do; that of another run is refused. Not so where it does not
    /// say of which run it is.
    pub fn is_finished(&self, out: &Path, format: TableFormat) -> Result<bool, RunError> {
        match finished::run_of(out, format) {
            None => Ok(false),
            Some(run) => Ok(journal::same(out, &run, &self.settings).map(|()| true)?),
        }
    }

    /// Turns a journal with everybody in it into `out`, whole or not at all, and removes it.
    pub fn finish(&self, journal: Journal, out: &Path, format: TableFormat) -> Result<Summary, RunError> {
        let mut summary = Summary::default();
        // Beside the journal, which is removed with all that is left of earlier attempts.
        write_aside(journal.folder(), out, |file| {
            let mut writer = TableWriter::new(file, format, &self.settings)?;
            let mut people = self.people.iter();
            for unit in journal.units::<J::Unit>()? {
                for Answered { user, rows } in self.job.rows(unit?) {
                    let number = summary.people + 1;
                    let expected = people.next().map_or("nobody", |person| self.job.name(person));
                    if user != expected {
                        let (folder, expected) = (journal.folder().to_owned(), expected.to_owned());
                        return Err(Failed::Run(RunError::OtherPerson {
                            folder,
                            number,
                            expected,
                            found: user,
                        }));
                    }
                    summary.people = number;
                    for row in rows {
                        summary.count(&row);
                        writer.write(row)?;
                    }
                }
            }
            Ok(writer.finish()?)
        })
        .map_err(|failed| match failed {
            Failed::Run(error) => error,
            Failed::Io(error) => RunError::Io { path: out.to_owned(), error },
        })?;
        finished::sign(journal.folder(), out, format, &self.settings)
            .map_err(|error| RunError::Io { path: out.to_owned(), error })?;
        journal.remove()?;
        Ok(summary)
    }
}

/// Tells how many people are done where units of several are counted.
struct InPeople<'o> {
    observer: &'o dyn RunObserver,
    people: usize,
    together: usize,
}

impl RunObserver for InPeople<'_> {
    fn done(&self, units: usize) {
        self.observer.done(self.people.min(units * self.together));
    }

    fn answered(&self, explanations: usize) {
        self.observer.answered(explanations);
    }

    fn cancelled(&self) -> bool {
        self.observer.cancelled()
    }
}

/// Of writing the result, before it is said which file it was.
enum Failed {
    Run(RunError),
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<JournalError> for Failed {
    fn from(error: JournalError) -> Self {
        Self::Run(error.into())
    }
}
