//! How the house is built: rules about the code as a whole that no compiler checks.

mod code;
mod cycles;
mod documented;
mod door;
mod flags;
mod size;
mod tree;

use std::fmt;

use self::tree::Tree;
use super::counts::Counts;
use super::heading;
use crate::failure::Failure;
use crate::process;

/// Something against a rule: where, what, and what to do.
struct Fault {
    path: String,
    line: usize,
    what: String,
    mend: String,
}

impl Fault {
    fn new(path: &str, line: usize, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into(), mend: mend.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}; {}", self.path, self.line, self.what, self.mend)
    }
}

/// Each rule is a test.
pub(super) fn step(counts: &mut Counts) -> Result<(), Failure> {
    heading("house");
    let tree = Tree::read(&process::workspace_root())?;
    let rules = [
        cycles::check(&tree, cycles::LISTED, cycles::NEVER),
        door::check(&tree),
        flags::check(&tree),
        documented::check(&tree),
        size::check(&tree, size::LEFT_ALONE),
    ];
    for fault in rules.iter().flatten() {
        println!("{fault}");
    }
    let broken = rules.iter().filter(|faults| !faults.is_empty()).count();
    counts.passed += (rules.len() - broken) as u64;
    counts.failed += broken as u64;
    println!("{} files, {} rules, {broken} broken", tree.sources.len(), rules.len());
    if broken == 0 { Ok(()) } else { Err(Failure::work("the house is not built by its rules")) }
}
