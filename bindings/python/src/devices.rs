//! What devices there are.

use grease::DescribedDevice;
use pyo3::prelude::*;

use crate::errors::Failure;

/// All of this machine, each as JSON.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Vec<String>> {
    let all = py.detach(DescribedDevice::all);
    let lines = all.iter().map(serde_json::to_string).collect::<Result<_, _>>();
    Ok(lines.map_err(Failure::from)?)
}
