//! What people read of a list.

use grease_explain::{Change, Status};
use grease_graph::Words;

use super::*;
use crate::tests::fixtures::listeners;

fn item(item: &str, title: &str, moved: bool) -> ListItem {
    ListItem { item: item.to_owned(), title: Some(title.to_owned()).filter(|t| !t.is_empty()), moved }
}

fn cited(id: &str, title: &str) -> CitedEdge {
    CitedEdge {
        change: Change::Removed,
        user: "mira".to_owned(),
        item: id.to_owned(),
        title: Some(title.to_owned()),
    }
}

fn record(edges: Vec<CitedEdge>, found: bool) -> ListRecord {
    let mut record = ListRecord {
        schema: LIST_SCHEMA.to_owned(),
        user: "mira".to_owned(),
        history: None,
        k: 4,
        share: 0.5,
        needed: 2,
        method: "grease".to_owned(),
        status: if found { Status::Verified } else { Status::NotFound },
        edges,
        before: vec![
            item("1", "Aurora Migration", found),
            item("2", "Lichen Horizon Study", found),
            item("3", "Nachtzug", false),
            item("4", "", false),
        ],
        after: match found {
            true => vec![
                item("3", "Nachtzug", false),
                item("5", "Fjord <b>Weather</b> Station", true),
                item("4", "", false),
                item("6", "Tagzug", true),
            ],
            false => Vec::new(),
        },
        changed: found.then_some(0.5),
        changed_by_rank: found.then_some(0.41),
        minimal: found.then_some(true),
        max_edges: 10,
        queries: 44,
        seed: 1,
        model: "m".to_owned(),
        data: "d".to_owned(),
        sentence: String::new(),
    };
    record.sentence = list_sentence(&record, &listeners());
    record
}

#[test]
fn a_list_is_told_in_a_sentence() {
    let one = record(vec![cited("8", "Camouflage")], true);
    let two = record(vec![cited("8", "Camouflage"), cited("9", "Erasure")], true);
    let many = record((0..7).map(|at| cited(&at.to_string(), &format!("Band {at}"))).collect(), true);
    let none = record(Vec::new(), false);
    insta::assert_snapshot!([one, two, many, none].map(|record| record.sentence).join("\n"));
}

#[test]
fn a_list_is_drawn_and_nothing_of_the_data_is_markup() {
    let svg =
        list_picture(&record(vec![cited("8", "Camouflage"), cited("9", "Erasure")], true), &listeners());
    assert!(svg.contains("Fjord &lt;b&gt;Weather&lt;/b&gt; Station") && !svg.contains("<b>"), "{svg}");
    assert!(svg.contains("left out") && svg.contains("without them"));
    let none = list_picture(&record(Vec::new(), false), &Words::default());
    assert!(none.contains("nothing was found") && !none.contains("without them"));
}

#[test]
fn shares_are_as_they_are_defined() {
    let (before, after) = ([1, 2, 3, 4], [3, 5, 4, 6]);
    assert_eq!(changed(&before, &after), 0.5);
    let weight = |place: f64| 1.0 / (place + 1.0).log2();
    let all = weight(1.0) + weight(2.0) + weight(3.0) + weight(4.0);
    assert!((changed_by_rank(&before, &after) - (weight(2.0) + weight(4.0)) / all).abs() < 1e-12);
    assert_eq!((changed(&before, &before), changed_by_rank(&before, &before)), (0.0, 0.0));
    assert_eq!(changed_by_rank(&before, &[7, 8, 9, 10]), 1.0);
}

#[test]
fn what_is_written_is_read_again() {
    let record = record(vec![cited("8", "Camouflage")], true);
    let written = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<ListRecord>(&written).unwrap(), record);
}
