//! The parts of a job, joined: the same file as if it had never been parted.

use std::io;
use std::path::{Path, PathBuf};

use grease_graph::atomic::write_or_stream;
use serde_json::Value;

use super::journal::difference;
use super::settings::{PEOPLE, SHARD, sort_of};
use super::{Shard, Summary};
use grease_tell::table::{
    Place, Row, Sort, TableError, TableFormat, TableReader, TableRow, TableWriter, run_of_table,
};

/// Why parts do not make a whole.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A part could not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A table of something else, or a whole one.
    #[error("{} is not a part of a job: {why}", path.display())]
    NoPart { path: PathBuf, why: &'static str },
    /// Parts of two jobs.
    #[error(
        "{} and {} are not of the same job: {key} is {first_value} in the first and {value} in the second",
        first.display(), path.display()
    )]
    Differs {
        first: PathBuf,
        /// One that does not belong to it.
        path: PathBuf,
        key: String,
        first_value: String,
        value: String,
    },
    /// The same part under two names.
    #[error("{} and {} are the same part, {shard}", first.display(), path.display())]
    Twice { first: PathBuf, path: PathBuf, shard: Shard },
    /// Not all parts are there.
    #[error("the job has {parts} parts, and {} not given", missing_parts(missing, *parts))]
    Missing {
        parts: usize,
        /// Those not given, from 1.
        missing: Vec<usize>,
    },
    /// What is said to be a run is none.
    #[error("{} is not what a run is: {why}", path.display())]
    NoRun { path: PathBuf, why: String },
    /// The people given are not those of the run.
    #[error("these are not the people of the run: {key} is {run} there, and {given} here")]
    OtherPeople { key: String, run: String, given: String },
    /// A row of another run.
    #[error("{}: {user} has a row of another run: {key} is {row}, expected {run}", path.display())]
    OtherRun { path: PathBuf, user: String, key: &'static str, row: String, run: String },
    /// Rows of somebody nobody asked about.
    #[error("{}: there are rows about '{user}', who is not among the people", path.display())]
    Stranger { path: PathBuf, user: String },
    /// Two answers where there can be one.
    #[error("the parts have two different answers for {user}: {what}")]
    Disagree { user: String, what: String },
    /// Not everybody has a row.
    #[error("{count} of {people} people have no row, the first is '{first}'")]
    Absent { count: usize, people: usize, first: String },
    /// The whole could not be written.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

impl From<io::Error> for MergeError {
    /// Of the file being written, which is named where it is known.
    fn from(error: io::Error) -> Self {
        Self::Io { path: PathBuf::new(), error }
    }
}

fn missing_parts(missing: &[usize], parts: usize) -> String {
    const NAMED: usize = 8;
    let mut names: Vec<String> = missing.iter().take(NAMED).map(|part| format!("{part}/{parts}")).collect();
    if missing.len() > NAMED {
        names.push("…".to_owned());
    }
    format!("{} {}", names.join(", "), if missing.len() == 1 { "is" } else { "are" })
}

/// Joins the tables of all parts of a job, named in any order. Memory does not go with their size. Says what they were parts of. `out` may be a pipe or a device.
pub fn merge(parts: &[PathBuf], out: &Path, format: TableFormat) -> Result<(Sort, Summary), MergeError> {
    let (run, files) = in_order_of_parts(parts)?;
    match sort_of(&run) {
        Some(Sort::Lists) => join::<Place>(&run, &files, out, format),
        _ => join::<Row>(&run, &files, out, format),
    }
}

fn join<R: TableRow>(
    run: &Value,
    files: &[&PathBuf],
    out: &Path,
    format: TableFormat,
) -> Result<(Sort, Summary), MergeError> {
    write_table(run, out, format, |write| {
        for path in files {
            for row in TableReader::<R>::open(path)? {
                write(row?)?;
            }
        }
        Ok(())
    })
}

/// The table of a whole run, and what is in it.
pub(super) fn write_table<R: TableRow>(
    run: &Value,
    out: &Path,
    format: TableFormat,
    rows: impl FnOnce(&mut dyn FnMut(R) -> Result<(), MergeError>) -> Result<(), MergeError>,
) -> Result<(Sort, Summary), MergeError> {
    write_or_stream(out, |file| {
        let mut summary = Summary::default();
        let mut writer = TableWriter::new(file, format, run)?;
        rows(&mut |row: R| {
            summary.count(&row);
            Ok(writer.write(row)?)
        })?;
        writer.finish()?;
        summary.people = run[PEOPLE]["count"].as_u64().unwrap_or_default() as usize;
        Ok((R::SORT, summary))
    })
    .map_err(|error| match error {
        MergeError::Io { error, .. } => MergeError::Io { path: out.to_owned(), error },
        other => other,
    })
}

/// The whole run, and the files in the order of their parts.
fn in_order_of_parts(paths: &[PathBuf]) -> Result<(Value, Vec<&PathBuf>), MergeError> {
    let mut whole: Option<(Value, &PathBuf)> = None;
    let mut files: Vec<(Shard, &PathBuf)> = Vec::with_capacity(paths.len());
    for path in paths {
        let no_part = |why| MergeError::NoPart { path: path.clone(), why };
        let mut run = run_of_table(path)?.ok_or_else(|| no_part("it does not say of which run it is"))?;
        let shard = run.get_mut(SHARD).map(Value::take).unwrap_or_default();
        let shard: Shard =
            serde_json::from_value(shard).map_err(|_| no_part("it was made without `shard`"))?;
        match &whole {
            None => whole = Some((run, path)),
            Some((first_run, first)) => {
                let parts = files[0].0.parts();
                let differs = difference(first_run, &run, "").or_else(|| {
                    let differs = shard.parts() != parts;
                    differs.then(|| {
                        ("the number of parts".to_owned(), parts.to_string(), shard.parts().to_string())
                    })
                });
                if let Some((key, first_value, value)) = differs {
                    let (first, path) = ((*first).clone(), path.clone());
                    return Err(MergeError::Differs { first, path, key, first_value, value });
                }
            }
        }
        if let Some((_, first)) = files.iter().find(|(known, _)| *known == shard) {
            return Err(MergeError::Twice { first: (*first).clone(), path: path.clone(), shard });
        }
        files.push((shard, path));
    }
    files.sort_by_key(|(shard, _)| shard.number());
    let parts = files.first().map_or(1, |(shard, _)| shard.parts());
    let missing: Vec<usize> = (1..=parts)
        .filter(|part| files.iter().all(|(shard, _)| shard.number() != *part))
        .take(1_000)
        .collect();
    match whole {
        Some((run, _)) if missing.is_empty() => Ok((run, files.into_iter().map(|(_, path)| path).collect())),
        _ => Err(MergeError::Missing { parts, missing }),
    }
}
