//! There is one door to explaining: whoever explains does so by a `Subject`.

use super::Fault;
use super::code::{block, words};
use super::tree::{Source, Tree};

const DOOR: &str = "crates/grease/src/subject.rs";
/// What only the door may take from the crate that explains.
const BEHIND: [&str; 2] = ["Explainer", "Task"];
/// The door's own parts, what is behind it, and what tests that.
const INSIDE: [&str; 3] = ["crates/grease/src/subject/", "crates/explain/", "crates/testing/"];

pub(super) fn check(tree: &Tree) -> Vec<Fault> {
    let outside = |source: &&Source| {
        source.path != DOOR && !INSIDE.iter().any(|inside| source.path.starts_with(inside))
    };
    tree.sources
        .iter()
        .filter(|source| source.below_src().is_some())
        .filter(outside)
        .flat_map(faults)
        .collect()
}

fn faults(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, word) in source.code.words() {
        if !names_the_crate(source, at, word) {
            continue;
        }
        let path = path_at(&source.code.text[at..]);
        for (_, name) in words(path).filter(|(_, name)| BEHIND.contains(name)) {
            let what = format!("`{name}` of grease_explain is used outside the door");
            let mend = format!("ask by `Subject`, which {DOOR} makes explain");
            faults.push(Fault::new(&source.path, source.code.line(at), what, mend));
        }
        if path.contains('*') {
            let mend = "name what is used";
            let what = "everything of grease_explain is imported";
            faults.push(Fault::new(&source.path, source.code.line(at), what, mend));
        }
    }
    faults
}

/// Whether a word is the crate that explains: by its own name, or as the facade calls it.
fn names_the_crate(source: &Source, at: usize, word: &str) -> bool {
    let before = source.code.text[..at].trim_end();
    // A crate may have a module of that name; in the facade it is the crate.
    let own = ["crate::", "self::", "super::"].iter().any(|own| before.ends_with(own));
    word == "grease_explain" || word == "explain" && (!own || source.path.starts_with("crates/grease/"))
}

/// The path or use tree that begins here.
fn path_at(code: &str) -> &str {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let end = code.find(|c| !goes_on(c)).unwrap_or(code.len());
    let (path, rest) = code.split_at(end);
    if !path.ends_with("::") {
        return path;
    }
    let more = if rest.starts_with('{') { block(rest) } else { usize::from(rest.starts_with('*')) };
    &code[..end + more]
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree_of;
    use super::*;

    fn told(path: &str, code: &str) -> Vec<String> {
        check(&tree_of(&[(path, code)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn whatever_way_it_is_named_by_it_is_found() {
        for code in [
            "use grease_explain::Explainer;",
            "use grease_explain::{Goal, Method,\n    Task};",
            "use grease::explain::{Goal, Task as What};",
            "use grease::{Asked, explain::{Goal, Task}};",
            "type Explaining<'a> = grease::explain::Explainer<'a>;",
            "use grease::explain;\nfn f(task: &explain::Task) {}",
            "use grease_explain::*;",
            "pub use grease_explain::{Explainer};",
        ] {
            assert_eq!(told("crates/cli/src/a.rs", code).len(), 1, "{code}");
        }
        let twice = told("bindings/python/src/a.rs", "\nuse grease::explain::{Explainer, Task};");
        assert_eq!(twice.len(), 2);
        assert!(twice[1].starts_with("bindings/python/src/a.rs:2: `Task` of grease_explain"), "{twice:?}");
    }

    #[test]
    fn other_things_of_these_names_and_words_about_them_are_not() {
        for code in [
            "pub use grease_explain as explain;",
            "use grease_explain::{Goal, Items, TaskError};",
            "use crate::explain::Task;",
            "use super::explainer::Explainer;",
            "struct Explainer; struct Task;",
            "/// [`grease_explain::Task`]\n// grease_explain::Task\nconst A: &str = \"grease_explain::Task\";",
            "#[cfg(test)]\nmod tests { use grease_explain::Task; }",
        ] {
            assert_eq!(told("crates/cli/src/a.rs", code), Vec::<String>::new(), "{code}");
        }
        assert_eq!(told("crates/grease/src/a.rs", "use crate::explain::Task;").len(), 1);
    }

    #[test]
    fn the_door_itself_and_tests_may() {
        for path in [
            DOOR,
            "crates/grease/src/subject/a.rs",
            "crates/explain/src/a.rs",
            "crates/testing/src/a.rs",
            "crates/cli/tests/a.rs",
        ] {
            assert_eq!(told(path, "use grease_explain::Task;"), Vec::<String>::new(), "{path}");
        }
        for path in ["crates/models/benches/a.rs", "crates/grease/examples/a.rs"] {
            assert_eq!(told(path, "use grease_explain::Task;"), Vec::<String>::new(), "{path}");
        }
    }
}
