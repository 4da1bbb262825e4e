//! Numbers in a row: in memory of their own, or in a file that is mapped into memory and read as it is wanted.
//!
//! What reads them does not care which. What writes to them ([`Array::to_mut`]) gets memory of its own first.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use bytemuck::Pod;
#[cfg(unix)]
use memmap2::UncheckedAdvice;
use memmap2::{Mmap, MmapOptions};

/// A file that is mapped into memory: its bytes come from the disk when they are first read, and go when room is wanted.
#[derive(Debug, Clone)]
pub struct Mapped(Arc<Mmap>);

impl Mapped {
    /// Maps a whole file, for reading.
    ///
    /// The file must not be changed in place as long as it is mapped; replacing it by another of the same name is no change. Files of
    /// ours are written aside and renamed, so they never are.
    pub fn open(file: &File) -> io::Result<Self> {
        // SAFETY: nothing here writes to the mapping, and files that are mapped are never changed in place (see above): whoever does it
        // all the same changes numbers that were checked.
        let map = unsafe { MmapOptions::new().map(file)? };
        Ok(Self(Arc::new(map)))
    }

    /// The whole of it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A part of it as numbers; none where it is not that long, or where they do not lie as numbers lie in memory.
    pub fn part<T: Pod>(&self, bytes: Range<usize>) -> Option<Array<T>> {
        let values: &[T] = bytemuck::try_cast_slice(self.0.get(bytes)?).ok()?;
        // SAFETY: the memory stays where it is until the mapping is dropped, and `_map` is dropped after `values` can be reached: the
        // slice is handed out for as long as the array is borrowed, no longer.
        let values = unsafe { std::slice::from_raw_parts(values.as_ptr(), values.len()) };
        Some(Array(Place::Mapped { values, map: self.clone() }))
    }

    /// Lets go of what was read so far: it comes again when it is wanted.
    pub fn let_go(&self) {
        #[cfg(unix)]
        // SAFETY: the mapping is of a file and only read, so its pages come back as they were.
        let _ = unsafe { self.0.unchecked_advise(UncheckedAdvice::DontNeed) };
    }
}

/// Numbers in a row, to read.
#[derive(Clone)]
pub struct Array<T: 'static>(Place<T>);

#[derive(Clone)]
enum Place<T: 'static> {
    Own(Vec<T>),
    Mapped { values: &'static [T], map: Mapped },
}

impl<T> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::Own(values) => values,
            Place::Mapped { values, .. } => values,
        }
    }
}

impl<T: Clone> Array<T> {
    /// The same in memory of its own.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Place::Mapped { values, .. } = &self.0 {
            self.0 = Place::Own(values.to_vec());
        }
        match &mut self.0 {
            Place::Own(values) => values,
            Place::Mapped { .. } => unreachable!("it was copied above"),
        }
    }

    /// The same as a vector.
    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(self.to_mut())
    }
}

impl<T: Clone> DerefMut for Array<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.to_mut()
    }
}

impl<T> Array<T> {
    /// The file it is a part of.
    pub fn mapped(&self) -> Option<&Mapped> {
        match &self.0 {
            Place::Own(_) => None,
            Place::Mapped { map, .. } => Some(map),
        }
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Place::Own(values))
    }
}

impl<T> FromIterator<T> for Array<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<'a, T> IntoIterator for &'a Array<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

/// Wherever they are.
impl<T: PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Array<T> {}

impl<T: fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn mapped(bytes: &[u8]) -> Mapped {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Mapped::open(&file).unwrap()
    }

    #[test]
    fn a_part_of_a_file_is_read_as_numbers() {
        let numbers = [1.5f32, -2.0, 3.25, 4.0];
        let map = mapped(bytemuck::cast_slice(&numbers));
        let part: Array<f32> = map.part(4..12).unwrap();
        assert_eq!(*part, [-2.0, 3.25]);
        assert_eq!(part, Array::from(vec![-2.0, 3.25]));
        map.let_go();
        drop(map);
        assert_eq!(part[1], 3.25, "the file stays as long as a part is in use");
    }

    #[test]
    fn what_is_not_there_or_lies_across_is_none() {
        let map = mapped(&[0; 16]);
        assert!(map.part::<u32>(8..20).is_none() && map.part::<u32>(0..6).is_none());
        assert!(map.part::<u64>(4..12).is_none(), "not as eight bytes lie");
        #[expect(clippy::reversed_empty_ranges, reason = "a file may say so")]
        let reversed = 8..4;
        assert!(map.part::<u8>(reversed).is_none());
    }

    #[test]
    fn writing_goes_to_memory_of_its_own() {
        let map = mapped(&[1, 2, 3]);
        let mut part: Array<u8> = map.part(0..3).unwrap();
        let other = part.clone();
        part[1] = 9;
        assert_eq!((&*part, &*other, map.bytes()), (&[1, 9, 3][..], &[1, 2, 3][..], &[1u8, 2, 3][..]));
        assert!(part.mapped().is_none() && other.mapped().is_some());
        assert_eq!(other.into_vec(), [1, 2, 3]);
    }
}
