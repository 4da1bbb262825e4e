//! Rows that engines wrote, in any order and any number of files: sorted into the file that one run would have written.
//!
//! Engines keep no order between people, and write nothing about the run. So the run and the people are given apart. Rows are dealt to
//! buckets on the disk, each of a stretch of the people, and sorted there one bucket at a time: memory does not go with their number.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use grease_tell::table::{Place, Row, Sort, TableFormat, TableReader, TableRow};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::journal::difference;
use super::merge::write_table;
use super::settings::{PEOPLE, SHARD, named, sort_of};
use super::{MergeError, Summary};

/// People of a bucket where there are not too many of them: their rows are in memory together.
const PEOPLE_A_BUCKET: usize = 1_024;
/// Files that are open at a time: systems allow a thousand or more.
const MOST_BUCKETS: usize = 512;

/// Which rows make which run.
#[derive(Debug, Clone, Copy)]
pub struct GatherRequest<'a> {
    /// What the run is: [`super::Run::settings`] without its people.
    pub run: &'a Path,
    /// Everybody, in the order of the run.
    pub people: &'a [String],
    /// Tables, and folders of tables.
    pub parts: &'a [PathBuf],
    /// A folder on the disk for what does not fit into memory; nothing is left there.
    pub aside: &'a Path,
    /// Whether people without a row are as they should be: whoever has an empty list has none.
    pub allow_absent: bool,
}

/// Sorts the rows of `request` into `out`. A person whose rows came twice, because an engine did a part again, is written once.
pub fn gather(
    request: &GatherRequest<'_>,
    out: &Path,
    format: TableFormat,
) -> Result<(Sort, Summary), MergeError> {
    let run = run_of(request)?;
    match sort_of(&run) {
        Some(Sort::Explanations) => sorted::<Row>(request, &run, out, format),
        Some(Sort::Lists) => sorted::<Place>(request, &run, out, format),
        None => {
            let why = "it has neither explanations nor lists".to_owned();
            Err(MergeError::NoRun { path: request.run.to_owned(), why })
        }
    }
}

/// The whole run, as it would have been stored: with its people.
fn run_of(request: &GatherRequest<'_>) -> Result<Value, MergeError> {
    let no_run = |why: String| MergeError::NoRun { path: request.run.to_owned(), why };
    let text =
        std::fs::read(request.run).map_err(|error| MergeError::Io { path: request.run.to_owned(), error })?;
    let mut run: Value = serde_json::from_slice(&text).map_err(|error| no_run(error.to_string()))?;
    if !run.is_object() {
        return Err(no_run("it is no object in JSON".to_owned()));
    }
    let people = named(request.people.iter().map(String::as_str));
    let said = run[PEOPLE].take();
    if !said.is_null()
        && let Some((key, run, given)) = difference(&said, &people, PEOPLE)
    {
        return Err(MergeError::OtherPeople { key, run, given });
    }
    run[PEOPLE] = people;
    run[SHARD] = Value::Null;
    Ok(run)
}

/// A row that can be sorted among those of the same person.
trait Sortable: TableRow + DeserializeOwned + PartialEq {
    /// Where it stands among them.
    fn order(&self, goals: &[Value]) -> (usize, usize);

    /// What it is about, in words.
    fn about(&self) -> String;

    /// What it says of its run.
    fn says(&self) -> Vec<(&'static str, Value)>;
}

impl Sortable for Row {
    fn order(&self, goals: &[Value]) -> (usize, usize) {
        self.record().map_or((0, 0), |record| {
            let goal = serde_json::to_value(record.goal).ok();
            let goal = goal.and_then(|goal| goals.iter().position(|known| *known == goal));
            (record.rank_before, goal.unwrap_or(goals.len()))
        })
    }

    fn about(&self) -> String {
        self.record().map_or_else(
            || self.error().unwrap_or_default().to_owned(),
            |record| format!("item {}, goal {:?}", record.item, record.goal),
        )
    }

    fn says(&self) -> Vec<(&'static str, Value)> {
        self.record().map_or_else(Vec::new, |record| {
            vec![
                ("model", record.model.as_str().into()),
                ("data", record.data.as_str().into()),
                ("method", record.method.as_str().into()),
                ("k", record.k.into()),
                ("seed", record.seed.into()),
            ]
        })
    }
}

impl Sortable for Place {
    fn order(&self, _: &[Value]) -> (usize, usize) {
        match self {
            Place::Failure { .. } => (0, 0),
            Place::Listed { rank, .. } => (*rank as usize, 0),
        }
    }

    fn about(&self) -> String {
        match self {
            Place::Failure { error, .. } => error.clone(),
            Place::Listed { rank, .. } => format!("rank {rank}"),
        }
    }

