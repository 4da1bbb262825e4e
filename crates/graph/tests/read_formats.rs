//! Every form of data, through the public surface.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, UInt16Array,
};
use grease_graph::Interactions;
use grease_graph::read::{Columns, InputFormat, ReadError, ReadOptions, ReadReport, parse_bytes, read};
use parquet::arrow::ArrowWriter;
use support::{assert_clean, folder, gzip, pairs};

type Case<'a> = (&'a str, InputFormat, &'a [(&'a str, &'a [u8])]);

fn edges(data: &Interactions) -> Vec<(String, String)> {
    pairs(data, &data.edges).into_iter().collect()
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(user, item)| (user.to_owned(), item.to_owned())).collect()
}

fn read_folder(
    files: &[(&str, &[u8])],
    options: &ReadOptions,
) -> Result<(Interactions, ReadReport), ReadError> {
    let folder = folder(files);
    let result = read(folder.path(), options);
    if let Ok((data, _)) = &result {
        assert_clean(data);
    }
    result
}

#[test]
fn every_form_is_found_and_read_with_titles() {
    let cases: &[Case<'_>] = &[
        (
            "tab table",
            InputFormat::Delimited,
            &[
                ("interactions.tsv", b"user\titem\n1\ta\n2\ta\n2\tb\n"),
                ("items.tsv", b"item\tname\na\tTea\nz\tNone\n"),
            ],
        ),
        (
            "comma table, other names and order, quotes, CRLF, BOM",
            InputFormat::Delimited,
            &[
                ("mine.csv", b"\xef\xbb\xbfts,Item_ID,\"USER id\"\r\n9,a,1\r\n9,\"a\",2\r\n9,b,2\r\n"),
                ("items.csv", b"id,title\na,Tea\nz,None\n"),
            ],
        ),
        (
            "semicolons, title inside",
            InputFormat::Delimited,
            &[("mine.csv", b"uid;iid;title\n1;a;Tea\n2;a;Tea\n2;b;\n")],
        ),
        (
            "lightgcn",
            InputFormat::Adjacency,
            &[("train.txt", b"1 a\n\n2 a b \n3\n"), ("items.tsv", b"id\ttitle\na\tTea\nz\tNone\n")],
        ),
        (
            "ml-100k",
            InputFormat::MovieLens,
            &[
                ("u.data", b"1\ta\t5\t88\n2\ta\t3\t88\n2\tb\t1\t88\n"),
                ("u.item", b"a|Tea|01-Jan-1995||http|0\nz|None|||\n"),
            ],
        ),
        (
            "ml-1m",
            InputFormat::MovieLens,
            &[
                ("ratings.dat", b"1::a::5::88\n2::a::3::88\n2::b::1::88\n"),
                ("movies.dat", b"a::Tea::Drama|War\nz::None::\n"),
            ],
        ),
        (
            "ml-latest",
            InputFormat::MovieLens,
            &[
                ("ratings.csv", b"userId,movieId,rating,timestamp\n1,a,5.0,8\n2,a,3.5,8\n2,b,1,8\n"),
                ("movies.csv", b"movieId,title,genres\na,\"Tea\",Drama\nz,None,\n"),
                ("tags.csv", b"userId,movieId,tag,timestamp\n1,a,nice,8\n"),
            ],
        ),
        (
            "hetrec",
            InputFormat::HetRec,
            &[
                ("user_artists.dat", b"userID\tartistID\tweight\n1\ta\t50\n2\ta\t3\n2\tb\t1\n"),
                ("artists.dat", b"id\tname\turl\tpictureURL\na\tTea\thttp://x\nz\tNone\t\t\n"),
            ],
        ),
        (
            "recbole",
            InputFormat::RecBole,
            &[
                ("ml.inter", b"user_id:token\titem_id:token\trating:float\n1\ta\t5\n2\ta\t4\n2\tb\t1\n"),
                (
                    "ml.item",
                    b"item_id:token\tmovie_title:token_seq\trelease_year:token\na\tTea\t1995\nz\tNone\t\n",
                ),
            ],
        ),
    ];
    for &(name, format, files) in cases {
        for zipped in [false, true] {
            let packed: Vec<(String, Vec<u8>)> = files
                .iter()
                .map(|(name, bytes)| {
                    if zipped {
                        (format!("{name}.gz"), gzip(bytes))
                    } else {
                        ((*name).to_owned(), bytes.to_vec())
                    }
                })
                .collect();
            let files: Vec<(&str, &[u8])> = packed.iter().map(|(n, b)| (n.as_str(), b.as_slice())).collect();
            let (data, report) =
                read_folder(&files, &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(report.format, format, "{name}");
            assert_eq!(edges(&data), owned(&[("1", "a"), ("2", "a"), ("2", "b")]), "{name}");
            assert_eq!(
                (data.users.id(0), data.items.id(0)),
                ("1", "a"),
                "{name}: rows in order of appearance"
            );
            assert_eq!(data.items.title(0), Some("Tea"), "{name}");
            assert_eq!(data.items.title(1), None, "{name}");
            assert_eq!(report.titles_joined, 1, "{name}");
            // The same file named, and the form said.
            let folder = folder(&files);
            let options = ReadOptions { format, ..ReadOptions::default() };
            assert_eq!(read(&folder.path().join(files[0].0), &options).unwrap().0, data, "{name}");
        }
    }
}

#[test]
fn old_movielens_titles_are_latin_1_and_newer_ones_utf_8() {
    let files: &[(&str, &[u8])] =
        &[("u.data", b"1\t1\t5\t8\n1\t2\t5\t8\n"), ("u.item", b"1|Mis\xe9rables|\n2|Am\xc3\xa9lie|\n")];
    let (data, _) = read_folder(files, &ReadOptions::default()).unwrap();
    assert_eq!((data.items.title(0), data.items.title(1)), (Some("Misérables"), Some("Amélie")));
    assert_eq!(data.words.items, "films");
}

#[test]
fn a_given_test_part_stays_apart() {
    let files: &[(&str, &[u8])] =
        &[("train.txt", b"u1 a b b\nu2 a\n"), ("test.txt", b"u1 c a\nu3 c c\nu4\n")];
    let (data, report) = read_folder(files, &ReadOptions::default()).unwrap();
    assert_eq!(edges(&data), owned(&[("u1", "a"), ("u1", "b"), ("u2", "a")]));
    let test = pairs(&data, data.given_test.as_ref().unwrap());
    assert_eq!(test.into_iter().collect::<Vec<_>>(), owned(&[("u1", "c"), ("u3", "c")]));
    assert_eq!((report.in_both_parts, report.duplicates, report.files.len()), (1, 2, 2));
}

#[test]
fn a_test_part_and_titles_may_be_named() {
    let folder = folder(&[
        ("a.csv", b"user,item\n1,x\n"),
        ("b.csv", b"item,user\ny,1\n"),
        ("names.txt", b"item;name\nx;Tea\n"),
    ]);
    let options = ReadOptions {
        test: Some(folder.path().join("b.csv")),
        titles: Some(folder.path().join("names.txt")),
        ..ReadOptions::default()
    };
    let (data, _) = read(&folder.path().join("a.csv"), &options).unwrap();
    assert_eq!(data.given_test.as_ref().map(Vec::len), Some(1));
    assert_eq!(data.items.title(0), Some("Tea"));
}

#[test]
fn columns_may_be_named() {
    let columns = Columns {
        user: Some("who".into()),
        item: Some("What".into()),
        rating: Some("liked".into()),
        title: Some("label".into()),
    };
    let options = ReadOptions { columns, min_rating: Some(2.0), ..ReadOptions::default() };
    let text = b"liked,user,item,who,what,label\n3,x,y,1,a,Tea\n1,x,y,2,b,Milk\n";
    let (data, report) = read_folder(&[("any.csv", text)], &options).unwrap();
    assert_eq!(edges(&data), owned(&[("1", "a")]));
    assert_eq!((data.items.title(0), report.below_min_rating), (Some("Tea"), 1));
}

#[test]
fn the_core_is_taken_of_the_training_part() {
    let files: &[(&str, &[u8])] =
        &[("train.txt", b"0 9\n1 a b\n2 a b\n3 a c\n"), ("test.txt", b"1 c\n2 z\n3 a\n")];
    let options = ReadOptions { k_core: Some(2), ..ReadOptions::default() };
    let (data, report) = read_folder(files, &options).unwrap();
    assert_eq!(edges(&data), owned(&[("1", "a"), ("1", "b"), ("2", "a"), ("2", "b")]));
    assert_eq!(data.given_test, Some(vec![]));
    let dropped = report.dropped_by_core;
    assert_eq!((dropped.users, dropped.items, dropped.interactions), (2, 3, 5));
}

#[test]
fn a_folder_of_two_minds_is_refused_until_told() {
    let files: &[(&str, &[u8])] = &[("u.data", b"1\ta\t5\t88\n"), ("train.txt", b"1 b\n")];
    let error = read_folder(files, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Ambiguous { .. }), "{error}");
    let options = ReadOptions { format: InputFormat::Adjacency, ..ReadOptions::default() };
    assert_eq!(edges(&read_folder(files, &options).unwrap().0), owned(&[("1", "b")]));
    let options = ReadOptions { format: InputFormat::MovieLens, ..ReadOptions::default() };
    assert_eq!(edges(&read_folder(files, &options).unwrap().0), owned(&[("1", "a")]));
}

