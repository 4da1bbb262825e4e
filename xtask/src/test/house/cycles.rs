//! Modules of a crate need each other one way only: no cycles, but for those with a reason.
//!
//! A module is the first part of a path below `src/`, and needs those its `crate::` paths name.

use std::collections::{BTreeMap, BTreeSet};

use super::Fault;
use super::code::{block, words};
use super::tree::Tree;

/// A cycle that is there for a reason: the crate, its modules in order, and why.
pub(super) type Listed = (&'static str, &'static [&'static str], &'static str);

const HERE: &str = "xtask/src/test/house/cycles.rs";

pub(super) const LISTED: &[Listed] = &[(
    "crates/models",
    &["lightgcn", "model", "ngcf", "train"],
    "the trainer picks a kind of model, and each kind brings the network that the trainer drives",
)];

/// Crates whose modules never make a cycle, whatever the reason.
pub(super) const NEVER: &[&str] =
    &["crates/explain", "crates/tell", "crates/evaluate", "crates/grease", "crates/serve"];

/// What a crate's modules need: from, to, and where that is first said.
type Needs<'a> = BTreeMap<(&'a str, &'a str), (&'a str, usize)>;

pub(super) fn check(tree: &Tree, listed: &[Listed], never: &[&str]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut found = BTreeSet::new();
    for (package, needs) in packages(tree) {
        for cycle in cycles(&needs) {
            let known = listed.iter().find(|known| known.0 == package && known.1 == cycle.as_slice());
            if known.is_none() || never.contains(&package) {
                faults.push(fault(&cycle, &needs, never.contains(&package)));
            }
            found.extend(known.map(|known| (known.0, known.1)));
        }
    }
    for (package, modules, _) in listed.iter().filter(|known| !found.contains(&(known.0, known.1))) {
        let what = format!("`{}` of {package} are listed as a cycle and are none", modules.join("`, `"));
        faults.push(Fault::new(HERE, 1, what, "take them out of LISTED"));
    }
    faults
}

fn fault(cycle: &[&str], needs: &Needs<'_>, never: bool) -> Fault {
    let within = needs.iter().filter(|((from, to), _)| cycle.contains(from) && cycle.contains(to));
    let within: Vec<_> = within.collect();
    let told: Vec<_> =
        within.iter().map(|((from, to), (path, line))| format!("{from} -> {to} ({path}:{line})")).collect();
    let (path, line) = within.first().map_or((HERE, 1), |(_, place)| **place);
    let what = format!("modules need each other in a circle: {}", told.join(", "));
    let mend = "move what both need into a module of its own";
    if never {
        return Fault::new(path, line, what, mend);
    }
    Fault::new(path, line, what, format!("{mend}, or say in {HERE} why it has to be"))
}

/// What the modules of each package need.
fn packages(tree: &Tree) -> BTreeMap<&str, Needs<'_>> {
    let mut packages: BTreeMap<&str, Needs<'_>> = BTreeMap::new();
    for source in &tree.sources {
        let Some((package, module)) = source.below_src().map(|(package, below)| (package, top(below))) else {
            continue;
        };
        if matches!(module, "lib" | "main") {
            continue;
        }
        let needs = packages.entry(package).or_default();
        for (at, word) in source.code.words().filter(|(_, word)| *word == "crate") {
            for other in source.code.below(at, word).map(heads).unwrap_or_default() {
                if other != module {
                    needs.entry((module, other)).or_insert((&source.path, source.code.line(at)));
                }
            }
        }
    }
    packages
}

/// The module a file below `src/` belongs to.
fn top(below: &str) -> &str {
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

/// The first names below a path: one, or one for each part of a group.
fn heads(below: &str) -> Vec<&str> {
    if !below.starts_with('{') {
        return words(below).next().map(|(_, name)| name).into_iter().collect();
    }
    let group = &below[1..block(below)];
    let mut depth = 0;
    let parts = group.split(move |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.filter_map(|part| words(part).next()).map(|(_, name)| name).collect()
}

/// Sets of modules of which each needs every other, if only by way of others.
fn cycles<'a>(needs: &Needs<'a>) -> Vec<Vec<&'a str>> {
    let modules: BTreeSet<&str> = needs.keys().map(|(from, _)| *from).collect();
    let reached: BTreeMap<_, _> = modules.iter().map(|module| (*module, reached(module, needs))).collect();
    let mut cycles: Vec<Vec<&str>> = Vec::new();
    for module in &modules {
        let around = reached[module]
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(module)));
        let cycle: Vec<&str> = around.copied().collect();
        if cycle.len() > 1 && !cycles.contains(&cycle) {
            cycles.push(cycle);
        }
    }
    cycles
}

/// All a module needs, by way of others too.
fn reached<'a>(module: &'a str, needs: &Needs<'a>) -> BTreeSet<&'a str> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![module]);
    while let Some(module) = next.pop() {
        let needed = needs.keys().filter(|(from, _)| *from == module).map(|(_, to)| *to);
        next.extend(needed.filter(|needed| reached.insert(*needed)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree_of;
    use super::*;

    fn cyclic() -> Tree {
        tree_of(&[
            ("crates/x/src/lib.rs", "use crate::{a, b, c};"),
            (
                "crates/x/src/a.rs",
                "\nuse crate::{c::{C, D}, b::B};\n#[cfg(test)]\nmod tests { use crate::d; }",
            ),
            ("crates/x/src/b/mod.rs", "// crate::d\nfn b() -> crate::c::C {}"),
            ("crates/x/src/c.rs", "use crate::{C, d::{self, E}, a::A};"),
            ("crates/x/src/d.rs", "use crate::d::inner;"),
        ])
    }

    fn told(listed: &[Listed], never: &[&str]) -> Vec<String> {
        check(&cyclic(), listed, never).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_cycle_is_told_with_each_of_its_steps() {
        let told = told(&[], &[]);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("crates/x/src/a.rs:2: "), "{told:?}");
        assert!(
            told[0].contains(
                "a -> b (crates/x/src/a.rs:2), a -> c (crates/x/src/a.rs:2), b -> c (crates/x/src/b/mod.rs:2), c -> a (crates/x/src/c.rs:1); "
            ),
            "{told:?}"
        );
    }

    #[test]
    fn a_listed_cycle_may_be_but_not_where_none_may() {
        let listed: [Listed; 1] = [("crates/x", &["a", "b", "c"], "why")];
        assert!(told(&listed, &["crates/y"]).is_empty());
        assert_eq!(told(&listed, &["crates/x"]).len(), 1);
    }

    #[test]
    fn a_list_that_is_out_of_date_is_told() {
        let told = told(&[("crates/x", &["a", "b"], "why")], &[]);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[1].contains("`a`, `b` of crates/x are listed"), "{told:?}");
    }
}
