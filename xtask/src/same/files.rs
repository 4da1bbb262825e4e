//! What a command leaves behind: the files that are new, other or gone since the last look.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::settle;

/// A folder, and how it was when it was looked at last.
pub(super) struct Watched {
    folder: PathBuf,
    seen: BTreeMap<PathBuf, (u64, SystemTime)>,
}

impl Watched {
    /// An empty one.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, seen: BTreeMap::new() }
    }

    /// What changed, with the bytes that are there now; `None` where the file is gone. Folders end with a slash.
    pub(super) fn changed(&mut self) -> io::Result<BTreeMap<PathBuf, Option<Vec<u8>>>> {
        let mut now = BTreeMap::new();
        walk(&self.folder, Path::new(""), &mut now)?;
        let mut changed = BTreeMap::new();
        for (path, state) in &now {
            if self.seen.get(path) != Some(state) {
                let bytes = match path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                    true => Vec::new(),
                    false => settle::file(path, fs::read(self.folder.join(path))?),
                };
                changed.insert(path.clone(), Some(bytes));
            }
        }
        let gone = self.seen.keys().filter(|path| !now.contains_key(*path));
        changed.extend(gone.map(|path| (path.clone(), None)));
        self.seen = now;
        Ok(changed)
    }
}

fn walk(root: &Path, at: &Path, found: &mut BTreeMap<PathBuf, (u64, SystemTime)>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(at))? {
        let entry = entry?;
        let path = at.join(entry.file_name());
        let about = entry.metadata()?;
        if about.is_dir() {
            // When a folder changed says nothing that its files do not.
            found.insert(path.join(""), (0, SystemTime::UNIX_EPOCH));
            walk(root, &path, found)?;
        } else {
            found.insert(path, (about.len(), about.modified()?));
        }
    }
    Ok(())
}