#[test]
fn a_file_that_only_happens_to_be_called_items_is_noted() {
    let files: &[(&str, &[u8])] =
        &[("interactions.tsv", b"user\titem\n1\ta\n"), ("items.tsv", b"x\ty\n1\t2\n")];
    let (_, report) = read_folder(files, &ReadOptions::default()).unwrap();
    assert!(report.notes[0].contains("no titles taken"), "{report}");
}

fn parquet_folder(columns: Vec<(&str, ArrayRef)>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(folder.path().join("interactions.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    folder
}

#[test]
fn parquet_ids_may_be_numbers_strings_or_dictionaries() {
    let users: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![1, 2, 2])),
        Arc::new(UInt16Array::from(vec![1, 2, 2])),
        Arc::new(StringArray::from(vec!["1", "2", "2"])),
    ];
    let items: Vec<ArrayRef> = vec![
        Arc::new(LargeStringArray::from(vec!["a", "a", "b"])),
        Arc::new(StringViewArray::from(vec!["a", "a", "b"])),
        Arc::new(vec!["a", "a", "b"].into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for user in &users {
        for item in &items {
            let folder = parquet_folder(vec![
                ("title", Arc::new(StringArray::from(vec![Some("Tea"), None, None]))),
                ("item_id", Arc::clone(item)),
                ("user_id", Arc::clone(user)),
                ("rating", Arc::new(Float64Array::from(vec![5.0, 4.0, 1.0]))),
            ]);
            let (data, report) = read(folder.path(), &ReadOptions::default()).unwrap();
            assert_eq!(report.format, InputFormat::Parquet);
            assert_eq!(edges(&data), owned(&[("1", "a"), ("2", "a"), ("2", "b")]));
            assert_eq!(data.items.title(0), Some("Tea"));
            let options = ReadOptions { min_rating: Some(4.0), ..ReadOptions::default() };
            assert_eq!(read(folder.path(), &options).unwrap().1.below_min_rating, 1);
        }
    }
}

#[test]
fn ratings_are_counted_where_there_are_some_and_never_in_the_way() {
    let counting = ReadOptions { count_ratings: true, ..ReadOptions::default() };
    let counted = |files: &[(&str, &[u8])]| {
        let (_, report) = read_folder(files, &counting).unwrap();
        report.ratings.map(|ratings| (ratings.column, ratings.lowest, ratings.highest, ratings.unrated))
    };
    let of = |column: &str, lowest, highest, unrated| Some((column.to_owned(), lowest, highest, unrated));
    let table = counted(&[("interactions.tsv", b"user\titem\tstars\n1\ta\t2\n2\ta\tnone\n2\tb\t5\n")]);
    assert_eq!(table, of("stars", 2.0, 5.0, 1));
    assert_eq!(counted(&[("u.data", b"1\t2\t3\t9\n1\t4\t5\t9\n")]), of("rating", 3.0, 5.0, 0));
    let plays: &[u8] = b"userID\tartistID\tweight\n1\t2\t13883\n1\t3\n";
    assert_eq!(counted(&[("user_artists.dat", plays)]), of("weight", 13883.0, 13883.0, 1));
    let atomic: &[u8] = b"user_id:token\titem_id:token\trating:float\n1\t2\t1\n1\t3\t4\n";
    assert_eq!(counted(&[("a.inter", atomic)]), of("rating", 1.0, 4.0, 0));
    assert_eq!(counted(&[("train.txt", b"0 1 2\n1 1\n")]), None);
    let ids = || Arc::new(StringArray::from(vec!["1", "2"])) as ArrayRef;
    let some: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.5), None]));
    for (rating, unrated) in [(some, Some(1)), (ids(), None)] {
        let folder = parquet_folder(vec![("user", ids()), ("item", ids()), ("rating", rating)]);
        let (_, report) = read(folder.path(), &counting).unwrap();
        assert_eq!(report.ratings.map(|ratings| ratings.unrated), unrated);
    }
}

