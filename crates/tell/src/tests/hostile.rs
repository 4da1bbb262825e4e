//! Whatever a title or an id holds, pictures and pages stay well-formed and nobody else is given away.

use grease_explain::{Change, Goal, Scope, Status, Weaker};
use grease_graph::{Profile, Words};
use proptest::prelude::*;

use super::fixtures::{all, bridge, counterfactual, own, side, why_not};
use crate::{CitedEdge, Instead, Record, page, picture, sentence, text};

/// The same with nothing found, and what it cites told instead.
fn instead(record: &Record, question: Weaker) -> Record {
    let told = Instead {
        question,
        profile: Profile::Kept,
        edges: record.edges.clone(),
        rank_after: 12,
        margin_after: None,
        minimal: Some(true),
    };
    Record {
        status: Status::NotFound,
        goal: Goal::Joint,
        edges: Vec::new(),
        instead: Some(told),
        ..record.clone()
    }
}

const WEAKER: [Weaker; 3] = [Weaker::HistoryAlone, Weaker::Many, Weaker::Parts];

/// The elements HTML leaves open are closed and the document type goes, so that an XML reader can judge the rest.
fn as_xml(html: &str) -> String {
    let body = html.strip_prefix("<!DOCTYPE html>").unwrap();
    body.replace("charset=\"utf-8\">", "charset=\"utf-8\"/>")
        .replace("initial-scale=1\">", "initial-scale=1\"/>")
}

fn check(record: &Record, words: &Words) -> Result<(), TestCaseError> {
    let svg = picture(record, words);
    let parsed = roxmltree::Document::parse(&svg);
    prop_assert!(parsed.is_ok(), "{parsed:?}: {svg}");
    let html = as_xml(&page(&record.item, std::slice::from_ref(record), words));
    let parsed = roxmltree::Document::parse(&html);
    prop_assert!(parsed.is_ok(), "{parsed:?}: {html}");
    for tree in [roxmltree::Document::parse(&svg), parsed].into_iter().flatten() {
        let known = "article body circle dd desc details dl dt figure g h1 h2 head html li main meta ol p path rect span style summary svg text title";
        for node in tree.descendants().filter(roxmltree::Node::is_element) {
            let name = node.tag_name().name();
            prop_assert!(known.split(' ').any(|known| known == name), "an element from the data: {name}");
        }
    }
    let told = sentence(record, words);
    let breaks = |c: char| c.is_control() || ('\u{202A}'..='\u{202E}').contains(&c);
    prop_assert!(!told.contains(breaks), "{told:?}");
    Ok(())
}

/// Strings that break things, and any others.
fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("</svg><script>alert(1)</script>".to_owned()),
        Just("]]><!-- \" onload='x' &amp; &#0;".to_owned()),
        Just("\u{202E}\u{0}\u{FFFE}\n\r\t\u{85}".to_owned()),
        Just(String::new()),
        "\\PC{0,80}",
        any::<String>(),
    ]
}

/// Whether every line of text stands between the top and the bottom of the picture.
fn inside(svg: &str) -> bool {
    let tree = roxmltree::Document::parse(svg).unwrap();
    let number =
        |node: roxmltree::Node<'_, '_>, name: &str| -> Option<f32> { node.attribute(name)?.parse().ok() };
    let height = number(tree.root_element(), "height").unwrap();
    let mut texts =
        tree.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")));
    texts.all(|node| number(node, "y").is_some_and(|y| (0.0..height).contains(&y)))
}

proptest! {
    #[test]
    fn hostile_strings_break_nothing(
        titles in proptest::collection::vec(proptest::option::of(nasty()), 4),
        ids in proptest::collection::vec(nasty(), 4),
        [person, did, item] in [nasty(), nasty(), nasty()],
    ) {
        let mut record = counterfactual(&[own(0), own(1), side("other-1"), bridge("other-2", 2)]);
        record.item_title = titles[0].clone();
        record.replaced_by_title = titles[1].clone();
        record.item = ids[0].clone();
        record.user = ids[1].clone();
        record.reason = Some(ids[2].as_str().into());
        for (edge, (title, id)) in record.edges.iter_mut().zip(titles.iter().zip(&ids)) {
            *edge = CitedEdge { title: title.clone(), item: id.clone(), user: ids[3].clone(), ..edge.clone() };
        }
        let words = Words { person, did, items: item.clone(), item };
        check(&record, &words)?;
        check(&Record { status: Status::NotFound, ..record.clone() }, &words)?;
        for (edge, change) in record.edges.iter_mut().zip([Change::Removed, Change::Kept].into_iter().cycle()) {
            *edge = CitedEdge { change, user: record.user.clone(), ..edge.clone() };
        }
        check(&Record { goal: Goal::Joint, ..record.clone() }, &words)?;
        for question in WEAKER {
            check(&instead(&record, question), &words)?;
        }
    }

    #[test]
    fn with_scope_own_no_other_id_is_in_any_form(other in "[a-z]{5}-[0-9]{7}", title in "[A-Z]{9}") {
        let mut record = Record { scope: Scope::Own, ..why_not(Change::Added, &[own(0)]) };
        record.edges.push(CitedEdge {
            change: Change::Removed,
            user: other.clone(),
            item: "x".into(),
            title: Some(title.clone()),
        });
        let words = Words::default();
        let told = WEAKER.map(|question| instead(&record, question));
        for record in [record].into_iter().chain(told) {
            let records = [record.clone()];
            let forms = [sentence(&record, &words), picture(&record, &words), page("t", &records, &words), text(&records, &words, 80)];
            for form in forms {
                prop_assert!(!form.contains(&other) && !form.contains(&title), "{form}");
                prop_assert!(!form.contains("another person") && !form.contains("other people"));
            }
        }
    }
}

#[test]
fn every_case_is_well_formed_and_keeps_inside_the_picture() {
    for (case, words, record) in all() {
        check(&record, &words).unwrap();
        assert!(inside(&picture(&record, &words)), "{case}");
    }
}

#[test]
fn a_hundred_interactions_are_drawn_in_part_and_the_rest_counted() {
    let mut record = counterfactual(&[own(0)]);
    for n in 0..99 {
        record.edges.push(CitedEdge { item: format!("more{n}"), ..record.edges[0].clone() });
    }
    let svg = picture(&record, &Words::default());
    assert!(svg.contains("and 86 more, not drawn") && inside(&svg), "{svg}");
}
