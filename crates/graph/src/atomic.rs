//! Files that are either there whole or not at all.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::destination::{Destination, folder_of};

/// Writes a file so that nobody ever sees half of it: into a temporary file in the same folder, flushed
/// to the disk, then renamed over `path`, or over what `path` is a link to. If `fill` fails, what was there before
/// stays as it was. What is there and no file is refused.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("a.txt");
/// grease_graph::atomic::write_atomically(&path, |out| writeln!(out, "whole"))?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_atomically<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    let path = file_at(path)?;
    put(folder_of(&path), &path, fill)
}

/// As [`write_atomically`], with the temporary file in `aside`, which must be on the same disk: somebody who is killed
/// meanwhile leaves it there, where it is looked for, instead of beside the file.
pub fn write_aside<T, E: From<io::Error>>(
    aside: &Path,
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    put(aside, &file_at(path)?, fill)
}

/// As [`write_atomically`], for a path that a person named: a pipe or a device is written to as it is.
pub fn write_or_stream<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    match Destination::of(path)? {
        Destination::File { path, .. } => put(folder_of(&path), &path, fill),
        Destination::Stream => {
            // What is open already may be a file, and others may have written to it.
            let mut out = BufWriter::with_capacity(BUFFER, OpenOptions::new().append(true).open(path)?);
            let value = fill(&mut out)?;
            out.flush()?;
            Ok(value)
        }
    }
}

const BUFFER: usize = 1 << 18;

fn file_at(path: &Path) -> io::Result<PathBuf> {
    match Destination::of(path)? {
        Destination::File { path, .. } => Ok(path),
        Destination::Stream => {
            let why = "it is a pipe or a device; expected a file, or nothing";
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
    }
}

fn put<T, E: From<io::Error>>(
    aside: &Path,
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    let mut out = BufWriter::with_capacity(BUFFER, temporary(aside)?);
    let value = fill(&mut out)?;
    let temporary = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    // The new name is safe on the disk once the folder is. Not every system lets a folder be opened.
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
    Ok(value)
}

/// A file that is not whole yet.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // A temporary file is private by default; the result should be as readable as any new file.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // The error would name a file that nobody asked for.
    builder.tempfile_in(folder).map_err(|error| {
        let said = match error.kind() {
            io::ErrorKind::NotFound => format!("the folder {} does not exist", folder.display()),
            kind => format!("no file can be made in the folder {}: {kind}", folder.display()),
        };
        io::Error::new(error.kind(), said)
    })
}

/// How files are called until they are whole.
const PREFIX: &str = ".grease-";
const SUFFIX: &str = ".tmp";

/// Whether a file is called so because its writer was killed, or still writes.
pub fn is_left_over(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Writes to a file in the folder that nobody will see, to find out whether there is leave and room to.
pub fn rehearse(folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = temporary(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()
}

/// Removes what writers that were killed left in a folder. For whoever knows that nobody is writing there now.
pub fn sweep(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if is_left_over(&entry.file_name()) && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failed: io::Result<()> = write_atomically(&path, |out| {
            out.write_all(b"half of the n")?;
            Err(io::Error::other("no"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_the_umask_lets_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("a"), folder.path().join("b"));
        write_atomically(&ours, |out| out.write_all(b"x")).unwrap();
        std::fs::write(&plain, b"x").unwrap();
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn a_rehearsal_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        rehearse(folder.path(), b"x").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(rehearse(&folder.path().join("nowhere"), b"x").is_err());
    }

    #[test]
    fn a_missing_folder_is_named_and_no_file_that_nobody_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere").join("a.txt");
        let error = write_atomically(&path, |out| out.write_all(b"x")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let nowhere = folder.path().join("nowhere");
        assert_eq!(error.to_string(), format!("the folder {} does not exist", nowhere.display()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_what_is_no_file_stays_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("link"), folder.path().join("file"));
        std::os::unix::fs::symlink("file", &link).unwrap();
        for text in ["into nothing", "over it"] {
            write_atomically(&link, |out| out.write_all(text.as_bytes())).unwrap();
            assert!(link.is_symlink() && !file.is_symlink());
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        let null = Path::new("/dev/null");
        write_or_stream(null, |out| out.write_all(b"x")).unwrap();
        let error = write_atomically(null, |out| out.write_all(b"x")).unwrap_err().to_string();
        assert!(error.starts_with("it is a pipe or a device"), "{error}");
        assert!(!null.metadata().unwrap().is_file());
    }

    #[test]
    fn what_the_killed_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".grease-a1b2.tmp", "results.json", ".grease-notes", "x.tmp"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        sweep(folder.path()).unwrap();
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".grease-notes", "results.json", "x.tmp"]);
    }
}