#[test]
fn parquet_from_memory_is_as_from_a_file() {
    let folder = parquet_folder(vec![
        ("user", Arc::new(StringArray::from(vec!["zoe", "adam"])) as ArrayRef),
        ("item", Arc::new(StringArray::from(vec!["tea", "milk"]))),
    ]);
    let path = folder.path().join("interactions.parquet");
    let bytes = std::fs::read(&path).unwrap();
    let (from_memory, _) = parse_bytes(InputFormat::Parquet, &bytes, &ReadOptions::default()).unwrap();
    assert_eq!(from_memory, read(&path, &ReadOptions::default()).unwrap().0);
    assert!(parse_bytes(InputFormat::Parquet, b"", &ReadOptions::default()).is_err());
}

#[test]
fn parquet_that_will_not_do_is_answered() {
    let ids = || Arc::new(StringArray::from(vec!["1", "2"])) as ArrayRef;
    let with_null: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NAN]));
    let rated = ReadOptions { min_rating: Some(0.0), ..ReadOptions::default() };
    let cases = [
        (vec![("user", ids()), ("item", with_null)], ReadOptions::default(), "row 2, column 'item': a null"),
        (vec![("user", Arc::clone(&floats)), ("item", ids())], ReadOptions::default(), "is of type Float64"),
        (
            vec![("user", ids()), ("thing", ids())],
            ReadOptions::default(),
            "found the columns 'user', 'thing'",
        ),
        (vec![("user", ids()), ("item", ids())], rated.clone(), "needs ratings"),
        (vec![("user", ids()), ("item", ids()), ("rating", ids())], rated.clone(), "expected a number"),
        (
            vec![("user", ids()), ("item", ids()), ("rating", floats)],
            rated,
            "row 2, column 'rating': expected a rating",
        ),
    ];
    for (columns, options, expected) in cases {
        let message = read(parquet_folder(columns).path(), &options).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn damaged_parquet_never_panics() {
    let folder = parquet_folder(vec![
        ("user", Arc::new(Int64Array::from_iter_values(0..200)) as ArrayRef),
        (
            "item",
            Arc::new(StringArray::from_iter_values((0..200).map(|i| format!("i{}", i % 7)))) as ArrayRef,
        ),
    ]);
    let path = folder.path().join("interactions.parquet");
    let whole = std::fs::read(&path).unwrap();
    for cut in [0, 3, 4, 8, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(read(&path, &ReadOptions::default()).is_err(), "cut at {cut}");
    }
    std::panic::set_hook(Box::new(|_| {}));
    for at in (0..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, &bytes).unwrap();
        let _ = read(&path, &ReadOptions::default());
    }
}
