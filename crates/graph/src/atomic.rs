//! Files that are either there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::Builder;

/// Writes a file so that nobody ever sees half of it: into a temporary file in the same folder, flushed
/// to the disk, then renamed over `path`. If `fill` fails, what was there before stays as it was.
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
    write_aside(folder_of(path), path, fill)
}

/// As [`write_atomically`], with the temporary file in `aside`, which must be on the same disk: somebody who is killed
/// meanwhile leaves it there, where it is looked for, instead of beside the file.
pub fn write_aside<T, E: From<io::Error>>(
    aside: &Path,
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // A temporary file is private by default; the result should be as readable as any new file.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(aside)?;
    let mut out = BufWriter::with_capacity(1 << 18, temporary);
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

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// How files are called until they are whole.
const PREFIX: &str = ".grease-";
const SUFFIX: &str = ".tmp";

/// Removes what writers that were killed left in a folder. For whoever knows that nobody is writing there now.
pub fn sweep(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) && entry.file_type()?.is_file() {
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
