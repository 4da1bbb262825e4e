//! A folder that one at a time writes to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Held locked while somebody writes to the folder. A file of its own, because where a lock keeps others from reading,
/// what is in the folder must still be read.
pub(crate) const LOCK: &str = "lock";

/// A folder nobody else writes to until this is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    folder: PathBuf,
    file: File,
    /// Whether the folder was not there before.
    made: bool,
}

/// Why a folder cannot be had alone.
#[derive(Debug)]
pub(crate) enum LockError {
    InUse,
    Io { path: PathBuf, error: io::Error },
}

impl FolderLock {
    /// Makes the folder where there is none, and locks it.
    pub(crate) fn take(folder: &Path) -> Result<Self, LockError> {
        let at = |path: &Path, error| LockError::Io { path: path.to_owned(), error };
        let made = !folder.exists();
        if !made && !folder.is_dir() {
            return Err(at(folder, io::Error::new(io::ErrorKind::NotADirectory, "it is no folder")));
        }
        std::fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        let path = folder.join(LOCK);
        loop {
            let mut options = OpenOptions::new();
            options.create(true).write(true).truncate(false);
            let file = options.open(&path).map_err(|error| at(&path, error))?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(LockError::InUse),
                // Some file systems know no locks; work there is better than none.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // Whoever had it before may have taken it away since it was opened: then others would not see ours.
            if is_still(&path, &file) {
                return Ok(Self { folder: folder.to_owned(), file, made });
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Somebody else's file of that name is not empty.
        if self.file.metadata().is_ok_and(|found| found.len() == 0) {
            let _ = std::fs::remove_file(self.folder.join(LOCK));
        }
        if self.made {
            // Nothing came of it, or it is not empty and stays.
            let _ = std::fs::remove_dir(&self.folder);
        }
    }
}

#[cfg(unix)]
fn is_still(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (path.metadata(), file.metadata()) {
        (Ok(there), Ok(ours)) => (there.dev(), there.ino()) == (ours.dev(), ours.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still(path: &Path, _: &File) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_is_left() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a");
        let first = FolderLock::take(&folder).unwrap();
        assert!(matches!(FolderLock::take(&folder), Err(LockError::InUse)));
        assert!(folder.join(LOCK).exists(), "who is refused takes nothing away");
        drop(first);
        assert!(!folder.exists());
        let second = FolderLock::take(&folder).unwrap();
        std::fs::write(folder.join("result"), "x").unwrap();
        drop(second);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        let error = FolderLock::take(&folder.join("result")).unwrap_err();
        assert!(matches!(&error, LockError::Io { error, .. } if error.to_string() == "it is no folder"));
        std::fs::write(folder.join(LOCK), "somebody's own").unwrap();
        drop(FolderLock::take(&folder).unwrap());
        assert!(folder.join(LOCK).exists());
    }
}
