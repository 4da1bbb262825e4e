//! What Python objects raise while native code asks them, told where their explanation ends.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::black_box::PythonRecommender;
use crate::own_method::PythonMethod;

/// The Python objects that may have raised what ended a piece of work.
#[derive(Clone, Default)]
pub(crate) struct Raising {
    pub(crate) recommender: Option<Arc<PythonRecommender>>,
    pub(crate) methods: Vec<Arc<PythonMethod>>,
}

impl Raising {
    /// What a method raised is told as it is; what a recommender raised is the cause of the error that it ended in.
    pub(crate) fn told(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let said = error.to_string();
        // All are asked: what is not told now never will be.
        let raised: Vec<PyErr> = self.methods.iter().filter_map(|method| method.take_raised(&said)).collect();
        if let Some(raised) = raised.into_iter().next() {
            return raised;
        }
        if let Some(cause) = self.recommender.as_ref().and_then(|python| python.take_raised()) {
            error.set_cause(py, Some(cause));
        }
        error
    }
}
