//! Hashing keys made of row numbers: edits have hundreds of them, and nobody hostile chooses them.

use std::hash::{BuildHasherDefault, Hasher};

/// For maps whose keys are made of row numbers. The same in every run, but nothing should depend on its order.
///
/// ```
/// use grease_graph::{Edge, Edit, RowHash};
/// use std::collections::HashMap;
///
/// let mut known: HashMap<Edit, u32, RowHash> = HashMap::default();
/// known.insert(Edit::removing([Edge::new(0, 1)]), 7);
/// assert_eq!(known.get(&Edit::removing([Edge::new(0, 1)])), Some(&7));
/// ```
pub type RowHash = BuildHasherDefault<RowHasher>;

/// One multiplication a number, where the standard library's hasher, made against hostile keys, takes many steps.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowHasher(u64);

impl RowHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for RowHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.mix(u64::from(byte)));
    }

    fn write_u32(&mut self, row: u32) {
        self.mix(u64::from(row));
    }

    fn write_usize(&mut self, length: usize) {
        self.mix(length as u64);
    }

    /// Maps look at the low bits, multiplication moves things up.
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher as _;

    use super::*;
    use crate::{Edge, Edit};

    #[test]
    fn neighbours_fall_far_apart() {
        let build = RowHash::default();
        let edits =
            (0..100).flat_map(|user| (0..100).map(move |item| Edit::removing([Edge::new(user, item)])));
        let hashes: Vec<u64> = edits.map(|edit| build.hash_one(edit)).collect();
        assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), 10_000);
        let buckets: HashSet<u64> = hashes.iter().map(|hash| hash % 16_384).collect();
        // A random function would fill 1 - exp(-10000 / 16384) of them: 7489.
        assert!(buckets.len() > 7_000, "{} buckets", buckets.len());
    }
}
