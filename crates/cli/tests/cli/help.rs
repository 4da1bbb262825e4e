//! What `--help` teaches.

use insta::assert_snapshot;

use crate::support::Place;

#[test]
fn every_verb_explains_itself() {
    let place = Place::new();
    for verb in [
        "",
        "data",
        "data describe",
        "data convert",
        "data sample",
        "train",
        "import",
        "import lightgcn",
        "import frozen",
        "recommend",
        "explain",
        "batch",
        "merge",
        "verify",
        "serve",
        "link",
        "evaluate",
        "evaluate-model",
        "oracle",
        "oracle check",
        "demo",
        "completions",
        "man",
    ] {
        let help = place.grease(&format!("{verb} --help")).ok();
        assert_snapshot!(format!("help {verb}").trim().replace(' ', "_"), help);
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
}
