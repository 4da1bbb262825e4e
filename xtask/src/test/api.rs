//! The API of `grease serve` against its own description: schemathesis asks all it allows, and much that it does not.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::counts::Counts;
use super::{command_line, heading, is_ci};
use crate::failure::Failure;
use crate::process;
use crate::python::{self, API};

/// Training the demo's model takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// What must hold of every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,negative_data_rejection,unsupported_method";

pub(super) fn step(counts: &mut Counts) -> Result<(), Failure> {
    if python::system().is_none() && !is_ci() {
        heading("api: skipped");
        println!(
            "skipped: no Python 3.10 or later found; install python3 with its venv module to test the API against its description"
        );
        counts.skipped += 1;
        return Ok(());
    }
    heading("api (schemathesis)");
    let python = API.interpreter()?;
    let server = Server::start(&command_line()?)?;
    let here = process::workspace_root().join("xtask/src/test");
    let folder = process::workspace_root().join("target/api");
    std::fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let mut schemathesis = Command::new(python.with_file_name("schemathesis"));
    schemathesis
        .arg("--config-file")
        .arg(here.join("api.toml"))
        .arg("run")
        .arg(format!("{}/openapi.json", server.address))
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

/// The demo, served; ended with this.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(command_line: &Path) -> Result<Self, Failure> {
        let mut command = Command::new(command_line);
        command.args(["demo", "--serve", "--port", "0"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            Failure::work(format!("could not run `{}`: {error}", process::shown(&command)))
        })?;
        let said = child.stderr.take();
        let mut server = Self { child, address: String::new() };
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            // To the end, as a full pipe would halt it.
            for line in said.into_iter().flat_map(|said| BufReader::new(said).lines()).map_while(Result::ok) {
                match line.split_once("listening at ") {
                    Some((_, address)) => drop(tell.send(address.trim().to_owned())),
                    None => eprintln!("{line}"),
                }
            }
        });
        server.address = told.recv_timeout(PATIENCE).map_err(|_| {
            Failure::work(format!("`{}` did not say where it listens", process::shown(&command)))
        })?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
