//! Machine code compiled before, kept in a folder of the user's: compiling takes a second or two, reading nothing.

use std::path::{Path, PathBuf};

use grease_graph::atomic::write_atomically;
use sha2::{Digest, Sha256};

/// Where compiled code is kept. Without a folder nothing is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// Bytes of the hash a file begins with.
const HASH: usize = 32;

impl Cache {
    pub(crate) fn at(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// What was kept under this name, if it is as it was written. The driver is not told how long code is: what is damaged must not
    /// come to it.
    pub(crate) fn get(&self, name: &str) -> Option<Vec<u8>> {
        let file = std::fs::read(self.file(name)?).ok()?;
        let (hash, code) = file.split_at_checked(HASH)?;
        (Sha256::digest(code).as_slice() == hash).then(|| code.to_vec())
    }

    /// Keeps it for next time. A folder that cannot be written to costs time, and is nobody's error.
    pub(crate) fn put(&self, name: &str, code: &[u8]) {
        let Some(file) = self.file(name) else { return };
        let written = file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
            write_atomically(&file, |out| {
                out.write_all(&Sha256::digest(code))?;
                out.write_all(code)
            })
        });
        drop(written);
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(name))
    }
}

/// The user's folder for what can be made again, as their environment has it.
pub(crate) fn users_folder(
    set: impl Fn(&str) -> Option<std::ffi::OsString>,
    home: Option<PathBuf>,
) -> Option<PathBuf> {
    let named = |variable| set(variable).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let local = if cfg!(windows) { named("LOCALAPPDATA") } else { None };
    let at_home = || home.filter(|home| home.is_absolute()).map(|home| home.join(".cache"));
    let folder = named("XDG_CACHE_HOME").or(local).or_else(at_home)?;
    Some(folder.join(Path::new("grease")).join("cuda"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_what_is_damaged_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("not/there/yet");
        let cache = Cache::at(Some(place.clone()));
        assert_eq!(cache.get("a"), None);
        cache.put("a", b"code");
        cache.put("b", b"other");
        assert_eq!(cache.get("a").as_deref(), Some(&b"code"[..]));
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 2, "nothing is left aside");

        let whole = std::fs::read(place.join("a")).unwrap();
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for damaged in [&whole[..whole.len() - 1], &whole[..HASH - 1], &[], &flipped] {
            std::fs::write(place.join("a"), damaged).unwrap();
            assert_eq!(cache.get("a"), None);
        }
        cache.put("a", b"code");
        assert_eq!(cache.get("a").as_deref(), Some(&b"code"[..]), "what is damaged is replaced");
    }

    #[test]
    fn where_nothing_can_be_kept_nothing_is_and_nobody_fails() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        for cache in [Cache::default(), Cache::at(Some(file.join("below")))] {
            cache.put("a", b"code");
            assert_eq!(cache.get("a"), None);
        }
    }

    #[test]
    fn the_folder_is_the_users() {
        let root = if cfg!(windows) { "C:\\" } else { "/" };
        let home = || Some(PathBuf::from(root).join("home"));
        let set = |value: PathBuf| {
            move |name: &str| (name == "XDG_CACHE_HOME").then(|| value.clone().into_os_string())
        };
        let end = Path::new("grease").join("cuda");
        let named = PathBuf::from(root).join("cached");
        assert_eq!(users_folder(set(named.clone()), home()), Some(named.join(&end)));
        let usual = Some(PathBuf::from(root).join("home").join(".cache").join(&end));
        assert_eq!(users_folder(|_| None, home()), usual);
        assert_eq!(users_folder(set(PathBuf::new()), home()), usual, "set to nothing");
        assert_eq!(users_folder(set(PathBuf::from("here")), home()), usual, "no folder of everybody's");
        assert_eq!(users_folder(|_| None, None), None);
    }
}
