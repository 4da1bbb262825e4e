//! What is written is read back, in every form.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use std::path::{Path, PathBuf};

use grease_graph::read::{Delimiter, InputFormat, ReadOptions, read};
use grease_graph::write::{WriteError, write_adjacency, write_parquet, write_recbole, write_table};
use grease_graph::{CatalogueBuilder, Edge, Interactions, Words};
use proptest::prelude::*;
use support::{assert_clean, essence};

type Writer = fn(&Path, &Interactions) -> Result<Vec<PathBuf>, WriteError>;

const WRITERS: [(&str, Writer, InputFormat); 8] = [
    ("interactions.tsv", |path, data| write_table(path, data, Delimiter::Tab), InputFormat::Delimited),
    ("train.csv", |path, data| write_table(path, data, Delimiter::Comma), InputFormat::Delimited),
    ("mine.csv", |path, data| write_table(path, data, Delimiter::Semicolon), InputFormat::Delimited),
    ("train.txt", write_adjacency, InputFormat::Adjacency),
    ("mine.inter", write_recbole, InputFormat::RecBole),
    ("mine.train.inter", write_recbole, InputFormat::RecBole),
    ("train.parquet", write_parquet, InputFormat::Parquet),
    ("mine.parquet", write_parquet, InputFormat::Parquet),
];

/// Interactions as a reader would have made them.
fn build(train: &[(String, String)], test: Option<&[(String, String)]>, titles: &[String]) -> Interactions {
    let (mut users, mut items) = (CatalogueBuilder::new(), CatalogueBuilder::new());
    let mut edges = |pairs: &[(String, String)]| {
        let row = |(user, item): &(String, String)| {
            Edge::new(users.intern(user).unwrap(), items.intern(item).unwrap())
        };
        let mut edges: Vec<Edge> = pairs.iter().map(row).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    };
    let train = edges(train);
    let test = test.map(|test| {
        let mut test = edges(test);
        test.retain(|edge| !train.contains(edge));
        test
    });
    for (row, title) in (0..items.len() as u32).zip(titles) {
        items.set_title(row, title);
    }
    let (users, items) = (users.finish(), items.finish());
    Interactions { users, items, edges: train, given_test: test, words: Words::default() }
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,3}",
        "[a-z,;:|\"'#=\\\\_é日🦀-]{1,6}",
        // Anything printable, for forms that allow spaces inside.
        "\\PC{1,8}",
    ]
    .prop_map(|id| id.trim().replace('\u{feff}', ""))
    .prop_filter("an id", |id| !id.is_empty() && id.trim() == id)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_form_brings_back_what_was_written(
        train in proptest::collection::vec((id(), id()), 1..20),
        test in proptest::option::of(proptest::collection::vec((id(), id()), 0..6)),
        titles in proptest::collection::vec("\\PC{0,12}", 0..6),
    ) {
        let titles: Vec<String> = titles.into_iter().map(|t| t.replace('\u{feff}', "")).collect();
        let data = build(&train, test.as_deref(), &titles);
        let spaced = (0..data.users.len() as u32).any(|row| data.users.id(row).contains(' '))
            || (0..data.items.len() as u32).any(|row| data.items.id(row).contains(' '));
        for (name, write, format) in WRITERS {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            if spaced && format == InputFormat::Adjacency {
                prop_assert!(write(&path, &data).is_err());
                continue;
            }
            let files = write(&path, &data).unwrap();
            prop_assert!(files.iter().all(|file| file.is_file()));
            for (path, asked) in [(folder.path(), InputFormat::Auto), (path.as_path(), format)] {
                let options = ReadOptions { format: asked, ..ReadOptions::default() };
                let (back, report) = read(path, &options).unwrap();
                assert_clean(&back);
                prop_assert_eq!(essence(&back), essence(&data), "{}", name);
                // A file found by its contents might be taken for another form; these names are not.
                prop_assert_eq!(report.format, format);
            }
        }
    }
}

#[test]
fn what_a_form_cannot_hold_is_refused_before_anything_is_written() {
    for (bad, reason) in [("a\tb", "control"), (" a", "white space"), ("", "empty"), ("a\u{feff}", "control")]
    {
        let data = build(&[(bad.into(), "x".into())], None, &[]);
        for (name, write, _) in WRITERS {
            let folder = tempfile::tempdir().unwrap();
            let message = write(&folder.path().join(name), &data).unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
    let data = build(&[("a".into(), "x".into())], None, &[]);
    let message = write_recbole(Path::new("x.tsv"), &data).unwrap_err().to_string();
    assert!(message.contains(".inter"), "{message}");
    let message = write_adjacency(Path::new("/no/such/train.txt"), &data).unwrap_err().to_string();
    assert!(message.contains("/no/such/train.txt could not be written"), "{message}");
}

#[test]
fn titles_are_written_on_one_line() {
    let data = build(&[("a".into(), "x".into())], None, &["one\ntwo\tthree \"four\"".into()]);
    for (name, write, _) in WRITERS {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join(name), &data).unwrap();
        let (back, _) = read(folder.path(), &ReadOptions::default()).unwrap();
        assert_eq!(back.items.title(0), Some("one two three \"four\""), "{name}");
    }
}
