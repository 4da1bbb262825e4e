//! The published data sets, where they are at hand; their terms keep them out of the repository.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail")]

mod support;

use std::path::{Path, PathBuf};

use grease_graph::read::{ReadOptions, read};
use support::assert_clean;

/// The folder of one data set, or `None` with a line that says the test was skipped.
fn data_set(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("GREASE_DATA").map_or_else(beside, PathBuf::from).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no {} (set GREASE_DATA to the folder of data sets)", folder.display());
    None
}

fn check(name: &str, users: u64, items: u64, interactions: u64, test: Option<u64>, titles: u64) {
    let Some(folder) = data_set(name) else { return };
    let start = std::time::Instant::now();
    let (data, report) = read(&folder, &ReadOptions::default()).unwrap();
    println!("{report}\nin {:?}", start.elapsed());
    assert_clean(&data);
    assert_eq!((report.users, report.items, report.interactions), (users, items, interactions));
    assert_eq!(report.test_interactions, test);
    assert_eq!(report.titles_joined, titles);
    assert_eq!((report.duplicates, report.in_both_parts), (0, 0));
}

#[test]
fn lastfm() {
    check("lastfm", 1_801, 7_123, 76_693, None, 4_639);
}

#[test]
fn yelp2018() {
    check("yelp2018", 31_668, 38_048, 1_237_259, Some(324_147), 0);
}

#[test]
fn gowalla() {
    check("gowalla", 29_858, 40_981, 810_128, Some(217_242), 0);
}
