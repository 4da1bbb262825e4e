//! Numbers by name in one file, as they lie in memory: what is mapped is there at once, and takes memory as far as it is read.
//!
//! ```text
//! "grease.store/1\n" and a zero, the length of the head, the head (JSON: where each part lies), the parts, each at a multiple of 64
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use bytemuck::Pod;
use grease_kernels::{Array, Mapped};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How such a file begins: the format's name and version.
const MAGIC: &[u8; 16] = b"grease.store/1\n\0";

/// Where parts may begin: a vector register's and a cache line's width.
const STEP: usize = 64;

/// Bytes written between two looks at whether somebody wants an end.
const AT_A_TIME: usize = 1 << 24;

/// Whether numbers lie in memory here as they lie in such files.
pub(crate) const POSSIBLE: bool = cfg!(all(target_endian = "little", target_pointer_width = "64"));

/// What is to be stored: numbers by name.
#[derive(Default)]
pub(crate) struct Parts<'p>(Vec<(String, Cow<'p, [u8]>)>);

/// The head of a file.
#[derive(Serialize, Deserialize)]
struct Head<H> {
    /// Whatever the file is about.
    of: H,
    /// Where each part begins, counted from the first, and how many bytes it has.
    parts: BTreeMap<String, [usize; 2]>,
}

/// A file of numbers, mapped.
pub(crate) struct Stored {
    map: Mapped,
    first: usize,
    parts: BTreeMap<String, [usize; 2]>,
}

impl<'p> Parts<'p> {
    /// One more.
    pub(crate) fn put<T: Pod>(&mut self, name: impl Into<String>, values: &'p [T]) {
        self.0.push((name.into(), Cow::Borrowed(bytemuck::cast_slice(values))));
    }

    /// One more that nobody else has.
    pub(crate) fn put_own<T: Pod>(&mut self, name: impl Into<String>, values: &[T]) {
        self.0.push((name.into(), Cow::Owned(bytemuck::cast_slice(values).to_vec())));
    }

    /// How many bytes they are.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Writes all of them; `wrote` hears of every piece, and may end it.
    pub(crate) fn write<H: Serialize, E: From<io::Error>>(
        &self,
        of: H,
        out: &mut dyn Write,
        wrote: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut parts = BTreeMap::new();
        let mut at = 0usize;
        for (name, bytes) in &self.0 {
            parts.insert(name.clone(), [at, bytes.len()]);
            at = (at + bytes.len()).next_multiple_of(STEP);
        }
        let head = serde_json::to_vec(&Head { of, parts }).map_err(io::Error::from)?;
        out.write_all(MAGIC)?;
        out.write_all(&(head.len() as u64).to_le_bytes())?;
        out.write_all(&head)?;
        fill_up(MAGIC.len() + 8 + head.len(), out)?;
        for (_, bytes) in &self.0 {
            for piece in bytes.chunks(AT_A_TIME) {
                out.write_all(piece)?;
                wrote(piece.len())?;
            }
            fill_up(bytes.len(), out)?;
        }
        Ok(())
    }
}

/// Zeros after so many bytes, up to where the next part may begin.
fn fill_up(written: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[0; STEP][..written.next_multiple_of(STEP) - written])
}

impl Stored {
    /// Opens such a file, and says what it is about; none where there is none, or another, or not the whole of it.
    pub(crate) fn open<H: DeserializeOwned>(path: &Path) -> Option<(H, Self)> {
        // Not what a pipe would have to say: it is waited for.
        if !POSSIBLE || !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let map = Mapped::open(&File::open(path).ok()?).ok()?;
        let bytes = map.bytes();
        let (magic, rest) = bytes.split_at_checked(MAGIC.len())?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let Head { of, parts } =
            serde_json::from_slice(rest.get(..length)?).ok().filter(|_| magic == MAGIC)?;
        let first = (bytes.len() - rest.len() + length).next_multiple_of(STEP);
        let ends = |[at, bytes]: &[usize; 2]| at.checked_add(*bytes)?.checked_add(first);
        let is_whole = parts.values().all(|part| ends(part).is_some_and(|end| end <= bytes.len()));
        is_whole.then_some((of, Self { map, first, parts }))
    }

    /// A part as numbers; none where it is not there.
    pub(crate) fn part<T: Pod>(&self, name: &str) -> Option<Array<T>> {
        let [at, bytes] = self.parts.get(name)?;
        self.map.part(self.first + at..self.first + at + bytes)
    }

    /// The same, of which there are so many.
    pub(crate) fn numbers<T: Pod>(&self, name: &str, many: usize) -> Option<Array<T>> {
        self.part(name).filter(|numbers| numbers.len() == many)
    }

    /// What was read so far was only looked at: it need not stay in memory.
    pub(crate) fn let_go(&self) {
        self.map.let_go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(folder: &Path) -> std::path::PathBuf {
        let mut parts = Parts::default();
        parts.put("a", &[1.5f32, 2.5]);
        parts.put_own("b", &[7usize, 8, 9]);
        parts.put("none", &[0u8; 0]);
        let path = folder.join("store");
        let mut bytes = 0;
        let mut out = Vec::new();
        let mut wrote = |many| -> io::Result<()> {
            bytes += many;
            Ok(())
        };
        parts.write("what it is about", &mut out, &mut wrote).unwrap();
        assert_eq!(bytes, parts.bytes());
        std::fs::write(&path, out).unwrap();
        path
    }

    #[test]
    fn numbers_come_back_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let (of, stored) = Stored::open::<String>(&written(folder.path())).unwrap();
        assert_eq!(of, "what it is about");
        assert_eq!(*stored.numbers::<f32>("a", 2).unwrap(), [1.5, 2.5]);
        assert_eq!(*stored.part::<usize>("b").unwrap(), [7, 8, 9]);
        assert!(stored.part::<u8>("none").unwrap().is_empty());
        assert!(stored.numbers::<f32>("a", 3).is_none() && stored.part::<u8>("c").is_none());
        assert!(
            stored.part::<usize>("a").is_some_and(|one| one.len() == 1),
            "numbers are what somebody takes them for"
        );
        stored.let_go();
    }

    #[test]
    fn whatever_is_no_whole_store_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path());
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 10, 20, 60, whole.len() - STEP - 30] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Stored::open::<String>(&path).is_none(), "{length} of {}", whole.len());
        }
        let mut other = whole.clone();
        other[13] = b'2';
        std::fs::write(&path, &other).unwrap();
        assert!(Stored::open::<String>(&path).is_none(), "another version");
        let mut longer = whole.clone();
        longer[16..24].fill(0xff);
        std::fs::write(&path, &longer).unwrap();
        assert!(Stored::open::<String>(&path).is_none(), "a head without end");
        std::fs::write(&path, whole).unwrap();
        assert!(Stored::open::<u32>(&path).is_none(), "about something else");
        assert!(Stored::open::<String>(&folder.path().join("nothing")).is_none());
        assert!(Stored::open::<String>(folder.path()).is_none());
    }
}
