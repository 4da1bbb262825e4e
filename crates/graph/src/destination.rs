//! What stands where somebody wants a file written.

use std::fs::{FileType, metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Where the bytes for a path go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file, or where one can be made.
    File {
        /// With links followed to what they lead to: a link stays a link.
        path: PathBuf,
        /// Whether something is there that would be replaced.
        exists: bool,
    },
    /// A pipe, a terminal, `/dev/null`, or what this process has open already (`/dev/stdout`): written to as it is,
    /// replaced never.
    Stream,
}

/// Links in a row that are followed, as many as Linux follows.
const LINKS: usize = 40;

impl Destination {
    /// Looks at the path, and refuses what no bytes can be written to. Whether a folder that is not there can be made
    /// is for the caller to know.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut at = path.to_owned();
        for _ in 0..LINKS {
            if is_open_already(&at) {
                return stream(&metadata(&at)?.file_type(), true);
            }
            match at.symlink_metadata() {
                Ok(found) if found.is_symlink() => {
                    at = at.parent().unwrap_or(Path::new("")).join(at.read_link()?);
                }
                Ok(found) if found.is_file() => return Ok(Self::File { path: at, exists: true }),
                Ok(found) => return stream(&found.file_type(), false),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self::File { path: at, exists: false });
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link that leads round in a circle"))
    }
}

/// Whether it names a file by its number in a process: that file is gone on with, even where it has a name of its own.
fn is_open_already(path: &Path) -> bool {
    cfg!(unix) && ["/proc", "/dev/fd"].iter().any(|open| path.starts_with(open))
}

/// What is there and no file, unless it is one that is open.
fn stream(found: &FileType, open: bool) -> io::Result<Destination> {
    let refused = |what: &str| {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}; expected a file")))
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if found.is_fifo() || found.is_char_device() || (open && found.is_file()) {
            return Ok(Destination::Stream);
        }
        if found.is_block_device() {
            return refused("a whole disk (a block device)");
        }
        if found.is_socket() {
            return refused("a socket");
        }
    }
    refused(if found.is_dir() { "a folder" } else { "no file" })
}

/// The folder a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn file(path: PathBuf, exists: bool) -> Destination {
        Destination::File { path, exists }
    }

    #[test]
    fn links_are_followed_also_where_they_lead_to_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(Destination::of(&at("a")).unwrap(), file(at("a"), false));
        symlink("a", at("link")).unwrap();
        symlink(at("link"), at("second")).unwrap();
        assert_eq!(Destination::of(&at("second")).unwrap(), file(at("a"), false));
        std::fs::write(at("a"), "x").unwrap();
        assert_eq!(Destination::of(&at("second")).unwrap(), file(at("a"), true));
        symlink("round", at("round")).unwrap();
        let error = Destination::of(&at("round")).unwrap_err().to_string();
        assert!(error.contains("in a circle"), "{error}");
    }

    #[test]
    fn devices_are_streams_and_folders_and_sockets_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(Destination::of(Path::new("/dev/null")).unwrap(), Destination::Stream);
        symlink("/dev/null", at("null")).unwrap();
        assert_eq!(Destination::of(&at("null")).unwrap(), Destination::Stream);
        let error = Destination::of(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("it is a folder; expected a file"), "{error}");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let error = Destination::of(&at("socket")).unwrap_err().to_string();
        assert!(error.starts_with("it is a socket; expected"), "{error}");
    }
}
