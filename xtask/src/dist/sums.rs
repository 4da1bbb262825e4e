//! SHA-256 of every package, as `sha256sum --check` reads them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;

const FILE: &str = "SHA256SUMS";

/// Sums of all that lies in the folder.
pub(super) fn write(folder: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).map_err(Failure::file(folder))?;
    let mut names: Vec<PathBuf> = entries.flatten().map(|entry| PathBuf::from(entry.file_name())).collect();
    names.retain(|name| name != Path::new(FILE));
    names.sort();
    let sums = process::output(Command::new("sha256sum").current_dir(folder).args(&names))?;
    let path = folder.join(FILE);
    fs::write(&path, sums).map_err(Failure::file(&path))
}

/// The sum of one file.
pub(super) fn of(path: &Path) -> Result<String, Failure> {
    let line = process::output(Command::new("sha256sum").arg(path))?;
    Ok(line.split_whitespace().next().unwrap_or_default().to_owned())
}

/// A file for people: its name, how large it is, how its sum begins.
pub(super) fn line(path: &Path) -> Result<String, Failure> {
    let bytes = fs::metadata(path).map_err(Failure::file(path))?.len();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{name}  {:.1} MB  sha256 {}…", bytes as f64 / 1e6, &of(path)?[..16]))
}
