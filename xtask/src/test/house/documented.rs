//! Everything that other crates can use says what it is. Fields need not: their names do.

use super::Fault;
use super::tree::{Source, Tree};

/// What begins a public item.
const ITEMS: [&str; 8] = [
    "pub fn ",
    "pub struct ",
    "pub enum ",
    "pub trait ",
    "pub const ",
    "pub type ",
    "pub mod ",
    "pub async fn ",
];

pub(super) fn check(tree: &Tree) -> Vec<Fault> {
    let is_library = |source: &&Source| {
        source
            .below_src()
            .is_some_and(|(package, _)| package.starts_with("crates/") && package != "crates/cli")
    };
    tree.sources.iter().filter(is_library).flat_map(faults).collect()
}

fn faults(source: &Source) -> Vec<Fault> {
    let lines: Vec<&str> = source.text.lines().collect();
    // Comments and tests are blank in the code, and its lines are where they were.
    let code = source.code.text.lines().enumerate();
    let undocumented =
        code.filter(|(at, line)| begins_item(line.trim_start()) && !is_documented(&lines[..*at]));
    let fault = |(at, line): (usize, &str)| {
        let what = format!("`{}` has no documentation", line.trim().trim_end_matches(['{', ';', ' ', '(']));
        Fault::new(&source.path, at + 1, what, "say in a line what it is")
    };
    undocumented.map(fault).collect()
}

fn begins_item(line: &str) -> bool {
    // A module in a file of its own says so itself.
    ITEMS.iter().any(|item| line.starts_with(item)) && !(line.starts_with("pub mod ") && line.ends_with(';'))
}

/// Whether a comment for the documentation stands above, beyond attributes, which may go over several lines.
fn is_documented(above: &[&str]) -> bool {
    let mut above = above.iter().rev().map(|line| line.trim());
    while let Some(line) = above.next() {
        if line.ends_with(']') && !line.starts_with("#[") {
            above.find(|line| line.starts_with("#["));
        } else if !line.starts_with("#[") {
            return line.starts_with("///");
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree_of;
    use super::*;

    #[test]
    fn items_are_documented_and_fields_need_not_be() {
        let code = "/// A.\n#[derive(Debug)]\npub struct A {\n    pub field: u8,\n}\n\nimpl A {\n    pub fn bare(&self) {}\n}\n";
        let told =
            |path: &str| check(&tree_of(&[(path, code)])).iter().map(ToString::to_string).collect::<Vec<_>>();
        let faults = told("crates/a/src/lib.rs");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].starts_with("crates/a/src/lib.rs:8: `pub fn bare"), "{faults:?}");
        assert_eq!(told("crates/cli/src/a.rs"), [""; 0]);
    }
}
