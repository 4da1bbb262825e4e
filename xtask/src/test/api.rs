//! The API of `grease serve` against its own description: schemathesis asks all it allows, and much that it does not.

use std::process::Command;

use super::counts::Counts;
use super::{heading, without_python};
use crate::failure::Failure;
use crate::process::{self, command_line};
use crate::python::API;
use crate::served::Served;

/// What must hold of every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,negative_data_rejection,unsupported_method";

pub(super) fn step(counts: &mut Counts) -> Result<(), Failure> {
    if without_python("api", "test the API against its description", counts) {
        return Ok(());
    }
    heading("api (schemathesis)");
    let python = API.interpreter()?;
    let server = Served::start(Command::new(command_line()?).args(["demo", "--serve", "--port", "0"]))?;
    let here = process::workspace_root().join("xtask/src/test");
    let folder = process::workspace_root().join("target/api");
    std::fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let mut schemathesis = Command::new(python.with_file_name("schemathesis"));
    schemathesis
        .arg("--config-file")
        .arg(here.join("api.toml"))
        .arg("run")
        .arg(format!("http://{}/openapi.json", server.address))
        .args(["--checks", CHECKS, "--max-examples", "100", "--seed", "1", "--workers", "2"])
        .args(["--generation-database", "none", "--request-timeout", "60"])
        .env("SCHEMATHESIS_HOOKS", "known_names")
        .env("PYTHONPATH", here)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // It leaves notes where it runs.
        .current_dir(folder);
    let result = process::succeed(&mut schemathesis);
    // However many questions it asks: one test.
    match result {
        Ok(()) => counts.passed += 1,
        Err(_) => counts.failed += 1,
    }
    result
}
