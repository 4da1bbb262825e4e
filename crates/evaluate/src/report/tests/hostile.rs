//! Whatever data sets and commands are called, every form stays what it is.

use proptest::prelude::*;

use super::fixtures::small;
use crate::report::{Terminal, charts, html, markdown, sheets, terminal};
use grease_tell::clean;

/// The elements HTML leaves open are closed and the document type goes, so that an XML reader can judge the rest.
fn as_xml(html: &str) -> String {
    let body = html.strip_prefix("<!DOCTYPE html>").unwrap();
    body.replace("charset=\"utf-8\">", "charset=\"utf-8\"/>")
        .replace("initial-scale=1\">", "initial-scale=1\"/>")
}

fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("</svg><script>alert(1)</script>".to_owned()),
        Just("a | b\n| c |\r\n# d".to_owned()),
        Just("```\n<details>&amp;\u{0}\u{1b}[31m".to_owned()),
        Just("**bold** [link](http://x) www.x.y $x$ `code`".to_owned()),
        Just("\u{202E}\u{FFFE}\u{200B}".to_owned()),
        Just(String::new()),
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn names_are_text_in_every_form(name in nasty(), other in nasty()) {
        let mut results = small();
        results.command = other.clone();
        results.grease = name.clone();
        results.schema = other.clone();
        let model = &mut results.models[0];
        model.model.data = name.clone();
        model.model.model_hash = other.clone();
        model.model.data_hash = name;
        model.cells.iter_mut().for_each(|cell| cell.reasons = vec![(other.clone(), 3)]);

        let page = as_xml(&html(&results));
        let tree = roxmltree::Document::parse(&page);
        prop_assert!(tree.is_ok(), "{tree:?}");
        let known = "html head meta title style body main h1 h2 h3 p section ul li details summary dl dt dd div table thead tbody tr th td b i small figure figcaption svg desc rect g path circle text pre code";
        for node in tree.iter().flat_map(|tree| tree.descendants()).filter(roxmltree::Node::is_element) {
            let tag = node.tag_name().name();
            prop_assert!(known.split(' ').any(|known| known == tag), "an element from the data: {tag}");
        }
        for chart in charts(&results) {
            let tree = roxmltree::Document::parse(&chart.svg);
            prop_assert!(tree.is_ok(), "{tree:?}");
        }

        let told = markdown(&results);
        prop_assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
        let command = clean(&other).unwrap_or_default();
        for line in told.lines().filter(|line| *line != command) {
            let ours = line.replace("<details><summary>", "").replace("</summary>", "").replace("</details>", "");
            prop_assert!(!ours.replace("\\\\", "").replace("\\<", "").contains('<'), "{line}");
        }
        for row in told.lines().filter(|line| line.starts_with("| ")) {
            prop_assert!(row.ends_with('|'), "a name broke a row: {row}");
        }

        for sheet in sheets(&results, None) {
            let shown = terminal(&sheet, Terminal { width: 120, unicode: true, colour: false });
            prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        }
    }
}

#[test]
fn markdown_takes_names_as_text() {
    let mut results = small();
    results.models[0].model.data = "a|b <i> *c* `d` [e](https://f) www.g".into();
    results.command = "grease evaluate '```'".into();
    let told = markdown(&results);
    assert!(told.contains("a\\|b \\<i\\> \\*c\\* \\`d\\` \\[e\\](https\\://f) www\\.g"), "{told}");
    assert!(told.contains("````console\ngrease evaluate '```'\n````"), "{told}");
}
