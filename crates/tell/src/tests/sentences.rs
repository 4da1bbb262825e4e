//! Every sentence there is, in one place to read in one go.

use super::fixtures::{all, bridge, counterfactual, listeners, own, side};
use crate::sentence;

#[test]
fn every_sentence() {
    let told: Vec<String> =
        all().iter().map(|(case, _, record)| format!("{case}:\n  {}\n", record.sentence)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn no_jargon_and_one_line_each() {
    for (case, _, record) in all() {
        let told = &record.sentence;
        for word in
            ["edge", "node", "margin", "counterfactual", "factual", "surrogate", "other-", "  ", "..", "\n"]
        {
            assert!(!told.contains(word), "{case}: '{word}' in {told}");
        }
        assert!(told.ends_with('.') && told.starts_with(|c: char| !c.is_lowercase()), "{case}: {told}");
    }
}

#[test]
fn with_scope_own_nobody_else_is_spoken_of() {
    for (case, _, record) in all() {
        if record.scope == grease_explain::Scope::Own {
            let told = record.sentence.to_lowercase();
            assert!(
                !told.contains("other ") && !told.contains("another") && !told.contains("nobody"),
                "{case}: {told}"
            );
        }
    }
    // Even a record that should not be: what it holds about others is not told.
    let leaking = crate::Record {
        scope: grease_explain::Scope::Own,
        ..counterfactual(&[own(0), side("zoe"), bridge("zoe", 1)])
    };
    let told = sentence(&leaking, &listeners());
    assert!(told.contains("Aurora") && !told.contains("zoe") && !told.contains("Lichen"), "{told}");
}
