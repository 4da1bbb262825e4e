//! [`Interactions`] to files that [`read`](crate::read) takes back: same users, items, titles and parts.
//!
//! Each function writes the interactions to `path`; the held-out part, where there is one, and the
//! titles go to files beside it, under the names that the readers look for. All return the files written.
//! Every file is written atomically; a pipe or a device takes data that needs no second file. Titles of users are not written. Nothing is ever deleted: write to a
//! fresh folder, or a held-out part or titles of older data may lie beside the new.

mod adjacency;
mod parquet;
mod recbole;
mod table;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use adjacency::write_adjacency;
pub use parquet::write_parquet;
pub use recbole::write_recbole;
pub(crate) use table::put_titles;
pub use table::write_table;

use crate::atomic::write_or_stream;
use crate::id::{BadId, check_id};
use crate::read::siblings::{folder_of, test_name};
use crate::watch::{Interrupted, Stopped};
use crate::{Catalogue, Destination, Edge, Interactions};

/// Why data could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system would not go on.
    #[error(
        "{path} could not be written: {source}; check that the folder exists, may be written to and has room"
    )]
    Io { path: PathBuf, source: io::Error },
    /// The file's name does not fit the form.
    #[error("{path}: {expected}; give the file another name")]
    Name {
        path: PathBuf,
        /// What the name must be like.
        expected: &'static str,
    },
    /// More than one file is needed.
    #[error(
        "{path} is a pipe or a device, and {what} of this data go to a file beside it; name a file, or choose a form without"
    )]
    Beside { path: PathBuf, what: &'static str },
    /// An id that this form cannot hold.
    #[error(
        "the id '{id}' cannot be written as {format}: {reason}; choose another form, such as table or parquet"
    )]
    Id { id: String, format: &'static str, reason: &'static str },
    /// Somebody ended it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// Whether titles stand in a file of their own.
#[derive(Clone, Copy, PartialEq)]
enum Titles {
    Beside,
    Within,
}

/// Which part of the data a file holds.
fn parts<'a>(
    path: &Path,
    data: &'a Interactions,
    titles: Titles,
) -> Result<Vec<(PathBuf, &'a [Edge])>, WriteError> {
    let beside = match titles {
        _ if data.given_test.is_some() => Some("the held-out interactions"),
        Titles::Beside if titled(&data.items).next().is_some() => Some("the titles"),
        _ => None,
    };
    let failed = |source| WriteError::Io { path: path.to_path_buf(), source };
    if let (Destination::Stream, Some(what)) = (Destination::of(path).map_err(failed)?, beside) {
        return Err(WriteError::Beside { path: path.to_path_buf(), what });
    }
    let mut parts = vec![(path.to_path_buf(), data.edges.as_slice())];
    if let Some(test) = &data.given_test {
        let name = test_name(path).ok_or_else(|| WriteError::Name {
            path: path.to_path_buf(),
            expected: "expected the name of a file, in UTF-8, from which the held-out part can be named",
        })?;
        parts.push((folder_of(path).join(name), test));
    }
    Ok(parts)
}

/// Writes one file that somebody may end the writing of, atomically, naming it if that fails.
pub(crate) fn put_watched(
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Stopped>,
) -> Result<(), WriteError> {
    write_or_stream(path, fill).map_err(|stopped| match stopped {
        Stopped::Io(source) => WriteError::Io { path: path.to_path_buf(), source },
        Stopped::Interrupted(interrupted) => interrupted.into(),
    })
}

/// Writes one file atomically, naming it if that fails.
fn put(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<(), WriteError> {
    write_or_stream(path, fill).map_err(|source| WriteError::Io { path: path.to_path_buf(), source })
}

/// Every id must come back as it is: the readers trim, and refuse control characters.
fn check_ids(data: &Interactions, format: &'static str, spaces: bool) -> Result<(), WriteError> {
    for catalogue in [&data.users, &data.items] {
        for row in 0..catalogue.len() as u32 {
            let id = catalogue.id(row);
            let reason = match check_id(id) {
                Err(BadId::Empty) => "it is empty",
                Err(BadId::Long) => "it is longer than 1024 bytes",
                _ if id.trim() != id => "it begins or ends with white space",
                Err(BadId::Control) => "it has control characters",
                Ok(()) if !spaces && id.contains(' ') => "it has a space in it, and spaces separate ids",
                Ok(()) => continue,
            };
            let id = id.chars().take(48).flat_map(char::escape_debug).collect();
            return Err(WriteError::Id { id, format, reason });
        }
    }
    Ok(())
}

/// Rows that have a title, with it.
fn titled(items: &Catalogue) -> impl Iterator<Item = (&str, String)> {
    (0..items.len() as u32).filter_map(|row| {
        let title = crate::read::collect::one_line(items.title(row)?);
        (!title.is_empty()).then(|| (items.id(row), title))
    })
}

fn ids(data: &Interactions, edge: Edge) -> (&str, &str) {
    (data.users.id(edge.user.0), data.items.id(edge.item.0))
}
