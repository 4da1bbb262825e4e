//! What goes into a table comes out again, and the same rows are the same bytes.

use std::path::PathBuf;

use grease_explain::{Change, Evicted, Goal, NeighbourhoodSize, Scope, Status, SurrogateView};
use grease_graph::Profile;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

use super::columns::{ERROR, in_columns, of_explanations};
use super::*;
use grease_explain::{Minimum, Weaker};

use crate::{Alone, CitedEdge, Instead, Record, Retrained, SCHEMA};

fn text() -> impl Strategy<Value = String> {
    "[a-zé\"\\\\\n \u{1f3b5}]{0,6}"
}

fn edge() -> impl Strategy<Value = CitedEdge> {
    let change = prop::sample::select(vec![Change::Removed, Change::Kept, Change::Added]);
    (change, text(), text(), option::of(text())).prop_map(|(change, user, item, title)| CitedEdge {
        change,
        user,
        item,
        title,
    })
}

fn number() -> impl Strategy<Value = f32> {
    prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO
}

fn record() -> impl Strategy<Value = Record> {
    let who = (text(), option::of(vec(text(), 0..3)), text(), option::of(text()));
    let goal = prop::sample::select(vec![Goal::Factual, Goal::Counterfactual, Goal::Joint, Goal::WhyNot]);
    let status = prop::sample::select(vec![Status::Verified, Status::Refuted, Status::NotFound]);
    let evicted = option::of(prop::sample::select(vec![Evicted::Own, Evicted::Target]));
    let found = (goal, status, option::of(text()), vec(edge(), 0..4), evicted);
    let place = (0..usize::MAX >> 1, option::of(number()), option::of(0..99usize), option::of(any::<bool>()));
    let surrogate = option::of((1..9usize, option::of(1..9usize), option::of(number())));
    (who, found, place, number(), surrogate, any::<u64>()).prop_map(
        |(who, found, place, queries, surrogate, seed)| {
            let (user, history, item, item_title) = who;
            let (goal, status, reason, edges, evicted) = found;
            let (rank_before, margin, rank_after, minimal) = place;
            let again = edges.clone();
            Record {
                schema: SCHEMA.to_owned(),
                user,
                history,
                replaced_by: item_title.clone(),
                replaced_by_title: reason.clone(),
                item,
                item_title,
                k: 10,
                goal,
                scope: Scope::Hops,
                profile: Profile::Neutral,
                method: "grease".to_owned(),
                status,
                reason: reason.as_deref().map(Into::into),
                edges,
                evicted,
                rank_before,
                margin_before: margin,
                rank_start: Some(7),
                rank_after,
                margin_after: margin.map(|margin| -margin),
                minimal,
                minimum: minimal.map(|all| if all { Minimum::Proved } else { Minimum::Searched }),
                proof_queries: rank_after,
                firm: rank_after,
                alone: rank_after.map(|rank| Alone { rank, margin }),
                holds_when_retrained: margin.map(|share| Retrained { share, low: 0.0, high: 1.0 }),
                instead: rank_after.map(|rank_after| Instead {
                    question: [Weaker::HistoryAlone, Weaker::Many, Weaker::Parts][rank_after % 3],
                    profile: Profile::Kept,
                    edges: again,
                    rank_after,
                    margin_after: margin,
                    minimal,
                }),
                profile_share: margin,
                queries,
                neighbourhood: surrogate.map(|(users, ..)| NeighbourhoodSize {
                    users,
                    items: 2,
                    edges: 3,
                    left_out: 0,
                }),
                surrogate: surrogate.map(|(rank_before, rank_after, fidelity)| SurrogateView {
                    rank_before,
                    rank_after,
                    fidelity,
                }),
                seed,
                model: "m".to_owned(),
                data: "d".to_owned(),
                sentence: "Because.".to_owned(),
            }
        },
    )
}

fn row() -> impl Strategy<Value = Row> {
    prop_oneof![
        4 => record().prop_map(|record| Row::Explanation(Box::new(record))),
        1 => (text(), text()).prop_map(|(user, error)| Row::Failure { user, error }),
    ]
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => (text(), any::<u32>(), text(), option::of(text()), number())
            .prop_map(|(user, rank, item, item_title, score)| Place::Listed { user, rank, item, item_title, score }),
        1 => (text(), text()).prop_map(|(user, error)| Place::Failure { user, error }),
    ]
}

fn write<R: TableRow + Clone>(rows: &[R], format: TableFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = TableWriter::new(&mut bytes, format, &json!({ "k": 10 })).unwrap();
    rows.iter().for_each(|row| writer.write(row.clone()).unwrap());
    writer.finish().unwrap();
    bytes
}

fn stored(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_goes_in_comes_out(rows in vec(row(), 0..12)) {
        let bytes = write(&rows, TableFormat::Parquet);
        let (_folder, path) = stored(&bytes);
        prop_assert!(is_table(&path).unwrap());
        let reader = TableReader::<Row>::open(&path).unwrap();
        prop_assert_eq!(reader.run(), Some(&json!({ "k": 10 })));
        let read: Vec<Row> = reader.collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(&read, &rows);
        prop_assert_eq!(write(&read, TableFormat::Parquet), bytes);

        let lines = String::from_utf8(write(&rows, TableFormat::JsonLines)).unwrap();
        let read: Vec<Row> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(read, rows);
    }

    #[test]
    fn so_do_lists(places in vec(place(), 0..12)) {
        let bytes = write(&places, TableFormat::Parquet);
        let (_folder, path) = stored(&bytes);
        let read: Vec<Place> = TableReader::open(&path).unwrap().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(&read, &places);
        let lines = String::from_utf8(write(&places, TableFormat::JsonLines)).unwrap();
        let read: Vec<Place> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(&read, &places);
        // The slow twin: columns by way of JSON.
        let values: Vec<_> = places.iter().map(|place| serde_json::to_value(place).unwrap()).collect();
        let by_json = in_columns(&Place::schema().into(), &values).unwrap();
        prop_assert_eq!(Place::record_batch(&places).unwrap(), by_json);
    }
}

