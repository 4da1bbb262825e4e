//! The picture, the page and the terminal's lines.

use grease_explain::{Change, Goal, Scope};

use super::fixtures::{
    all, bridge, counterfactual, factual, listeners, not_found, own, proved, side, trivial,
};
use super::weaker::{firm, history_alone, joint, many, parts};
use crate::{Record, page, picture, text};

fn list() -> Vec<Record> {
    let next = |record: Record| Record {
        item: "loft".into(),
        item_title: Some("A Loft Above the Harbour".into()),
        rank_before: 10,
        ..record
    };
    vec![
        factual(&[own(0), own(1)]),
        counterfactual(&[own(0)]),
        next(trivial()),
        next(not_found(Goal::Counterfactual, Scope::Own, "carried_by_profile: the item still has rank 4")),
    ]
}

#[test]
fn a_picture_of_one() {
    insta::assert_snapshot!(picture(&counterfactual(&[own(0)]), &listeners()));
}

#[test]
fn a_picture_of_all_kinds() {
    let cited = [own(0), own(1), bridge("other-1", 1), side("other-1"), side("other-2")];
    insta::assert_snapshot!(picture(&counterfactual(&cited), &listeners()));
}

#[test]
fn a_picture_of_nothing_found() {
    let record = not_found(Goal::Counterfactual, Scope::Own, "carried_by_profile: …");
    insta::assert_snapshot!(picture(&record, &listeners()));
}

#[test]
fn a_picture_of_both_at_once() {
    insta::assert_snapshot!(picture(&joint(&[own(0), own(1)]), &listeners()));
}

#[test]
fn a_picture_of_parts() {
    insta::assert_snapshot!(picture(&parts(&[own(0), own(1)], &[own(0), own(2)]), &listeners()));
}

#[test]
fn a_picture_of_what_is_told_instead() {
    insta::assert_snapshot!(picture(&history_alone("carried_by_profile: …", &[own(0)]), &listeners()));
}

#[test]
fn the_terminal() {
    insta::assert_snapshot!(text(&list(), &listeners(), 72));
}

#[test]
fn the_terminal_where_the_question_was_another() {
    let twelve: Vec<_> = (0..12).map(own).collect();
    let records = [
        joint(&[own(0), own(1)]),
        firm(joint(&[own(0)])),
        parts(&[own(0), own(1)], &[own(0), own(2)]),
        history_alone("carried_by_profile: …", &[own(0)]),
        many(Goal::Counterfactual, Change::Removed, &twelve),
        many(Goal::Factual, Change::Kept, &twelve[..7]),
    ];
    insta::assert_snapshot!(text(&records, &listeners(), 72));
}

#[test]
fn the_terminal_keeps_to_its_width() {
    for width in [0, 30, 80, 200] {
        let records: Vec<Record> = all().into_iter().map(|(_, _, record)| record).collect();
        for line in text(&records, &listeners(), width).lines() {
            let cells = crate::measure::terminal_width(line);
            assert!(cells <= width.max(26) && !line.ends_with(' '), "{cells} > {width}: {line}");
        }
    }
    assert_eq!(text(&[], &listeners(), 80), "");
}

#[test]
fn the_page_is_whole() {
    let html = page("Why these are on diego's list", &list(), &listeners());
    assert_eq!(html.matches("<article>").count(), 2, "two items");
    assert_eq!(html.matches("<svg").count(), 4, "a picture each");
    let smaller = "<dt>a smaller set</dt>";
    assert!(!html.contains(smaller), "nothing is known about it");
    let html_of = |record: Record| page("", &[record], &listeners());
    assert!(!html_of(proved(counterfactual(&[own(0)]))).contains(smaller), "nothing is smaller than one");
    assert!(
        html_of(proved(factual(&[own(0), own(1)])))
            .contains(&format!("{smaller}<dd>none does it: proved</dd>"))
    );
    assert!(!html.contains("<script") && !html.contains("http-equiv") && !html.contains("src="));

    let html = html_of(joint(&[own(0)]));
    assert!(html.contains("<dt>rank by these alone</dt><dd>5</dd>"), "both standings");
    let html = html_of(history_alone("carried_by_profile: …", &[own(0)]));
    assert!(html.contains("<dt>checked instead</dt><dd>rank 12 without 1 interaction"), "what was checked");
}
