//! The finished work of a long run, kept on disk so that nothing done is done twice.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use grease_graph::atomic::{sweep, write_atomically};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::line;
use crate::lock::{FolderLock, LockError};

/// What the run is; written once, before the first unit.
const SETTINGS: &str = "run.json";
/// What is done: a [`line`] of JSON a unit, in order.
pub(crate) const UNITS: &str = "units.jsonl";

/// A run's finished units, in order. Whatever ends the run, those that were appended are there when it is resumed. A unit is an
/// object in JSON.
///
/// ```
/// use grease::{Journal, Opening};
/// use serde_json::{Value, json};
///
/// # let place = tempfile::tempdir()?;
/// # let folder = place.path().join("numbers.run");
/// let settings = json!({ "numbers": 3 });
/// let mut journal = Journal::open(&folder, &settings, Opening::Fresh)?;
/// journal.append(&json!({ "name": "one" }))?;
/// drop(journal); // Perhaps the power failed.
///
/// let mut journal = Journal::open(&folder, &settings, Opening::Resume)?;
/// assert_eq!(journal.done(), 1);
/// journal.append(&json!({ "name": "two" }))?;
/// let units: Vec<Value> = journal.units()?.collect::<Result<_, _>>()?;
/// assert_eq!(units, [json!({ "name": "one" }), json!({ "name": "two" })]);
/// journal.remove()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    units: File,
    done: usize,
    /// Bytes of whole units.
    length: u64,
    /// Whether an append failed and left something behind the whole units that could not be cut off.
    torn: bool,
    /// Released when it is dropped.
    lock: FolderLock,
}

/// What to do about a run that may be in the folder already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// There must be none.
    Fresh,
    /// Go on with it; begin where there is none.
    Resume,
    /// Forget it and begin.
    Replace,
}

impl Opening {
    /// As whoever begins a run says it.
    pub fn said(resume: bool, force: bool) -> Self {
        match (resume, force) {
            (true, _) => Self::Resume,
            (false, true) => Self::Replace,
            (false, false) => Self::Fresh,
        }
    }
}

/// Why work cannot be kept or found again.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    /// A run is there already, and nobody said what to do with it.
    #[error("{} holds a run that was not finished", .0.display())]
    Exists(PathBuf),
    /// Two would write to the same files.
    #[error("another run is using {}", .0.display())]
    InUse(PathBuf),
    /// What is to be resumed is another run.
    #[error("the run in {} was begun with other settings: {key} was {was} and is now {now}", folder.display())]
    Differs {
        folder: PathBuf,
        /// The first setting that differs, with dots between the levels.
        key: String,
        /// Its value when the run was begun, as JSON; "absent" where it had none.
        was: String,
        now: String,
    },
    /// Somebody else has been at the file.
    #[error("{}, line {line}: {error}", file.display())]
    Damaged {
        file: PathBuf,
        /// From 1.
        line: usize,
        error: String,
    },
    /// What was to be kept has no form in JSON, or is no object there.
    #[error("what was done cannot be written down: {0}")]
    Unwritable(String),
}

impl Journal {
    /// Opens the run in `folder`, which is created. `settings` says what the run is, by all that its units depend on:
    /// a run can be resumed with the same only.
    pub fn open(folder: &Path, settings: &Value, how: Opening) -> Result<Self, JournalError> {
        let lock = lock(folder)?;
        let begun = if Self::exists(folder) { Some(read_settings(folder)?) } else { None };
        let resumed = match (begun, how) {
            (Some(_), Opening::Fresh) => return Err(JournalError::Exists(folder.to_owned())),
            (Some(begun), Opening::Resume) => {
                same(folder, &begun, settings)?;
                true
            }
            _ => false,
        };
        let path = folder.join(UNITS);
        let units = OpenOptions::new().create(true).append(true).open(&path).map_err(at(&path))?;
        let (done, length) = if resumed { whole_units(&path)? } else { (0, 0) };
        units.set_len(length).and_then(|()| units.sync_all()).map_err(at(&path))?;
        if !resumed {
            // Last, and with the folder brought to the disk: with it the run is there.
            let path = folder.join(SETTINGS);
            write_atomically(&path, |out| writeln!(out, "{settings:#}")).map_err(at(&path))?;
            let around = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
            sync_folder(around.unwrap_or(Path::new(".")));
        }
        Ok(Self { folder: folder.to_owned(), units, done, length, torn: false, lock })
    }

    /// Whether there is a run in `folder` that was not finished.
    pub fn exists(folder: &Path) -> bool {
        // The units come first and go first: settings alone are what is left of one that was.
        folder.join(SETTINGS).exists() && folder.join(UNITS).exists()
    }

    /// Units on disk.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Appends one unit: it is on the disk, whole, when this returns.
    pub fn append<T: Serialize>(&mut self, unit: &T) -> Result<(), JournalError> {
        let line = line::write(unit).map_err(JournalError::Unwritable)?;
        let path = self.folder.join(UNITS);
        if self.torn {
            self.cut().map_err(at(&path))?;
        }
        if let Err(error) = self.units.write_all(&line).and_then(|()| self.units.sync_data()) {
            // Half a line, perhaps: whoever tries again must not write behind it.
            self.torn = true;
            let _ = self.cut();
            return Err(at(&path)(error));
        }
        self.done += 1;
        self.length += line.len() as u64;
        Ok(())
    }

    fn cut(&mut self) -> io::Result<()> {
        self.units.set_len(self.length)?;
        self.torn = false;
        Ok(())
    }

    /// The units that are on disk now, in order, one in memory at a time.
    pub fn units<T: DeserializeOwned>(&self) -> Result<Units<T>, JournalError> {
        let path = self.folder.join(UNITS);
        let file = File::open(&path).map_err(at(&path))?;
        Ok(Units { path, lines: BufReader::new(file), line: 0, left: self.done, unit: PhantomData })
    }

