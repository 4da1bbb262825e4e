//! Bad input: a specific message for each, never a panic.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use std::path::Path;

use grease_graph::read::{Columns, InputFormat, ReadOptions, parse_bytes, read};
use proptest::prelude::*;
use support::{assert_clean, folder, gzip};

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn rated() -> ReadOptions {
    ReadOptions { min_rating: Some(3.0), ..options() }
}

/// File name, contents, options, and what the message must say.
type Case<'a> = (&'a str, Vec<u8>, ReadOptions, &'a [&'a str]);

#[test]
fn each_fault_is_named_with_its_place_and_remedy() {
    let as_format = |format| ReadOptions { format, ..options() };
    let long = "x".repeat(2000);
    let truncated = {
        let whole = gzip(&b"user,item\n1,2\n3,4\n".repeat(500));
        whole[..whole.len() / 2].to_vec()
    };
    let mut corrupt = gzip(b"user,item\n1,2\n");
    let last = corrupt.len() - 5;
    corrupt[last] ^= 0xff;
    let same = Columns { user: Some("user".into()), item: Some("user".into()), ..Columns::default() };
    let absent = Columns { item: Some("thing".into()), ..Columns::default() };
    let cases: Vec<Case<'_>> = vec![
        ("a.csv", b"".to_vec(), options(), &["is empty", "expected"]),
        ("a.csv", b"\xef\xbb\xbf".to_vec(), options(), &["is empty"]),
        ("a.csv", gzip(b""), options(), &["is empty"]),
        ("a.csv", b"user,item\n".to_vec(), options(), &["no interactions", "0 data lines"]),
        ("train.txt", b"1\n2\n".to_vec(), options(), &["no interactions", "2 data lines"]),
        ("a.csv", b"user\n1\n".to_vec(), options(), &["line 1", "one column, 'user'", "'user,item'"]),
        ("a.csv", b"a,b\n1,2\n".to_vec(), options(), &["no user column", "'a', 'b'", "`user_column`"]),
        ("a.csv", b"user,b\n1,2\n".to_vec(), options(), &["no item column", "`item_column`"]),
        ("a.csv", b"user,b\n1,2\n".to_vec(), ReadOptions { columns: absent, ..options() }, &["'thing'"]),
        (
            "a.csv",
            b"user,item\n1,2\n".to_vec(),
            ReadOptions { columns: same, ..options() },
            &["`item_column`"],
        ),
        ("a.csv", b"user,item\n1,2\n3\n".to_vec(), options(), &["line 3", "expected 2 fields, found 1"]),
        ("a.csv", b"user,item\n1,2,3\n".to_vec(), options(), &["line 2", "expected 2 fields, found 3"]),
        ("a.csv", b"user,item\n1,\n".to_vec(), options(), &["line 2, column 'item'", "expected an id"]),
        ("a.csv", b"user,item\n1,\"a\nb\"\n".to_vec(), options(), &["line 2, column 'item'", "a\\nb"]),
        ("a.csv", b"user,item\n1,a\x1b[31m\n".to_vec(), options(), &["control characters", "a\\u{1b}[31m"]),
        ("a.csv", b"user,item\n1,a\0b\n".to_vec(), options(), &["NUL bytes"]),
        ("a.csv", format!("user,item\n1,{long}\n").into_bytes(), options(), &["at most 1024 bytes", "xxx…"]),
        ("a.csv", b"user,item\n1,2\n1,\xff\xfe\n".to_vec(), options(), &["line 3", "not UTF-8", "iconv"]),
        ("train.txt", b"1 2\n1 \xff\n".to_vec(), options(), &["line 2", "not UTF-8"]),
        ("a.csv", b"\xff\xfeu\0s\0".to_vec(), options(), &["UTF-16"]),
        ("a.csv", b"PK\x03\x04....".to_vec(), options(), &["zip archive"]),
        ("a.tsv", b"user\titem\n1\t\"a\n2\tb\n".to_vec(), options(), &["line 2", "not closed"]),
        ("a.csv.gz", truncated, options(), &["damaged gzip"]),
        ("a.csv", corrupt, options(), &["damaged gzip"]),
        ("a.csv", gzip(b"PAR1"), options(), &["Parquet"]),
        ("a.parquet", b"user,item\n1,2\n".to_vec(), options(), &["not a readable Parquet file"]),
        ("a.bin", b"one two three\n".to_vec(), options(), &["'one two three'", "`input_format`"]),
        ("a.txt", b"1\t2\n".to_vec(), options(), &["`input_format`"]),
        ("a.csv", b"user,item\n1,2\n".to_vec(), rated(), &["`min_rating` needs ratings", "'user', 'item'"]),
        ("train.txt", b"1 2\n".to_vec(), rated(), &["`min_rating` needs ratings"]),
        ("a.csv", b"user,item,rating\n1,2,NaN\n".to_vec(), rated(), &["line 2, column 'rating'", "'NaN'"]),
        (
            "a.csv",
            b"user,item,rating\n1,2,4\n1,3,good\n".to_vec(),
            rated(),
            &["line 3, column 'rating'", "good"],
        ),
        (
            "a.csv",
            b"user,item,rating\n1,2,2\n".to_vec(),
            rated(),
            &["no interaction is left of 1", "`min_rating` 3"],
        ),
        (
            "train.txt",
            b"1 2\n".to_vec(),
            ReadOptions { k_core: Some(2), ..options() },
            &["`k_core` 2 removed them all"],
        ),
        (
            "a.csv",
            b"user,item\n1,2\n".to_vec(),
            ReadOptions { min_rating: Some(f64::NAN), ..options() },
            &["finite"],
        ),
        ("u.data", b"1\t2\n".to_vec(), options(), &["line 1", "at least 3", "found 2"]),
        ("x.inter", b"user_id:token\titem_id:token\n1\n".to_vec(), options(), &["line 2", "expected 2"]),
        ("x.inter", b"a:token\tb:token\n1\t2\n".to_vec(), options(), &["no user column"]),
        (
            "user_artists.dat",
            b"userID\tartistID\tweight\n1\t2\t3\t4\n".to_vec(),
            options(),
            &["line 2", "2 to 3", "found 4"],
        ),
        ("user_artists.dat", b"1\t2\t3\n".to_vec(), options(), &["no user column", "'1', '2', '3'"]),
        ("a.csv", b"user,item\n1,2\n".to_vec(), as_format(InputFormat::Parquet), &["not a readable Parquet"]),
        (
            "a.csv",
            b"user,item\n1,2\n".to_vec(),
            ReadOptions { test: Some("/no/such".into()), ..options() },
            &["/no/such does not exist"],
        ),
        (
            "a.csv",
            b"user,item\n1,2\n".to_vec(),
            ReadOptions { titles: Some("/no/such".into()), ..options() },
            &["/no/such does not exist"],
        ),
    ];
    for (name, bytes, options, expected) in cases {
        let folder = folder(&[(name, &bytes)]);
        let message = match read(&folder.path().join(name), &options) {
            Ok((data, report)) => panic!("{name} {expected:?}: read {data:?} {report}"),
            Err(error) => error.to_string(),
        };
        for part in expected {
            assert!(message.contains(part), "{name}: '{part}' is not in: {message}");
        }
        assert!(message.len() < 1200, "{message}");
    }
}

