//! Explaining lists, asking what if, and checking stored explanations again.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use grease::explain::Method;
use grease::graph::UserId;
use grease::models::folder::Dataset;
use grease::oracle::{Address, Meter, Oracle, OracleOptions, Token, Voice};
use grease::{Candidates, Device, PROVE, Person, Question, Record, Row, Subject, TableSort, Who, in_order};
use grease_evaluate::NamedSubject;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3_arrow::PyArray;

use crate::background::{self, Signals};
use crate::black_box::PythonRecommender;
use crate::errors::Failure;
use crate::evaluation;
use crate::interactions::Interactions;
use crate::interruptible::Interruptible;
use crate::model::Model;
use crate::own_method::PythonMethod;
use crate::raising::Raising;
use crate::rendering::{PlainWords, words};
use crate::rows::{self, Rows};

/// Explains lists of one recommender by one method.
#[pyclass(frozen, module = "grease._native")]
pub(crate) struct Explainer {
    named: Arc<NamedSubject>,
    /// Where the model is on the disk.
    place: Option<PathBuf>,
    method: Method,
    interrupted: Arc<AtomicBool>,
    /// The recommender and the method, where they are Python objects: they keep what they raised.
    raising: Raising,
    /// Where the recommender is an oracle: what asking it took.
    meter: Option<Arc<Meter>>,
    /// Where a model of ours is asked, and why there.
    device: Option<String>,
}

impl Explainer {
    fn new(
        subject: &Subject,
        python: Option<(Arc<PythonRecommender>, Arc<AtomicBool>)>,
        name: String,
        method: &Bound<'_, PyAny>,
        plain: Option<PlainWords>,
    ) -> PyResult<Self> {
        let (recommender, interrupted) = python.unzip();
        let interrupted: Arc<AtomicBool> = interrupted.unwrap_or_default();
        let inner = Arc::clone(subject.recommender());
        let guarded = Interruptible { inner, interrupted: Arc::clone(&interrupted) };
        let mut subject = subject.asked_through(Arc::new(guarded));
        if let Some(plain) = plain {
            *subject.words_mut() = words(plain);
        }
        let mut raising = Raising { recommender, methods: Vec::new() };
        let method = match method.extract::<String>() {
            Ok(built_in) => built_in.parse().map_err(Failure::usage)?,
            Err(_) => give(method, &mut subject, &mut raising, &interrupted)?,
        };
        let named = Arc::new(NamedSubject { name, subject });
        Ok(Self { named, place: None, method, interrupted, raising, meter: None, device: None })
    }

    fn rows(
        &self,
        what: TableSort,
        question: Question,
        asked: (PyArray, Option<PyArray>),
        how: (usize, usize),
    ) -> Result<Rows, Failure> {
        Rows::begin(Arc::clone(&self.named), self.raising.clone(), what, question, asked, how)
    }

    fn subject(&self) -> &Subject {
        &self.named.subject
    }

    fn signals(&self) -> Signals {
        Signals::with_flag(&self.interrupted)
    }

    /// What is asked, as JSON has it.
    fn question(&self, text: &str) -> Result<Question, Failure> {
        Ok(Question { method: self.method, ..serde_json::from_str(text)? })
    }

    /// In the background, with what a Python object raised told as it is, or as the cause of what went wrong.
    fn work<R: Send>(
        &self,
        py: Python<'_>,
        signals: &Signals,
        tell: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce() -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        background::run(py, signals, tell, work).map_err(|error| self.raising.told(py, error))
    }
}

/// Gives a subject a method written in Python.
fn give(
    bridge: &Bound<'_, PyAny>,
    subject: &mut Subject,
    raising: &mut Raising,
    interrupted: &Arc<AtomicBool>,
) -> PyResult<Method> {
    let method = Arc::new(PythonMethod::new(bridge, subject, Arc::clone(interrupted))?);
    raising.methods.push(Arc::clone(&method));
    Ok(subject.give(method).map_err(Failure::from)?)
}

fn lines<T: serde::Serialize>(records: &[T]) -> Result<Vec<String>, Failure> {
    Ok(records.iter().map(serde_json::to_string).collect::<Result<_, _>>()?)
}