    fn says(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }
}

fn sorted<R: Sortable>(
    request: &GatherRequest<'_>,
    run: &Value,
    out: &Path,
    format: TableFormat,
) -> Result<(Sort, Summary), MergeError> {
    let people = request.people;
    let each = people.len().div_ceil(MOST_BUCKETS).max(PEOPLE_A_BUCKET);
    let folder = tempfile::Builder::new().prefix(".grease-merge-").tempdir_in(request.aside);
    let folder = folder.map_err(|error| MergeError::Io { path: request.aside.to_owned(), error })?;
    let bucket = |number: usize| folder.path().join(number.to_string());
    deal::<R>(request, run, each, &bucket)?;

    let goals = run["goals"].as_array().cloned().unwrap_or_default();
    let may_differ = run["alternatives"].as_u64().is_some_and(|more| more > 0);
    let (mut absent, mut first_absent) = (0, None);
    write_table(run, out, format, |write| {
        for (number, people) in people.chunks(each).enumerate() {
            let mut rows: Vec<Vec<R>> = people.iter().map(|_| Vec::new()).collect();
            for line in BufReader::new(File::open(bucket(number))?).lines() {
                let (at, row): (usize, R) = serde_json::from_str(&line?).map_err(std::io::Error::other)?;
                rows[at].push(row);
            }
            for (user, mut rows) in people.iter().zip(rows) {
                if rows.is_empty() {
                    absent += 1;
                    first_absent.get_or_insert_with(|| user.clone());
                }
                // Those of one item and goal stay in the order they came: an explanation before its alternatives.
                rows.sort_by_key(|row| row.order(&goals));
                once(&mut rows);
                let two = rows.windows(2).find(|two| two[0].order(&goals) == two[1].order(&goals));
                if let (Some(two), false) = (two, may_differ) {
                    return Err(MergeError::Disagree { user: user.clone(), what: two[1].about() });
                }
                rows.into_iter().try_for_each(&mut *write)?;
            }
        }
        match &first_absent {
            Some(first) if !request.allow_absent => {
                Err(MergeError::Absent { count: absent, people: request.people.len(), first: first.clone() })
            }
            _ => Ok(()),
        }
    })
}

/// Takes out rows that were there before: somebody was answered twice, in the same words.
fn once<R: PartialEq>(rows: &mut Vec<R>) {
    let mut at = 1;
    while at < rows.len() {
        if rows[..at].contains(&rows[at]) {
            rows.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Deals all rows to buckets of `each` people: a line a row, with the person's place in the bucket.
fn deal<R: Sortable>(
    request: &GatherRequest<'_>,
    run: &Value,
    each: usize,
    bucket: &dyn Fn(usize) -> PathBuf,
) -> Result<(), MergeError> {
    let places: HashMap<&str, usize> =
        request.people.iter().enumerate().map(|(at, user)| (user.as_str(), at)).collect();
    let mut buckets = (0..request.people.len().div_ceil(each))
        .map(|number| Ok(BufWriter::new(File::create(bucket(number))?)))
        .collect::<std::io::Result<Vec<_>>>()?;
    for path in tables(request.parts)? {
        for row in TableReader::<R>::open(&path)? {
            let row = row?;
            let user = row.user();
            let Some(&place) = places.get(user) else {
                return Err(MergeError::Stranger { path, user: user.to_owned() });
            };
            if let Some((key, says)) = row.says().into_iter().find(|(key, says)| run[key] != *says) {
                let (user, row, run) = (user.to_owned(), says.to_string(), run[key].to_string());
                return Err(MergeError::OtherRun { path, user, key, row, run });
            }
            let bucket = &mut buckets[place / each];
            serde_json::to_writer(&mut *bucket, &(place % each, &row)).map_err(std::io::Error::from)?;
            bucket.write_all(b"\n")?;
        }
    }
    buckets.into_iter().try_for_each(|mut bucket| bucket.flush())?;
    Ok(())
}

/// The tables named, and those in folders that were.
fn tables(parts: &[PathBuf]) -> Result<Vec<PathBuf>, MergeError> {
    let mut tables = Vec::new();
    for part in parts {
        let io = |error| MergeError::Io { path: part.clone(), error };
        if !part.is_dir() {
            tables.push(part.clone());
            continue;
        }
        let found = std::fs::read_dir(part).map_err(io)?.map(|entry| Ok(entry?.path()));
        let mut found: Vec<PathBuf> = found.collect::<std::io::Result<_>>().map_err(io)?;
        found.retain(|path| TableFormat::of(path) == Some(TableFormat::Parquet));
        if found.is_empty() {
            return Err(io(std::io::Error::new(
                std::io::ErrorKind::NotFound,
                "no table (.parquet) is in this folder",
            )));
        }
        found.sort();
        tables.extend(found);
    }
    Ok(tables)
}