fn one() -> Record {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    record().new_tree(&mut TestRunner::deterministic()).unwrap().current()
}

#[test]
fn every_field_has_a_column_in_its_place() {
    let surrogate = SurrogateView { rank_before: 1, rank_after: None, fidelity: None };
    let text = serde_json::to_string(&Record { surrogate: Some(surrogate), ..one() }).unwrap();
    let fields = serde_json::from_str::<serde_json::Value>(&text).unwrap().as_object().unwrap().len();
    let schema = of_explanations();
    let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
    assert_eq!(names.len(), fields + 1);
    assert_eq!(names.last().unwrap().as_str(), ERROR);
    let mut rest = text.as_str();
    for name in &names[..fields] {
        let at = rest.find(&format!("\"{name}\":"));
        rest = &rest[at.unwrap_or_else(|| panic!("{name} is not where its column is"))..];
    }
}

#[test]
fn every_column_is_documented_with_its_type() {
    use arrow_schema::DataType;
    let said = |kind: &DataType| match kind {
        DataType::Utf8 => "string",
        DataType::Int64 => "int64",
        DataType::UInt64 => "uint64",
        DataType::Float32 => "float",
        DataType::Boolean => "boolean",
        DataType::List(_) => "list",
        _ => "struct",
    };
    let page = include_str!("../../../../docs/batch.md");
    let (explanations, lists) = page.split_once("## Lists alone").unwrap();
    for (page, schema) in [(explanations, Row::schema()), (lists, Place::schema())] {
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let documented: Vec<(&str, &str)> =
            rows.map(|(name, kind)| (name, kind.split([' ', ',']).next().unwrap())).collect();
        let columns: Vec<(&str, &str)> =
            schema.fields().iter().map(|field| (field.name().as_str(), said(field.data_type()))).collect();
        assert_eq!(documented, columns);
    }
}

#[test]
fn many_rows_go_through_in_groups() {
    let many: Vec<Row> = (0..20_000)
        .map(|n| match n % 7 {
            0 => Row::Failure { user: n.to_string(), error: "no".to_owned() },
            _ => Row::Explanation(Box::new(Record { user: n.to_string(), ..one() })),
        })
        .collect();
    let bytes = write(&many, TableFormat::Parquet);
    let (_folder, path) = stored(&bytes);
    let read = TableReader::<Row>::open(&path).unwrap().map(Result::unwrap);
    assert!(read.eq(many.iter().cloned()));
    assert!(bytes == write(&many, TableFormat::Parquet));
}

#[test]
fn damage_is_an_error_and_never_a_panic() {
    let rows = vec![Row::Explanation(Box::new(one())); 3];
    let bytes = write(&rows, TableFormat::Parquet);
    for cut in (0..bytes.len()).step_by(bytes.len() / 40) {
        let (_folder, path) = stored(&bytes[..cut]);
        assert!(matches!(TableReader::<Row>::open(&path), Err(TableError::Broken { .. })), "cut at {cut}");
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let (_folder, path) = stored(&bytes);
        if let Ok(reader) = TableReader::<Row>::open(&path) {
            reader.take_while(Result::is_ok).for_each(drop);
        }
    }
}

#[test]
fn what_other_programs_write_is_read() {
    use std::sync::Arc;

    use arrow_array::{
        Array, ArrayRef, Decimal128Array, Float64Array, LargeStringArray, NullArray, StringViewArray,
    };

    let value = |column: &dyn Array| super::columns::value(column, 0);
    let seed = Decimal128Array::from(vec![i128::from(u64::MAX)]).with_precision_and_scale(20, 0).unwrap();
    assert_eq!(value(&seed), Ok(json!(u64::MAX)), "as Spark has it");
    assert_eq!(value(&LargeStringArray::from(vec!["ada"])), Ok(json!("ada")), "as pandas has it");
    assert_eq!(value(&StringViewArray::from(vec!["ada"])), Ok(json!("ada")), "as polars has it");
    assert_eq!(value(&Float64Array::from(vec![0.5])), Ok(json!(0.5)));
    assert_eq!(value(&NullArray::new(1)), Ok(json!(null)));
    let below: ArrayRef = Arc::new(Decimal128Array::from(vec![-1]).with_precision_and_scale(20, 0).unwrap());
    assert!(value(&below).is_err());
}

#[test]
fn spark_has_the_same_columns() {
    let lists = spark_ddl(&Place::schema());
    assert_eq!(lists, "user STRING, rank BIGINT, item STRING, item_title STRING, score FLOAT, error STRING");
    let explanations = spark_ddl(&Row::schema());
    assert!(explanations.contains(
        "edges ARRAY<STRUCT<change: STRING, user: STRING, item: STRING, title: STRING>>, evicted STRING"
    ));
    assert!(explanations.contains("seed DECIMAL(20, 0)") && explanations.contains("minimal BOOLEAN"));
}
