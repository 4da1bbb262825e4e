//! The native half of the Python package `grease`: data in, models, explanations out as the JSON everybody gets.
//!
//! Thin on purpose. What a Python user sees is written in Python (`python/grease/`); here is only what needs Rust. Whatever takes
//! time runs on a thread of its own with the interpreter released, while the calling thread listens for Ctrl-C and passes
//! progress on (`background`).

#![allow(
    clippy::needless_pass_by_value,
    reason = "what Python hands over is converted into values of our own"
)]

mod background;
mod black_box;
mod command;
mod devices;
mod errors;
mod evaluation;
mod explainer;
mod interactions;
mod interruptible;
mod model;
mod own_method;
mod raising;
mod rendering;
mod rows;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use super::PyModule;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::devices::devices;
    #[pymodule_export]
    use super::explainer::Explainer;
    #[pymodule_export]
    use super::interactions::Interactions;
    #[pymodule_export]
    use super::model::{Model, model_hash};
    #[pymodule_export]
    use super::rendering::{list_picture, page, picture, table, text};
    #[pymodule_export]
    use super::rows::{Rows, columns, ddl};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::errors::add(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