    /// Removes the run's own files and, where nothing else is in it, the folder.
    pub fn remove(self) -> Result<(), JournalError> {
        let Self { folder, units, lock, .. } = self;
        drop(units);
        clear(&folder, lock)
    }

    /// Clears away what is left of a run that was ended while it removed its files, so that only its result is there.
    pub fn sweep(folder: &Path) -> Result<(), JournalError> {
        if !folder.is_dir() || folder.join(UNITS).exists() {
            return Ok(());
        }
        clear(folder, lock(folder)?)
    }
}

/// Units being read, see [`Journal::units`].
#[derive(Debug)]
pub struct Units<T> {
    path: PathBuf,
    lines: BufReader<File>,
    line: usize,
    left: usize,
    unit: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Iterator for Units<T> {
    type Item = Result<T, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        self.line += 1;
        let mut bytes = Vec::new();
        let read = self.lines.read_until(b'\n', &mut bytes).map_err(at(&self.path));
        let unit = read.and_then(|_| parse(&self.path, self.line, &mut bytes));
        if unit.is_err() {
            self.left = 0;
        }
        Some(unit)
    }
}

/// Says which file it was.
fn at(path: &Path) -> impl Fn(io::Error) -> JournalError + '_ {
    |error| JournalError::Io { path: path.to_owned(), error }
}

fn lock(folder: &Path) -> Result<FolderLock, JournalError> {
    FolderLock::take(folder).map_err(|error| match error {
        LockError::InUse => JournalError::InUse(folder.to_owned()),
        LockError::Io { path, error } => JournalError::Io { path, error },
    })
}

fn read_settings(folder: &Path) -> Result<Value, JournalError> {
    let path = folder.join(SETTINGS);
    let text = std::fs::read(&path).map_err(at(&path))?;
    serde_json::from_slice(&text).map_err(|error| JournalError::Damaged {
        file: path,
        line: error.line(),
        error: error.to_string(),
    })
}

fn parse<T: DeserializeOwned>(path: &Path, line: usize, bytes: &mut Vec<u8>) -> Result<T, JournalError> {
    let damaged = |error| JournalError::Damaged { file: path.to_owned(), line, error };
    line::open(bytes).map_err(damaged)?;
    serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))
}

/// How many units there are, and where the last ends. A last line that was cut off, or that never reached the disk
/// although its place did, was not finished: it does not count. Anything else that is no unit is damage.
fn whole_units(path: &Path) -> Result<(usize, u64), JournalError> {
    whole_units_of(path, BufReader::with_capacity(1 << 16, File::open(path).map_err(at(path))?))
}

fn whole_units_of(path: &Path, mut lines: impl BufRead) -> Result<(usize, u64), JournalError> {
    let (mut done, mut length) = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        lines.read_until(b'\n', &mut line).map_err(at(path))?;
        if !line.ends_with(b"\n") {
            return Ok((done, length));
        }
        let bytes = line.len() as u64;
        let unit = parse::<IgnoredAny>(path, done + 1, &mut line);
        if let Err(error) = unit {
            let last = lines.fill_buf().map_err(at(path))?.is_empty();
            return if last { Ok((done, length)) } else { Err(error) };
        }
        done += 1;
        length += bytes;
    }
}

/// An error that names the first difference, if there is one.
pub(super) fn same(folder: &Path, was: &Value, now: &Value) -> Result<(), JournalError> {
    match difference(was, now, "") {
        None => Ok(()),
        Some((key, was, now)) => Err(JournalError::Differs { folder: folder.to_owned(), key, was, now }),
    }
}

/// The first setting that differs: its name and both values.
pub(crate) fn difference(was: &Value, now: &Value, within: &str) -> Option<(String, String, String)> {
    if let (Value::Object(was), Value::Object(now)) = (was, now) {
        let added = now.keys().filter(|key| !was.contains_key(*key));
        return was.keys().chain(added).find_map(|key| {
            let name = if within.is_empty() { key.clone() } else { format!("{within}.{key}") };
            match (was.get(key), now.get(key)) {
                (Some(was), Some(now)) => difference(was, now, &name),
                (was, now) => Some((name, shown(was), shown(now))),
            }
        });
    }
    (was != now).then(|| (within.to_owned(), shown(Some(was)), shown(Some(now))))
}

/// A value in a message: long ones are cut.
fn shown(value: Option<&Value>) -> String {
    const LONGEST: usize = 80;
    let Some(value) = value else { return "absent".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Removes a run's files, units first: see [`Journal::exists`].
fn clear(folder: &Path, lock: FolderLock) -> Result<(), JournalError> {
    remove_if_there(&folder.join(UNITS))?;
    // What a run that was killed while it wrote a file atomically has left.
    sweep(folder).map_err(at(folder))?;
    remove_if_there(&folder.join(SETTINGS))?;
    drop(lock);
    match std::fs::remove_dir(folder) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound) => {
            Err(at(folder)(error))
        }
        _ => Ok(()),
    }
}

fn remove_if_there(path: &Path) -> Result<(), JournalError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Names are safe on the disk once their folder is. Not every system lets a folder be opened.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// The whole units of a journal's bytes, as `T`: for the fuzzer.
#[cfg(fuzzing)]
pub(super) fn units_of<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, JournalError> {
    let path = Path::new(UNITS);
    let (done, length) = whole_units_of(path, bytes)?;
    let lines = bytes[..length as usize].split_inclusive(|byte| *byte == b'\n').take(done);
    lines.zip(1..).map(|(line, number)| parse(path, number, &mut line.to_vec())).collect()
}

#[cfg(test)]
mod tests;
