//! Explaining lists, asking what if, and checking stored explanations again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use grease::explain::Task;
use grease::graph::{Edit, Profile, Recommender, ScoreError, UserId};
use grease::models::folder::Dataset;
use grease::oracle::{Address, Meter, Oracle, OracleOptions, Token, Voice};
use grease::{
    Asked, Candidates, Foreign, Listed, NamedWhatIf, Record, Row, SearchRequest, Subject, Verifier, Who,
    find_items, find_who, in_order, recommend, what_if,
};
use grease_evaluate::NamedSubject;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::background::{self, Signals};
use crate::black_box::PythonRecommender;
use crate::errors::Failure;
use crate::evaluation;
use crate::interactions::Interactions;
use crate::model::Model;
use crate::telling::{PlainWords, words};

/// What is explained and what tells it to stop answering.
pub(crate) struct Held {
    pub(crate) named: NamedSubject,
    /// Where the recommender is a Python object: it keeps what it raised.
    python: Option<Arc<PythonRecommender>>,
    recommender: Arc<Interruptible>,
}

/// Passes everything on, until it is interrupted.
struct Interruptible {
    inner: Arc<dyn Recommender>,
    interrupted: Arc<AtomicBool>,
}

/// Explains lists of one recommender.
#[pyclass(frozen, module = "grease._native")]
pub(crate) struct Explainer {
    held: Held,
    /// It keeps what it learns about the recommender.
    explaining: grease::explain::Explainer,
    /// Where the recommender is an oracle: what asking it took.
    meter: Option<Arc<Meter>>,
}

impl Held {
    fn data(&self) -> &Dataset {
        self.named.subject.data()
    }

    pub(crate) fn signals(&self) -> Signals {
        Signals::with_flag(&self.recommender.interrupted)
    }

    fn who(&self, user: Option<&str>, history: Option<&[String]>) -> Result<Who, Failure> {
        Ok(find_who(self.data(), user, history)?)
    }

    /// The error, with what the Python object raised as its cause.
    fn with_cause(&self, py: Python<'_>, error: PyErr) -> PyErr {
        if let Some(cause) = self.python.as_ref().and_then(|python| python.take_raised()) {
            error.set_cause(py, Some(cause));
        }
        error
    }
}

impl Recommender for Interruptible {
    grease::graph::as_it_is!(self => self.inner);

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        if self.interrupted.load(Ordering::SeqCst) {
            return Err(ScoreError::Cancelled);
        }
        self.inner.score(user, profile, edits, out)
    }
}

impl Explainer {
    fn new(
        mut subject: Subject,
        python: Option<(Arc<PythonRecommender>, Arc<AtomicBool>)>,
        name: String,
        method: &str,
        plain: Option<PlainWords>,
    ) -> PyResult<Self> {
        let method = method.parse().map_err(Failure::usage)?;
        if let Some(plain) = plain {
            subject.data_mut().words = words(plain);
        }
        let (python, interrupted) = python.unzip();
        let interrupted = interrupted.unwrap_or_default();
        let recommender = Arc::new(Interruptible { inner: subject.shared(), interrupted });
        let explaining = grease::explain::Explainer::new(recommender.clone(), method);
        let held = Held { named: NamedSubject { name, subject }, python, recommender };
        Ok(Self { held, explaining, meter: None })
    }

    fn held(&self) -> &Held {
        &self.held
    }

    fn records(&self, asked: &Asked, show_user_ids: bool) -> Result<Vec<Record>, Failure> {
        let subject = &self.held().named.subject;
        Ok(asked.records(&self.explaining, subject, show_user_ids)?)
    }

    /// In the background, with what was raised as the cause of what went wrong.
    fn work<R: Send>(
        &self,
        py: Python<'_>,
        signals: &Signals,
        tell: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce() -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        background::run(py, signals, tell, work).map_err(|error| self.held().with_cause(py, error))
    }
}

fn request(text: &str) -> Result<SearchRequest, Failure> {
    Ok(serde_json::from_str(text)?)
}

fn lines<T: serde::Serialize>(records: &[T]) -> Result<Vec<String>, Failure> {
    Ok(records.iter().map(serde_json::to_string).collect::<Result<_, _>>()?)
}

