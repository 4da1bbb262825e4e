//! A Python object as a recommender.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use grease::graph::{
    Abilities, Access, Edge, Edit, Embeddings, Graph, Profile, Recommender, ScoreError, UserId,
    check_abilities, check_frozen, check_request,
};
use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Asks the `_Bridge` of the Python half, which knows how to ask the object behind it.
pub(crate) struct PythonRecommender {
    graph: Graph,
    bridge: Py<PyAny>,
    abilities: Abilities,
    frozen: bool,
    embeddings: Option<(Vec<f32>, Vec<f32>, usize)>,
    interrupted: Arc<AtomicBool>,
    /// What it raised last: told again where the explanation ends in that error.
    raised: Mutex<Option<PyErr>>,
}

impl PythonRecommender {
    pub(crate) fn new(
        graph: Graph,
        bridge: &Bound<'_, PyAny>,
        abilities: (bool, bool, bool),
        frozen: bool,
        embeddings: Option<(PyReadonlyArray2<'_, f32>, PyReadonlyArray2<'_, f32>)>,
        interrupted: Arc<AtomicBool>,
    ) -> PyResult<Self> {
        let (neutral, newcomers, others) = abilities;
        let embeddings = match embeddings {
            Some((users, items)) => {
                let width = users.shape()[1];
                Some((users.as_slice()?.to_vec(), items.as_slice()?.to_vec(), width))
            }
            None => None,
        };
        Ok(Self {
            graph,
            bridge: bridge.clone().unbind(),
            abilities: if frozen { Abilities::NONE } else { Abilities { neutral, newcomers, others } },
            frozen,
            embeddings,
            interrupted,
            raised: Mutex::new(None),
        })
    }

    /// What it raised since it was last asked this.
    pub(crate) fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn ask(
        &self,
        py: Python<'_>,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> PyResult<Result<(), ScoreError>> {
        let flat = |edges: &[Edge]| {
            PyArray1::from_iter(py, edges.iter().flat_map(|e| [i64::from(e.user.0), i64::from(e.item.0)]))
        };
        let edits = edits.iter().map(|edit| (flat(edit.removed()), flat(edit.added())));
        let edits = PyList::new(py, edits)?;
        let neutral = profile == Profile::Neutral || user == self.graph.newcomer();
        let answer = self.bridge.bind(py).call_method1("score", (user.0, neutral, edits))?;
        let scores: PyReadonlyArray2<'_, f32> = answer.extract()?;
        let scores = scores.as_slice()?;
        if scores.len() != out.len() {
            let said = format!("{} scores where {} are needed", scores.len(), out.len());
            return Ok(Err(ScoreError::Failed(said)));
        }
        if let Some(at) = scores.iter().position(|score| !score.is_finite()) {
            let said = format!(
                "the score of item row {} is {}, which is not a finite number",
                at % self.graph.items().max(1),
                scores[at]
            );
            return Ok(Err(ScoreError::Failed(said)));
        }
        out.copy_from_slice(scores);
        Ok(Ok(()))
    }
}

impl Recommender for PythonRecommender {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_request(&self.graph, user, edits, out)?;
        if self.frozen {
            check_frozen(&self.graph, user, profile, edits)?;
        }
        check_abilities(self.abilities, &self.graph, user, profile, edits)?;
        if edits.is_empty() {
            return Ok(());
        }
        if self.interrupted.load(Ordering::SeqCst) {
            return Err(ScoreError::Cancelled);
        }
        Python::attach(|py| {
            self.ask(py, user, profile, edits, out).unwrap_or_else(|error| {
                let said = error.value(py).to_string();
                let said = if said.is_empty() { error.get_type(py).to_string() } else { said };
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(ScoreError::Failed(said))
            })
        })
    }

    fn access(&self) -> Access {
        if self.frozen { Access::Frozen } else { Access::Queryable }
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        self.embeddings.as_ref().map(|(users, items, width)| Embeddings { users, items, width: *width })
    }
}