type Files<'a> = &'a [(&'a str, &'a [u8])];

#[test]
fn folders_without_data_say_what_was_looked_for() {
    let cases: &[(Files<'_>, &str)] = &[
        (&[], "the folder is empty"),
        (&[("README.md", b"hello")], "among 'README.md'"),
        (&[("items.tsv", b"item\tname\n1\ta\n")], "among 'items.tsv'"),
        (&[("a.csv", b"user,item\n1,2\n"), ("b.csv", b"user,item\n1,2\n")], "'a.csv', 'b.csv'"),
        (&[("a.inter", b"x"), ("b.inter", b"x")], "'a.inter', 'b.inter'"),
    ];
    for (files, expected) in cases {
        let message = read(folder(files).path(), &options()).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains("`input_format`"), "{message}");
    }
    let message = read(Path::new("/no/such/file"), &options()).unwrap_err().to_string();
    assert!(message.contains("/no/such/file does not exist"), "{message}");
    let folder = folder(&[]);
    std::fs::create_dir(folder.path().join("train.txt")).unwrap();
    assert!(read(folder.path(), &options()).is_err());
}

#[test]
fn odd_but_honest_input_is_taken() {
    let huge = "123456789012345678901234567890";
    let cases: &[(InputFormat, String, usize)] = &[
        (InputFormat::Auto, format!("user,item\n{huge},1\n"), 1),
        (InputFormat::Auto, "user,item\n\n1, 2 \n\n1,2\n".into(), 1),
        (InputFormat::Auto, "user,item\n1,2".into(), 1),
        (InputFormat::Auto, "\u{feff}1 2 3\r\n2 3\r\n".into(), 3),
        (InputFormat::Adjacency, "zoë tea milk\n".into(), 2),
        (InputFormat::Auto, "user,item\n\"a, b\",\"say \"\"hi\"\"\"\n".into(), 1),
        (InputFormat::RecBole, "item_id:token\tuser_id:token\n\"a\tb\n".into(), 1),
    ];
    for (format, text, edges) in cases {
        let (data, _) = parse_bytes(*format, text.as_bytes(), &options()).unwrap();
        assert_eq!(data.edges.len(), *edges, "{text}");
    }
}