#[pymethods]
impl Explainer {
    /// Of a model of ours.
    #[staticmethod]
    fn of_model(model: &Model, name: String, method: &str, words: Option<PlainWords>) -> PyResult<Self> {
        Self::new(Subject::Folder(Arc::clone(&model.folder)), None, name, method, words)
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
        method: &str,
        words: Option<PlainWords>,
    ) -> PyResult<Self> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        let graph = interactions.graph()?;
        let recommender =
            Arc::new(PythonRecommender::new(graph, bridge, abilities, frozen, embeddings, flag)?);
        let data = Dataset {
            users: interactions.data.users.clone(),
            items: interactions.data.items.clone(),
            train: interactions.data.edges.clone(),
            test: Vec::new(),
            valid: Vec::new(),
            words: interactions.data.words.clone(),
        };
        let foreign = Foreign::new(data, recommender.clone(), "python", identity.iter().map(String::as_str));
        Self::new(foreign.into(), Some((recommender, interrupted)), name, method, words)
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
        method: &str,
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
        let (meter, foreign) = background::run(py, &Signals::default(), None, || {
            let oracle = Oracle::open(&address, &data, options)?;
            Ok((oracle.meter(), Foreign::oracle(oracle, &data)))
        })?;
        let name = name.unwrap_or_else(|| meter.report().name);
        let mut made = Self::new(foreign.into(), None, name, method, words)?;
        made.meter = Some(meter);
        Ok(made)
    }

    /// What asking an oracle took so far, as JSON; none where it is none.
    fn oracle_report(&self) -> PyResult<Option<String>> {
        let report = self.meter.as_ref().map(|meter| serde_json::to_string(&meter.report()));
        Ok(report.transpose().map_err(Failure::from)?)
    }

    /// How to speak about the data.
    fn words(&self) -> PlainWords {
        let words = self.held().data().words.clone();
        (words.person, words.did, words.item, words.items)
    }

    /// Ids of the users with a history, in order of rows.
    fn people(&self) -> Vec<String> {
        let (users, graph) = (&self.held().data().users, self.held().recommender.graph());
        let with_history = |row: &u32| !graph.items_of(UserId(*row)).is_empty();
        (0..users.len() as u32).filter(with_history).map(|row| users.id(row).to_owned()).collect()
    }

    /// The list of one person, as (item, title, score).
    fn recommend(
        &self,
        py: Python<'_>,
        user: Option<String>,
        history: Option<Vec<String>>,
        k: usize,
    ) -> PyResult<Vec<(String, Option<String>, f32)>> {
        let held = self.held();
        let who = held.who(user.as_deref(), history.as_deref())?;
        let listed = self.work(py, &held.signals(), None, || {
            Ok(recommend(&held.recommender, &who, k, &Candidates::default())?)
        })?;
        let items = &held.data().items;
        let named = |listed: &Listed| {
            let row = listed.item.0;
            (items.id(row).to_owned(), items.title(row).map(str::to_owned), listed.score)
        };
        Ok(listed.iter().map(named).collect())
    }

    /// Explanations of one person's list, or of these items of it, as lines of JSON.
    fn explain(
        &self,
        py: Python<'_>,
        user: Option<String>,
        history: Option<Vec<String>>,
        items: Option<Vec<String>>,
        asked: &str,
        show_user_ids: bool,
    ) -> PyResult<Vec<String>> {
        let (held, asked) = (self.held(), request(asked)?);
        let who = held.who(user.as_deref(), history.as_deref())?;
        let asked = Asked::new(asked, who, items.as_deref(), held.data()).map_err(Failure::from)?;
        self.work(py, &held.signals(), None, || lines(&self.records(&asked, show_user_ids)?))
    }

    /// Explanations of many people's lists, in their order, as lines of JSON. Who cannot be explained anything has a line that says why.
    fn explain_many(
        &self,
        py: Python<'_>,
        users: Vec<String>,
        asked: &str,
        show_user_ids: bool,
        tell: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let (held, asked) = (self.held(), request(asked)?);
        let nobody = Who::Newcomer(Vec::new());
        let asked = Asked::new(asked, nobody, None, held.data()).map_err(Failure::from)?;
        self.explaining.check(&asked.task, &asked.items, &asked.goals).map_err(Failure::from)?;
        let signals = held.signals();
        signals.expect(users.len());
        self.work(py, &signals, tell, || {
            let explain = |user: &String| -> Result<Vec<Record>, Failure> {
                let task = Task { who: held.who(Some(user), None)?, ..asked.task.clone() };
                self.records(&Asked { task, ..asked.clone() }, show_user_ids)
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
                    match explained {
                        Ok(records) => out.extend(lines(&records)?),
                        // Of one person it is their answer; a recommender that fails fails everybody.
                        Err(Failure::Unknown(error) | Failure::Usage(error)) => {
                            out.extend(lines(&[Row::Failure { user: user.clone(), error }])?);
                        }
                        Err(failure) => return Err(failure),
                    }
                    done += 1;
                    signals.progress(done);
                    Ok(())
                },
            )?;
            Ok(out)
        })
    }

    /// The lists with and without a change of one person's history, as JSON.
    fn what_if(
        &self,
        py: Python<'_>,
        user: Option<String>,
        history: Option<Vec<String>>,
        remove: Vec<String>,
        add: Vec<String>,
        k: usize,
    ) -> PyResult<String> {
        let held = self.held();
        let who = held.who(user.as_deref(), history.as_deref())?;
        let items = |names: &[String]| find_items(held.data(), names).map_err(Failure::from);
        let (remove, add) = (items(&remove)?, items(&add)?);
        self.work(py, &held.signals(), None, || {
            let imagined = what_if(&held.recommender, &who, &remove, &add, k, &Candidates::default());
            let imagined = imagined.map_err(|error| Failure::what_if(error, &held.data().items))?;
            Ok(serde_json::to_string(&NamedWhatIf::new(&imagined, &held.data().items))?)
        })
    }

    /// What asking the recommender again makes of stored explanations: a word and a sentence each.
    fn verify(&self, py: Python<'_>, records: Vec<String>) -> PyResult<Vec<(String, String)>> {
        let held = self.held();
        let records: Vec<Record> = records
            .iter()
            .map(|line| serde_json::from_str(line))
            .collect::<Result<_, _>>()
            .map_err(Failure::from)?;
        self.work(py, &held.signals(), None, || {
            let candidates = Candidates::default();
            let verifier = Verifier::new(&held.named.subject, &candidates);
            let verdict = |record: &Record| -> Result<(String, String), Failure> {
                let verdict = verifier.verify(record)?;
                Ok((verdict.word().to_owned(), verdict.to_string()))
            };
            records.iter().map(verdict).collect()
        })
    }

    /// Evaluates methods on this recommender into a folder; the results as JSON.
    fn evaluate(
        &self,
        py: Python<'_>,
        settings: &str,
        out: std::path::PathBuf,
        how: &str,
        audit_people: Option<usize>,
        tell: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let held = self.held();
        let settings = evaluation::settings(settings)?;
        let signals = held.signals();
        self.work(py, &signals, tell, || {
            evaluation::run(&held.named, &settings, &out, how, audit_people, &signals)
        })
    }
}
