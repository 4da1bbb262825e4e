//! What `-h` and `--help` teach.

use std::collections::BTreeSet;

use insta::assert_snapshot;

use crate::support::Place;

/// The most lines that are one screen.
const SCREEN: usize = 40;

/// `grease` itself, every verb and every verb below one, as `-h` lists them.
fn verbs(place: &Place) -> Vec<String> {
    let mut verbs = vec![String::new()];
    let mut at = 0;
    while let Some(verb) = verbs.get(at).cloned() {
        let help = short(place, &verb);
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let names = listed.map_while(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        let names = names.map(|line| line.split(' ').next().unwrap()).filter(|name| *name != "help");
        verbs.extend(names.map(|name| format!("{verb} {name}").trim().to_owned()));
        at += 1;
    }
    verbs
}

fn short(place: &Place, verb: &str) -> String {
    place.grease(&format!("{verb} -h")).ok()
}

fn long(place: &Place, verb: &str) -> String {
    place.grease(&format!("{verb} --help")).ok()
}

/// The options a help explains.
fn options(help: &str) -> BTreeSet<&str> {
    let indented = |line: &&str| line.starts_with("  -") || line.starts_with("      --");
    let lines = help.lines().filter(indented).map(str::trim_start);
    let names = lines.flat_map(|line| line.split("  ").next().unwrap().split([' ', ',', '[', '=']));
    names.filter(|name| name.starts_with('-')).collect()
}

#[test]
fn every_verb_explains_itself() {
    let place = Place::new();
    for verb in verbs(&place) {
        let name = format!("help {verb}").trim().replace(' ', "_");
        assert_snapshot!(name, long(&place, &verb));
    }
}

#[test]
fn a_short_help_is_one_screen_and_a_long_one_has_all_of_it() {
    let place = Place::new();
    let verbs = verbs(&place);
    for verb in ["what-if", "data describe", "import frozen", "oracle check"] {
        assert!(verbs.iter().any(|found| found == verb), "{verb} is not among {verbs:?}");
    }
    for verb in &verbs {
        let (short, long) = (short(&place, verb), long(&place, verb));
        let lines = short.lines().count();
        assert!(lines <= SCREEN, "`grease {verb} -h` has {lines} lines:\n{short}");
        let (in_short, in_long) = (options(&short), options(&long));
        assert!(in_short.len() > 1 || verb.is_empty() || short.contains("Commands:"), "{short}");
        assert!(in_short.is_subset(&in_long), "grease {verb}: {:?}", in_short.difference(&in_long));
        assert!(
            short.contains("see more with '--help'"),
            "`grease {verb} -h` tells nobody that there is more"
        );
    }
}

#[test]
fn a_short_help_has_what_most_need() {
    let place = Place::new();
    for verb in ["", "explain", "train", "batch", "evaluate", "oracle check"] {
        let name = format!("short help {verb}").trim().replace(' ', "_");
        assert_snapshot!(name, short(&place, verb));
    }
}

#[test]
fn old_spellings_are_understood_and_not_taught() {
    let place = Place::new();
    for (old, line, code) in [
        ("--data", "train --data nowhere.csv --out m", 3),
        ("--lr", "train --interactions nowhere.csv --lr 0.01 --out m", 3),
        ("--to", "data convert nowhere.csv --to csv --out there.csv", 3),
        ("--sample-users", "explain --model nowhere --sample-users 3", 4),
        ("--users", "oracle check --oracle-cmd true --interactions nowhere.csv --users 3", 3),
        ("--key-env", "link --user 42 --key-env NO_SUCH_KEY", 2),
    ] {
        let ran = place.grease(line);
        assert_eq!(ran.code, code, "{}", ran.whole());
        assert!(!ran.stderr.contains("unexpected argument"), "{}", ran.whole());
        let verb: Vec<&str> =
            line.split(' ').take_while(|word| !word.starts_with('-') && !word.contains('.')).collect();
        let help = long(&place, &verb.join(" "));
        assert!(!options(&help).contains(old), "{old} is in {help}");
    }
}

#[test]
fn no_verb_at_all_is_wrong_usage_with_the_help() {
    let ran = Place::new().grease("");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("Usage: grease"), "{}", ran.whole());
}

#[test]
fn completions_and_manual_pages_know_every_verb() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.grease(&format!("completions {shell}")).ok();
        assert!(script.contains("evaluate-model"), "{shell}");
    }
    assert!(place.grease("man").ok().contains("EXIT") || place.grease("man").ok().contains("Exit codes"));
    place.grease("man --out pages").ok();
    let pages = place.files("pages");
    for page in ["grease.1", "grease-train.1", "grease-data-convert.1", "grease-demo.1"] {
        assert!(pages.contains_key(page), "{page} is not among {:?}", pages.keys());
    }
    let explain = std::str::from_utf8(&pages["grease-explain.1"]).unwrap();
    for few in ["Run so many processes", "Decides everything random"] {
        assert!(explain.contains(few), "a manual page has what only --help has: {few}");
    }
}

#[test]
fn a_version_says_where_it_is_from_and_what_it_reads() {
    let place = Place::new();
    let (short, long) = (place.grease("-V").ok(), place.grease("--version").ok());
    let first = format!("grease {} (commit ", env!("CARGO_PKG_VERSION"));
    assert!(short.starts_with(&first) && short.lines().count() == 1, "{short}");
    assert!(long.starts_with(&short), "{long}");
    for said in ["\ntarget    ", "\nfeatures  ", "\nformats   grease.model/1, "] {
        assert!(long.contains(said), "{said:?} is not in {long}");
    }
}
