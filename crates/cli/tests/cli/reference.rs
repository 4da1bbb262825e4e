//! The help texts as pages of Markdown.

use std::collections::BTreeSet;

use insta::assert_snapshot;

use crate::support::Place;

fn page(place: &Place, name: &str) -> String {
    String::from_utf8(place.files("reference").remove(name).unwrap()).unwrap()
}

fn written() -> Place {
    let place = Place::new();
    place.grease("man --format markdown --out reference").ok();
    place
}

#[test]
fn pages_are_readable() {
    let place = written();
    for name in ["index", "explain", "data", "data-convert", "import-lightgcn"] {
        assert_snapshot!(format!("reference_{name}"), page(&place, &format!("{name}.md")));
    }
    assert_eq!(place.grease("man --format markdown").ok(), page(&place, "index.md"));
}

#[test]
fn every_option_of_every_verb_has_an_anchor() {
    let place = written();
    let pages = place.files("reference");
    assert!(pages.len() > 20, "{:?}", pages.keys());
    for (name, page) in pages {
        let page = String::from_utf8(page).unwrap();
        let verb = page.lines().next().unwrap().strip_prefix("# grease").unwrap().trim();
        let help = place.grease(&format!("{verb} --help")).ok();
        let begins = |line: &&str| line.starts_with("  -") || line.starts_with("      --");
        let taught: BTreeSet<&str> = help
            .lines()
            .filter(begins)
            .flat_map(|line| line.split([' ', ',']))
            .map(|word| word.trim_end_matches('.'))
            .filter(|word| word.starts_with("--") || *word == "-k")
            .collect();
        assert!(taught.contains("--help"), "{help}");
        for option in taught {
            let anchors = page.matches(&format!("{{ #{option} .option }}")).count();
            assert_eq!(anchors, 1, "{option} in {name}:\n{page}");
        }
    }
}

#[test]
fn links_lead_to_pages_and_anchors_that_are_there() {
    let pages = written().files("reference");
    let mut links = 0;
    for (name, page) in &pages {
        let page = std::str::from_utf8(page).unwrap();
        for link in page.split("](").skip(1).map(|after| after.split(')').next().unwrap()) {
            let there = match link.strip_prefix('#') {
                Some(option) => page.contains(&format!("{{ #{option} .option }}")),
                None => pages.contains_key(link),
            };
            assert!(there, "{link} in {name}");
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}
