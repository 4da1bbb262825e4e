//! Of which run a finished file is: a table says it itself, lines have a file beside them that does.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use grease_graph::atomic::write_aside;
use grease_models::folder::hash_of_file;
use grease_tell::table::{TableFormat, run_of_table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What stands beside a file of lines.
#[derive(Serialize, Deserialize)]
struct Beside {
    /// All that the lines depend on.
    run: Value,
    /// Of the file: another that has its name now is of no known run.
    sha256: String,
}

fn beside(out: &Path) -> PathBuf {
    let mut name = OsString::from(out);
    name.push(".run.json");
    name.into()
}

/// Says of which run the file is, where it does not do so itself. `aside` is where a temporary file may be left.
pub(super) fn sign(aside: &Path, out: &Path, format: TableFormat, run: &Value) -> io::Result<()> {
    if format == TableFormat::Parquet {
        return Ok(());
    }
    let said = Beside { run: run.clone(), sha256: hash_of_file(out)? };
    let text = serde_json::to_string_pretty(&said)?;
    write_aside(aside, &beside(out), |file| writeln!(file, "{text}"))
}

/// The run a finished file is of; `None` where that is not known.
pub(super) fn run_of(out: &Path, format: TableFormat) -> Option<Value> {
    if format == TableFormat::Parquet {
        return run_of_table(out).ok()?;
    }
    let text = std::fs::read(beside(out)).ok()?;
    let Beside { run, sha256 } = serde_json::from_slice(&text).ok()?;
    (hash_of_file(out).ok()? == sha256).then_some(run)
}