#[test]
fn a_gzip_bomb_of_one_line_is_stopped() {
    // 80 MB without a line end: 80 kB on the disk.
    let bomb = gzip(&vec![b'1'; 80 << 20]);
    for format in [InputFormat::Adjacency, InputFormat::RecBole, InputFormat::HetRec] {
        let message = parse_bytes(format, &bomb, &options()).unwrap_err().to_string();
        assert!(message.contains("line 1: the line is longer than 67108864 bytes"), "{message}");
    }
    let mut text = b"user,item\n1,\"".to_vec();
    text.resize(80 << 20, b'1');
    let message = parse_bytes(InputFormat::Delimited, &gzip(&text), &options()).unwrap_err().to_string();
    assert!(message.contains("line 2: the line is longer than"), "{message}");
}

const TEXT: [InputFormat; 6] = [
    InputFormat::Auto,
    InputFormat::Delimited,
    InputFormat::Adjacency,
    InputFormat::MovieLens,
    InputFormat::HetRec,
    InputFormat::RecBole,
];

/// Bytes that get past the first checks: pieces that mean something to one of the readers.
fn almost() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"user\titem\trating\n".to_vec()),
        Just(b"user,item,title\n".to_vec()),
        Just(b"user_id:token\titem_id:token\n".to_vec()),
        Just(b"1\t2\t3\t4\n".to_vec()),
        Just(b"1::2::3\n".to_vec()),
        Just(b"a,b,c\n".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\xef\xbb\xbf".to_vec()),
        Just(b"\x1f\x8b".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(
        bytes in prop_oneof![proptest::collection::vec(any::<u8>(), 0..200), almost()],
        zipped: bool,
        min_rating in proptest::option::of(-1.0..5.0f64),
        k_core in proptest::option::of(0u32..3),
    ) {
        let options = ReadOptions { min_rating, k_core, ..options() };
        let bytes = if zipped { gzip(&bytes) } else { bytes };
        for format in TEXT {
            if let Ok((data, report)) = parse_bytes(format, &bytes, &options) {
                assert_clean(&data);
                prop_assert_eq!(report.interactions, data.edges.len() as u64);
            }
        }
    }
}