#[pymethods]
impl Explainer {
    /// Of a model of ours.
    #[staticmethod]
    #[pyo3(signature = (model, name, method, words, device))]
    fn of_model(
        py: Python<'_>,
        model: &Model,
        name: String,
        method: &Bound<'_, PyAny>,
        words: Option<PlainWords>,
        device: &str,
    ) -> PyResult<Self> {
        let device: Device = device.parse().map_err(Failure::usage)?;
        let folder = Arc::clone(&model.folder);
        let (subject, damage) = match &model.place {
            Some(place) => Subject::read_from(folder, place),
            None => (folder.into(), None),
        };
        let warn = |told: String| -> PyResult<()> {
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(told)?, 1)
        };
        if let Some(damage) = damage {
            warn(format!("{damage}; explanations do not say how often they hold when trained again"))?;
        }
        let (subject, opened) = py.detach(|| subject.asked_on(device)).map_err(Failure::from)?;
        // A card that is used is no reason to be warned.
        if let Some(note) = opened.note().filter(|_| !opened.is_card()) {
            warn(note)?;
        }
        let mut made = Self::new(&subject, None, name, method, words)?;
        made.place.clone_from(&model.place);
        made.device = Some(opened.to_string());
        Ok(made)
    }

    /// Of a Python object, asked through its bridge.
    #[staticmethod]
    #[pyo3(signature = (bridge, interactions, identity, abilities, frozen, embeddings, name, method, words))]
    #[allow(clippy::too_many_arguments, reason = "called from one place, in Python, which has the names")]
    fn of_python(
        bridge: &Bound<'_, PyAny>,
        interactions: &Interactions,
        identity: Vec<String>,
        abilities: (bool, bool, bool),
        frozen: bool,
        embeddings: Option<(PyReadonlyArray2<'_, f32>, PyReadonlyArray2<'_, f32>)>,
        name: String,
        method: &Bound<'_, PyAny>,
        words: Option<PlainWords>,
    ) -> PyResult<Self> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        let graph = interactions.graph()?;
        let recommender =
            Arc::new(PythonRecommender::new(graph, bridge, abilities, frozen, embeddings, flag)?);
        // What came held out is not the recommender's to be explained by.
        let data = Dataset { test: Vec::new(), ..Dataset::from(&*interactions.data) };
        let identity = identity.iter().map(String::as_str);
        let subject = Subject::foreign(data, recommender.clone(), "python", identity);
        Self::new(&subject, Some((recommender, interrupted)), name, method, words)
    }

    /// Of a program, or of a service, that answers by messages.
    #[staticmethod]
    #[pyo3(signature = (command, url, token, interactions, workers, timeout, list, name, method, words))]
    #[allow(clippy::too_many_arguments, reason = "called from one place, in Python, which has the names")]
    fn of_oracle(
        py: Python<'_>,
        command: Option<String>,
        url: Option<String>,
        token: Option<(Option<String>, String)>,
        interactions: &Interactions,
        workers: usize,
        timeout: f64,
        list: usize,
        name: Option<String>,
        method: &Bound<'_, PyAny>,
        words: Option<PlainWords>,
    ) -> PyResult<Self> {
        let address = match (command, url) {
            (Some(command), None) => Address::Command(command),
            (None, Some(url)) => {
                let token = token.map(|(header, token)| match header {
                    Some(header) => Token::in_header(&header, &token),
                    None => Token::bearer(&token),
                });
                Address::Url { url, token }
            }
            _ => return Err(Failure::usage("an oracle is a command or a url").into()),
        };
        let timeout = Duration::try_from_secs_f64(timeout).map_err(Failure::usage)?;
        let voice = Voice::new(|line| {
            // Where logging fails there is nobody to tell.
            let _ = Python::attach(|py| -> PyResult<()> {
                let logger = py.import("logging")?.call_method1("getLogger", ("grease.oracle",))?;
                logger.call_method1("warning", ("%s", line))?;
                Ok(())
            });
        });
        let options =
            OracleOptions { workers: workers.max(1), timeout, list, voice, ..OracleOptions::default() };
        let data = Arc::clone(&interactions.data);
        let (meter, subject) = background::run(py, &Signals::default(), None, || {
            let oracle = Oracle::open(&address, &data, options)?;
            Ok((oracle.meter(), Subject::oracle(oracle, &data)))
        })?;
        let name = name.unwrap_or_else(|| meter.report().name);
        let mut made = Self::new(&subject, None, name, method, words)?;
        made.meter = Some(meter);
        Ok(made)
    }

    /// Where a model of ours is asked, and why not elsewhere.
    fn device(&self) -> Option<String> {
        self.device.clone()
    }

    /// What asking an oracle took so far, as JSON; none where it is none.
    fn oracle_report(&self) -> PyResult<Option<String>> {
        let report = self.meter.as_ref().map(|meter| serde_json::to_string(&meter.report()));
        Ok(report.transpose().map_err(Failure::from)?)
    }

    /// Edits a model of ours answered so far: about some items, by one product over all, over the whole graph.
    fn answered(&self) -> Option<(u64, u64, u64)> {
        self.subject().recommender().work().map(|work| (work.local, work.products, work.whole))
    }

    /// How to speak about the data.
    fn words(&self) -> PlainWords {
        let words = self.subject().words().clone();
        (words.person, words.did, words.item, words.items)
    }

    /// Ids of the users with a history, in order of rows.
    fn people(&self) -> Vec<String> {
        let (users, graph) = (&self.subject().data().users, self.subject().recommender().graph());
        let with_history = |row: &u32| !graph.items_of(UserId(*row)).is_empty();
        (0..users.len() as u32).filter(with_history).map(|row| users.id(row).to_owned()).collect()
    }

    /// The list of one person, as (item, title, score).
    fn recommend(&self, py: Python<'_>, question: &str) -> PyResult<Vec<(String, Option<String>, f32)>> {
        let question = self.question(question)?;
        let list = self.work(py, &self.signals(), None, || Ok(self.subject().list(&question)?))?;
        Ok(list.recommendations.into_iter().map(|place| (place.item, place.title, place.score)).collect())
    }

    /// Explanations of one person's list, or of some items of it, as lines of JSON.
    fn explain(&self, py: Python<'_>, question: &str, show_user_ids: bool) -> PyResult<Vec<String>> {
        let question = self.question(question)?;
        let question = Question { show_user_ids, prove: question.prove.or(Some(PROVE)), ..question };
        self.work(py, &self.signals(), None, || lines(&self.subject().records(&question)?))
    }

    /// Explanations of many people's lists, in their order, as lines of JSON. Who cannot be explained anything has a line that says why.
    fn explain_many(
        &self,
        py: Python<'_>,
        users: Vec<String>,
        question: &str,
        show_user_ids: bool,
        tell: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let question = Question { show_user_ids, ..self.question(question)? };
        let resolved = self.subject().resolve(&question).map_err(Failure::from)?;
        let signals = self.signals();
        signals.expect(users.len());
        self.work(py, &signals, tell, || {
            let known = &self.subject().data().users;
            // What is said of somebody does not depend on who else is asked about: who may have been meant is not looked for.
            let explain = |user: &String| match Person::called(known, user) {
                Person::Unknown { error, .. } => Ok(Err(error)),
                Person::Known(user) | Person::Asking { user, .. } => {
                    match resolved.records(&Who::Known(user)) {
                        // A recommender or a method that fails fails everybody; anything else is one person's answer.
                        Err(refusal) if refusal.kind.is_nobodys_answer() => Err(refusal),
                        explained => Ok(explained.map_err(|refusal| refusal.to_string())),
                    }
                }
            };
            let mut out: Vec<String> = Vec::new();
            let mut done = 0;
            in_order(
                &users,
                |user| (user, explain(user)),
                |(user, explained)| {
                    if signals.cancelled() {
                        return Err(Failure::Interrupted);
                    }
                    match explained? {
                        Ok(records) => out.extend(lines(&records)?),
                        Err(error) => out.extend(lines(&[Row::Failure { user: user.clone(), error }])?),
                    }
                    done += 1;
                    signals.progress(done);
                    Ok(())
                },
            )?;
            Ok(out)
        })
    }

    /// Explanations of the lists of many people, or of some items of theirs, as batches of rows of at most `people` people.
    #[pyo3(signature = (users, items, question, show_user_ids, threads, people))]
    fn explain_rows(
        &self,
        users: PyArray,
        items: Option<PyArray>,
        question: &str,
        show_user_ids: bool,
        threads: usize,
        people: usize,
    ) -> PyResult<Rows> {
        let question = Question { show_user_ids, ..self.question(question)? };
        Ok(self.rows(TableSort::Explanations, question, (users, items), (threads, people))?)
    }

    /// The lists of many people, as batches of rows of at most `people` people.
    fn recommend_rows(
        &self,
        users: PyArray,
        question: &str,
        threads: usize,
        people: usize,
    ) -> PyResult<Rows> {
        let question = self.question(question)?;
        Ok(self.rows(TableSort::Lists, question, (users, None), (threads, people))?)
    }

    /// All that such rows depend on, but for the people, as JSON.
    fn run(&self, what: &str, question: &str, show_user_ids: bool) -> PyResult<String> {
        let question = Question { show_user_ids, ..self.question(question)? };
        Ok(rows::settings(self.subject(), rows::sort_called(what)?, &question)?)
    }

    /// What tells the recommender from another: its weights and its data.
    fn model_hash(&self) -> String {
        self.subject().identity()
    }

    /// The model's folder, if it has one.
    fn place(&self) -> Option<PathBuf> {
        self.place.clone()
    }

    /// What somebody's list as a whole rests on, as JSON.
    fn explain_whole_list(&self, py: Python<'_>, question: &str, share: f64) -> PyResult<String> {
        let question = self.question(question)?;
        self.work(py, &self.signals(), None, || {
            Ok(serde_json::to_string(&self.subject().explain_list(&question, share)?)?)
        })
    }

    /// The lists with and without a change of one person's history, as JSON.
    fn what_if(
        &self,
        py: Python<'_>,
        question: &str,
        remove: Vec<String>,
        add: Vec<String>,
    ) -> PyResult<String> {
        let question = self.question(question)?;
        self.work(py, &self.signals(), None, || {
            Ok(serde_json::to_string(&self.subject().what_if(&question, &remove, &add)?)?)
        })
    }

    /// What asking the recommender again makes of stored explanations: a word and a sentence each.
    fn verify(&self, py: Python<'_>, records: Vec<String>) -> PyResult<Vec<(String, String)>> {
        let records: Vec<Record> = records
            .iter()
            .map(|line| serde_json::from_str(line))
            .collect::<Result<_, _>>()
            .map_err(Failure::from)?;
        self.work(py, &self.signals(), None, || {
            let candidates = Candidates::default();
            let verdict = |record: &Record| -> Result<(String, String), Failure> {
                let verdict = self.subject().verify(record, &candidates)?;
                Ok((verdict.word().to_owned(), verdict.to_string()))
            };
            records.iter().map(verdict).collect()
        })
    }

    /// Evaluates methods on this recommender into a folder, some of them somebody's `own`; the results as JSON.
    #[allow(clippy::too_many_arguments, reason = "called from one place, in Python, which has the names")]
    fn evaluate(
        &self,
        py: Python<'_>,
        settings: &str,
        out: std::path::PathBuf,
        how: &str,
        audit: Option<(usize, usize, Vec<usize>)>,
        own: Vec<Bound<'_, PyAny>>,
        tell: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let settings = evaluation::settings(settings)?;
        let signals = self.signals();
        let mut subject = self.subject().asked_through(Arc::clone(self.subject().recommender()));
        let mut raising = self.raising.clone();
        for method in &own {
            give(method, &mut subject, &mut raising, &self.interrupted)?;
        }
        let named = NamedSubject { name: self.named.name.clone(), subject };
        background::run(py, &signals, tell, || evaluation::run(&named, &settings, &out, how, audit, &signals))
            .map_err(|error| raising.told(py, error))
    }
}
