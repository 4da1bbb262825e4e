//! The command line, for those who have it by the Python package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what the words say; the exit code. `called` is how `grease` is called in a shell.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, called: String, words: Vec<OsString>) -> u8 {
    py.detach(|| grease_cli::run(&called, words) as u8)
}
