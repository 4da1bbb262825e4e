//! A method written in Python.
//!
//! It runs on a thread of its own, which holds the interpreter; what it asks goes to the thread that searches, which does not. So native work
//! never waits for the interpreter, whatever it is that a method asks.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use grease::Subject;
use grease::explain::{About, Ask, GivenMethod, ItemStanding, MethodName, Scope, Unproposed};
use grease::graph::{Catalogue, Edge, ScoreError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use serde::Serialize;

use crate::background::LOOK_UP;
use crate::errors::{Failure, MethodError, OutOfBudgetError, RecommenderError};

/// Runs the `_OwnMethod` of the Python half, which knows how to run the object behind it.
pub(crate) struct PythonMethod {
    name: MethodName,
    version: String,
    asks_singles: bool,
    bridge: Py<PyAny>,
    users: Catalogue,
    items: Catalogue,
    interrupted: Arc<AtomicBool>,
    /// What it raised, by what is said of it: told again where the explanation ends in that.
    raised: Mutex<Vec<(String, PyErr)>>,
}

/// Sets of edges, by their places among those that may be cited, and where the answer goes: with the questions left.
struct Question {
    sets: Vec<Vec<usize>>,
    reply: Sender<(Result<Vec<ItemStanding>, Unproposed>, usize)>,
}

/// What a method asks with. It leads nowhere once the method has proposed, whoever keeps it.
#[pyclass(frozen, module = "grease._native")]
struct Asking {
    questions: Weak<Sender<Question>>,
    left: AtomicUsize,
}

#[pymethods]
impl Asking {
    /// Score, rank, margin and gain with each set cited, and whether it holds.
    #[allow(clippy::type_complexity, reason = "the Python half gives it names")]
    fn ask(
        &self,
        py: Python<'_>,
        sets: Vec<Vec<usize>>,
    ) -> PyResult<Vec<(f32, Option<usize>, f32, f32, bool)>> {
        let over =
            || MethodError::new_err("this was asked after the method had proposed: nobody answers any more");
        let answered = py.detach(|| {
            let (reply, answer) = channel();
            self.questions.upgrade()?.send(Question { sets, reply }).ok()?;
            answer.recv().ok()
        });
        let (standings, left) = answered.ok_or_else(over)?;
        self.left.store(left, Ordering::SeqCst);
        match standings {
            Ok(standings) => {
                Ok(standings.iter().map(|s| (s.score, s.rank, s.margin, s.gain, s.holds)).collect())
            }
            Err(Unproposed::Score(ScoreError::Cancelled)) => Err(PyKeyboardInterrupt::new_err(())),
            Err(Unproposed::Score(error)) => Err(RecommenderError::new_err(error.to_string())),
            Err(error @ Unproposed::OutOfBudget { .. }) => Err(OutOfBudgetError::new_err(error.to_string())),
            Err(Unproposed::Failed(said)) => Err(MethodError::new_err(said)),
        }
    }

    /// Questions left.
    fn left(&self) -> usize {
        self.left.load(Ordering::SeqCst)
    }
}

impl PythonMethod {
    pub(crate) fn new(
        bridge: &Bound<'_, PyAny>,
        subject: &Subject,
        interrupted: Arc<AtomicBool>,
    ) -> PyResult<Self> {
        let name: String = bridge.getattr("name")?.extract()?;
        Ok(Self {
            name: name.parse().map_err(Failure::usage)?,
            version: bridge.getattr("version")?.extract()?,
            asks_singles: bridge.getattr("asks_singles")?.extract()?,
            bridge: bridge.clone().unbind(),
            users: subject.data().users.clone(),
            items: subject.data().items.clone(),
            interrupted,
            raised: Mutex::default(),
        })
    }

    /// What it raised, where that is what is told; all else it raised is forgotten.
    pub(crate) fn take_raised(&self, told: &str) -> Option<PyErr> {
        let mut raised = std::mem::take(&mut *self.raised.lock().unwrap_or_else(PoisonError::into_inner));
        let at = raised.iter().position(|(said, _)| told.contains(said))?;
        Some(raised.swap_remove(at).1)
    }

    /// Places of edges, in order, as the Python half says them.
    fn call(&self, py: Python<'_>, about: &About<'_>, asking: Asking) -> PyResult<Vec<usize>> {
        let user = |row: u32| (row as usize != self.users.len()).then(|| self.users.id(row));
        let item = |row: u32| self.items.id(row);
        let history: Vec<&str> = about.who.history(about.graph).iter().map(|own| item(*own)).collect();
        let edges: Vec<(Option<&str>, &str)> =
            about.edges.iter().map(|edge| (user(edge.user.0), item(edge.item.0))).collect();
        let facts = (
            (user(about.user.0), item(about.item.0), about.k, word(about.goal)),
            (word(about.scope), word(about.change), about.scope == Scope::Own),
            (edges, history, about.max_edges, about.seed),
        );
        self.bridge.bind(py).call_method1("propose", (asking, facts.0, facts.1, facts.2))?.extract()
    }

    /// Answers what is asked until the method has proposed. One that computes for long hears of Ctrl-C, too.
    fn answer(&self, edges: &[Edge], questions: &Receiver<Question>, ask: &mut dyn Ask) {
        loop {
            match questions.recv_timeout(LOOK_UP) {
                Ok(Question { sets, reply }) => {
                    let edges_of = |set: &Vec<usize>| set.iter().map(|&at| edges[at]).collect::<Vec<_>>();
                    let standings = match self.interrupted.load(Ordering::SeqCst) {
                        true => Err(ScoreError::Cancelled.into()),
                        false => ask.ask(&sets.iter().map(edges_of).collect::<Vec<_>>()),
                    };
                    // Where nobody waits any more nobody needs to know.
                    let _ = reply.send((standings, ask.left()));
                }
                Err(RecvTimeoutError::Timeout) if self.interrupted.load(Ordering::SeqCst) => {
                    // Where it cannot be told, it ends by itself.
                    let _ = Python::attach(|py| self.bridge.bind(py).call_method0("interrupt").map(drop));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn unproposed(&self, error: PyErr) -> Unproposed {
        if self.interrupted.load(Ordering::SeqCst) {
            return ScoreError::Cancelled.into();
        }
        Python::attach(|py| {
            if error.is_instance_of::<OutOfBudgetError>(py) {
                return Unproposed::OutOfBudget { left: 0 };
            }
            let said = format!("failed: {error}");
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).push((said.clone(), error));
            Unproposed::Failed(said)
        })
    }
}

impl GivenMethod for PythonMethod {
    fn name(&self) -> MethodName {
        self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn asks_singles(&self) -> bool {
        self.asks_singles
    }

    fn propose(&self, about: &About<'_>, ask: &mut dyn Ask) -> Result<Vec<Edge>, Unproposed> {
        let (sender, questions) = channel();
        let sender = Arc::new(sender);
        let asking = Asking { questions: Arc::downgrade(&sender), left: AtomicUsize::new(ask.left()) };
        let proposed = std::thread::scope(|scope| {
            let python = scope.spawn(move || {
                // However it ends, nothing more can be asked then.
                let _sender = sender;
                Python::attach(|py| self.call(py, about, asking))
            });
            self.answer(about.edges, &questions, ask);
            python.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        let places = proposed.map_err(|error| self.unproposed(error))?;
        Ok(places.into_iter().map(|at| about.edges[at]).collect())
    }
}

/// As JSON has it.
fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a word: {other:?}"),
    }
}
