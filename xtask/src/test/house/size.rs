//! Files and functions a reader can hold in mind.

use super::Fault;
use super::code::{block, newlines, words};
use super::tree::{Source, Tree};

const FILE_LINES: usize = 450;
const FUNCTION_LINES: usize = 60;

/// What may be longer, by a part of its path, and why.
pub(super) const LEFT_ALONE: &[(&str, &str)] = &[
    ("crates/kernels/", "loops written out for the processor, each beside its naive twin"),
    ("crates/models/src/lightgcn/", "a pass over buffers that is one formula from end to end"),
    ("crates/models/src/ngcf/", "the same"),
    ("crates/models/src/train/", "the same"),
    ("/journal", "what is on the disk and what is read back are read together"),
    ("/in_order", "threads that wait for each other are read together"),
];

pub(super) fn check(tree: &Tree, left_alone: &[(&str, &str)]) -> Vec<Fault> {
    let held = |source: &&Source| !left_alone.iter().any(|(part, _)| source.path.contains(part));
    tree.sources.iter().filter(held).flat_map(faults).collect()
}

fn faults(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    let lines = newlines(&source.text);
    if lines > FILE_LINES {
        let what = format!("the file has {lines} lines, {FILE_LINES} are the most");
        faults.push(Fault::new(&source.path, 1, what, "split it by noun"));
    }
    let code = &source.code;
    for (at, _) in code.words().filter(|(_, word)| *word == "fn") {
        let Some((name, lines)) = function(&code.text[at..]) else { continue };
        if lines > FUNCTION_LINES {
            let what = format!("`{name}` has {lines} lines, {FUNCTION_LINES} are the most");
            faults.push(Fault::new(&source.path, code.line(at), what, "give its parts names"));
        }
    }
    faults
}

/// The name of the function that begins here and its lines to the closing brace; none of one without a body.
fn function(code: &str) -> Option<(&str, usize)> {
    let name = code["fn".len()..].trim_start();
    let (0, name) = words(name).next()? else { return None };
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some((name, 1 + newlines(&code[..at + block(&code[at..])]))),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree_of;
    use super::*;

    fn told(path: &str, code: &str) -> Vec<String> {
        let faults = check(&tree_of(&[(path, code)]), &[("crates/a/src/left", "why")]);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_too_long_is_told_but_where_it_is_left_alone() {
        assert!(told("crates/a/src/b.rs", &"\n".repeat(450)).is_empty());
        let long = "\n".repeat(451);
        assert_eq!(
            told("crates/a/src/b.rs", &long),
            ["crates/a/src/b.rs:1: the file has 451 lines, 450 are the most; split it by noun"]
        );
        assert!(told("crates/a/src/left.rs", &long).is_empty());
        assert!(told("crates/a/tests/b.rs", &long).is_empty());
    }

    #[test]
    fn a_function_too_long_is_told_from_its_first_line_to_its_brace() {
        let of = |lines: usize| {
            format!("\npub fn b(a: [u8; 2]) {{{}\n}}\nfn c();\n", "\nlet s = \"}\";".repeat(lines - 2))
        };
        assert!(told("crates/a/src/b.rs", &of(60)).is_empty());
        let told_of = told("crates/a/src/b.rs", &of(61));
        assert_eq!(told_of.len(), 1);
        assert!(told_of[0].starts_with("crates/a/src/b.rs:2: `b` has 61 lines"), "{told_of:?}");
        let in_tests = format!("#[cfg(test)]\nmod tests {{{}}}", of(61));
        assert!(told("crates/a/src/b.rs", &in_tests).is_empty());
    }

    #[test]
    fn what_is_no_function_has_no_lines() {
        let code = format!("type A = fn(u8) -> u8;\nstruct B {{{}}}", "\n".repeat(70));
        assert!(told("crates/a/src/b.rs", &code).is_empty());
    }
}
