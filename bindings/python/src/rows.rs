//! Many people's answers as Arrow, some people at a time: for engines that hand people in and take rows out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, RecordBatch};
use grease::{
    Batch, BatchRequest, Job, Lists, Person, Place, Question, Row, Run, RunError, Subject, TableRow,
    TableSort, run_settings, spark_ddl,
};
use grease_evaluate::NamedSubject;
use pyo3::prelude::*;
use pyo3_arrow::{PyArray, PyRecordBatch, PySchema};

use crate::background::LOOK_UP;
use crate::errors::Failure;
use crate::raising::Raising;

/// Batches of rows that are made while those before them are used.
const AHEAD: usize = 2;

/// Rows on their way to Python. It ends with the last, with the first failure, and when nobody holds it any more.
#[pyclass(frozen, module = "grease._native")]
pub(crate) struct Rows {
    working: Mutex<Option<Working>>,
    ended: Arc<AtomicBool>,
    raising: Raising,
}

struct Working {
    batches: Receiver<Result<RecordBatch, Failure>>,
    thread: JoinHandle<()>,
}

/// Why no more rows are made.
enum Stop {
    /// Nobody wants them.
    Unwanted,
    Failed(Failure),
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        Self::Failed(match error {
            RunError::Method { .. } => Failure::Method(error.to_string()),
            _ => Failure::Recommender(error.to_string()),
        })
    }
}

/// What "explain" and "recommend" are.
pub(crate) fn sort_called(what: &str) -> Result<TableSort, Failure> {
    match what {
        "explain" => Ok(TableSort::Explanations),
        "recommend" => Ok(TableSort::Lists),
        other => Err(Failure::usage(format_args!("expected explain or recommend, not '{other}'"))),
    }
}

/// Whom a stretch of rows is about, everybody as often as they come.
fn people(subject: &Subject, users: PyArray, items: Option<PyArray>) -> Result<Vec<Person>, Failure> {
    let known = &subject.data().users;
    let (users, _) = users.into_inner();
    let users = users.as_string_opt::<i32>().ok_or_else(|| Failure::usage("users are strings"))?;
    let called = |at: usize| Person::called(known, users.value(at));
    let Some(items) = items else { return Ok((0..users.len()).map(called).collect()) };
    let (items, _) = items.into_inner();
    let items = items.as_string_opt::<i32>().ok_or_else(|| Failure::usage("items are strings"))?;
    if items.len() != users.len() {
        return Err(Failure::usage("there are as many items as users"));
    }
    let mut people = Vec::new();
    let mut first = 0;
    for at in 1..=users.len() {
        if at == users.len() || users.value(at) != users.value(first) {
            let asked = (first..at).map(|row| items.value(row).to_owned()).collect();
            people.push(called(first).asking(asked));
            first = at;
        }
    }
    Ok(people)
}

impl Rows {
    /// Begins to work. What can be asked of nobody is refused at once.
    pub(crate) fn begin(
        named: Arc<NamedSubject>,
        raising: Raising,
        what: TableSort,
        question: Question,
        (users, items): (PyArray, Option<PyArray>),
        (threads, together): (usize, usize),
    ) -> Result<Self, Failure> {
        let people = people(&named.subject, users, items)?;
        let request = BatchRequest { question, people, shard: None };
        match what {
            TableSort::Explanations => drop(Batch::explaining(&named.subject, &request)?),
            TableSort::Lists => drop(Lists::listing(&named.subject, &request)?),
        }
        let ended = Arc::new(AtomicBool::new(false));
        let (sender, batches) = sync_channel(AHEAD);
        let stop = Arc::clone(&ended);
        let thread = std::thread::spawn(move || {
            let subject = &named.subject;
            let made = match what {
                TableSort::Explanations => Batch::explaining(subject, &request)
                    .map_err(|refusal| Stop::Failed(refusal.into()))
                    .and_then(|run| send(&run, threads, together, &sender, &stop)),
                TableSort::Lists => Lists::listing(subject, &request)
                    .map_err(|refusal| Stop::Failed(refusal.into()))
                    .and_then(|run| send(&run, threads, together, &sender, &stop)),
            };
            if let Err(Stop::Failed(failure)) = made {
                // Where nobody waits any more nobody needs to know.
                let _ = sender.send(Err(failure));
            }
        });
        Ok(Self { working: Mutex::new(Some(Working { batches, thread })), ended, raising })
    }

    /// Ends the work, and waits for the people under way.
    fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        let working = self.working.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Working { batches, thread }) = working {
            drop(batches);
            // A panic was told where it happened.
            let _ = thread.join();
        }
    }
}

fn send<J: Job>(
    run: &Run<'_, J>,
    threads: usize,
    together: usize,
    sender: &SyncSender<Result<RecordBatch, Failure>>,
    stop: &AtomicBool,
) -> Result<(), Stop> {
    run.stream(threads, together, |rows| {
        if stop.load(Ordering::SeqCst) {
            return Err(Stop::Unwanted);
        }
        let batch = J::Row::record_batch(&rows);
        let batch = batch.map_err(|error| Stop::Failed(Failure::Other(error.to_string())))?;
        sender.send(Ok(batch)).map_err(|_| Stop::Unwanted)
    })
}

impl Drop for Rows {
    fn drop(&mut self) {
        // Who is under way may need the interpreter.
        Python::attach(|py| py.detach(|| self.end()));
    }
}

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The next rows, or nothing after the last.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
        loop {
            let next = py.detach(|| {
                let working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
                working.as_ref().map(|working| working.batches.recv_timeout(LOOK_UP))
            });
            match next {
                Some(Ok(Ok(batch))) => return Ok(Some(PyRecordBatch::new(batch))),
                Some(Ok(Err(failure))) => {
                    py.detach(|| self.end());
                    return Err(self.raising.told(py, failure.into()));
                }
                Some(Err(RecvTimeoutError::Timeout)) => {
                    if let Err(raised) = py.check_signals() {
                        py.detach(|| self.end());
                        return Err(raised);
                    }
                }
                None | Some(Err(RecvTimeoutError::Disconnected)) => {
                    py.detach(|| self.end());
                    return Ok(None);
                }
            }
        }
    }
}

/// All that rows of any people depend on, but for the people: what `grease merge --run` needs to know.
pub(crate) fn settings(subject: &Subject, what: TableSort, question: &Question) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(&run_settings(subject, what, question)?)?)
}

/// The columns of the rows.
#[pyfunction]
pub(crate) fn columns(what: &str) -> PyResult<PySchema> {
    let schema = match sort_called(what)? {
        TableSort::Explanations => Row::schema(),
        TableSort::Lists => Place::schema(),
    };
    Ok(PySchema::new(Arc::new(schema)))
}

/// The same in the words of Spark.
#[pyfunction(name = "spark_ddl")]
pub(crate) fn ddl(what: &str) -> PyResult<String> {
    Ok(spark_ddl(&match sort_called(what)? {
        TableSort::Explanations => Row::schema(),
        TableSort::Lists => Place::schema(),
    }))
}
