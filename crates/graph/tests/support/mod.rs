//! Tiny data sets in temporary folders.
#![allow(dead_code, reason = "each test program uses a part of this")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use grease_graph::{Edge, Interactions};
use tempfile::TempDir;

/// A folder with these files in it.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) type Pairs = BTreeSet<(String, String)>;

/// Interactions by original id.
pub(crate) fn pairs(data: &Interactions, edges: &[Edge]) -> Pairs {
    edges
        .iter()
        .map(|edge| (data.users.id(edge.user.0).to_owned(), data.items.id(edge.item.0).to_owned()))
        .collect()
}

/// Everything that must survive a round trip, without row numbers.
pub(crate) fn essence(data: &Interactions) -> (Pairs, Option<Pairs>, BTreeMap<String, String>) {
    let titles = (0..data.items.len() as u32)
        .filter_map(|row| Some((data.items.id(row).to_owned(), data.items.title(row)?.to_owned())))
        .collect();
    (pairs(data, &data.edges), data.given_test.as_ref().map(|test| pairs(data, test)), titles)
}

/// What [`Interactions`] promises.
pub(crate) fn assert_clean(data: &Interactions) {
    for edges in [Some(&data.edges), data.given_test.as_ref()].into_iter().flatten() {
        assert!(edges.is_sorted_by(|a, b| a < b), "sorted and unique");
    }
    let all = || data.edges.iter().chain(data.given_test.iter().flatten());
    let users: BTreeSet<_> = all().map(|edge| edge.user.row()).collect();
    let items: BTreeSet<_> = all().map(|edge| edge.item.row()).collect();
    assert!(users.into_iter().eq(0..data.users.len()), "every user row has an interaction");
    assert!(items.into_iter().eq(0..data.items.len()), "every item row has an interaction");
}
