//! Libraries speak no flags: a message names a field, and each surface writes it its own way.

use super::Fault;
use super::tree::{Source, Tree};

/// What Python and HTTP speak through, too.
const LIBRARIES: [&str; 8] =
    ["kernels", "graph", "models", "explain", "oracle", "tell", "grease", "evaluate"];

pub(super) fn check(tree: &Tree) -> Vec<Fault> {
    let is_library = |source: &&Source| {
        let package = source.below_src().and_then(|(package, _)| package.strip_prefix("crates/"));
        package.is_some_and(|package| LIBRARIES.contains(&package))
    };
    tree.sources.iter().filter(is_library).flat_map(faults).collect()
}

fn faults(source: &Source) -> Vec<Fault> {
    let flags = source.code.texts.iter().filter_map(|(at, text)| Some((at, flag(text)?)));
    let fault = |(at, flag): (&usize, &str)| {
        let what = format!("a library speaks of `--{flag}`");
        Fault::new(&source.path, source.code.line(*at), what, "name the field, such as `min_rating`")
    };
    flags.map(fault).collect()
}

/// The first flag of a text, without its dashes.
fn flag(text: &str) -> Option<&str> {
    text.match_indices("--").find_map(|(at, dashes)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + dashes.len()..];
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        // `var(--ink)` and `--ink: black` are of style sheets.
        let begins = before.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '(');
        (end > 1 && begins && !rest[end..].starts_with(':')).then_some(&rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree_of;
    use super::*;

    #[test]
    fn flags_are_for_the_command_line_alone() {
        let speaks = "fn f() {\n    // --comments may\n    say(\"try --min-rating\");\n}\n#[cfg(test)]\nmod tests { const A: &str = \"--all\"; }";
        let told = |path: &str| {
            check(&tree_of(&[(path, speaks)])).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let faults = told("crates/graph/src/a.rs");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(
            faults[0].starts_with("crates/graph/src/a.rs:3: a library speaks of `--min-rating`"),
            "{faults:?}"
        );
        assert_eq!(told("crates/cli/src/a.rs"), [""; 0]);
        assert_eq!(
            [flag("a -- b"), flag("<!-- x -->"), flag("x--y"), flag("{--ink: var(--ink)}")],
            [None; 4]
        );
    }
}
