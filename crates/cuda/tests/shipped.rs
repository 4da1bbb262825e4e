//! The kernels that are shipped are those that were written, and those that are asked for.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use grease_cuda::{PTX, SOURCE};
use sha2::{Digest as _, Sha256};

#[test]
fn what_is_shipped_was_made_from_the_source() {
    let hash: String = Sha256::digest(SOURCE).iter().map(|byte| format!("{byte:02x}")).collect();
    let told = PTX.lines().find_map(|line| line.strip_prefix("// SHA-256 of the source: "));
    assert_eq!(told, Some(hash.as_str()), "a kernel was changed: run `cargo xtask cuda`");
}

#[test]
fn every_card_from_capability_8_on_takes_it_and_every_driver_of_cuda_12() {
    let line = |begins: &str| PTX.lines().find(|line| line.starts_with(begins));
    assert_eq!(line(".target"), Some(".target sm_80"));
    assert_eq!(
        line(".version"),
        Some(".version 8.0"),
        "later PTX needs later drivers: docs/cuda.md says which do"
    );
    assert!(!PTX.contains('\0'), "the driver is given it as text of C");
}

#[test]
fn kernels_that_are_asked_for_are_there() {
    let there: BTreeSet<&str> = kernels().map(without_numbers).collect();
    let asked: BTreeSet<String> = code().iter().flat_map(|code| asked_for(code)).collect();
    assert!(!asked.is_empty(), "nobody asks by `kernel(\"…\")` or `of(\"…\")`: how, then?");
    for name in asked {
        assert!(there.contains(without_numbers(&name)), "`{name}` is asked for, and there is no such kernel");
    }
}

#[test]
fn kernels_that_are_there_are_asked_for() {
    let code = code();
    let named: BTreeSet<&str> = code.iter().flat_map(|code| quoted(code)).map(without_numbers).collect();
    assert!(kernels().count() > 0);
    for kernel in kernels() {
        assert!(named.contains(without_numbers(kernel)), "nobody asks for `{kernel}`");
    }
}

/// Names of the kernels that are shipped.
fn kernels() -> impl Iterator<Item = &'static str> {
    PTX.split(".visible .entry ").skip(1).filter_map(|rest| rest.split_once('(')).map(|(name, _)| name.trim())
}

/// A name without what it is instantiated for: `learn_16`, and `learn_{lanes}` where it is asked for, are `learn`.
fn without_numbers(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((name, number)) if number.parse::<u32>().is_ok() || number.starts_with('{') => {
            without_numbers(name)
        }
        _ => name,
    }
}

/// The crate's own code, file by file.
fn code() -> Vec<String> {
    fn read(folder: &Path, texts: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, texts);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                texts.push(std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut texts = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut texts);
    texts
}

/// All that stands between quotes on one line.
fn quoted(code: &str) -> impl Iterator<Item = &str> {
    code.lines().flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// Names that stand where a kernel is asked for.
fn asked_for(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for begins in ["kernel(\"", "of(\"", "kernel(&format!(\""] {
        for (at, _) in code.match_indices(begins) {
            let part_of_another = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let name = code[at + begins.len()..].split('"').next().unwrap_or_default();
            // `{name}_{lanes}` is asked for by whoever gives the name.
            if !part_of_another && !name.starts_with('{') {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn names_are_found_however_they_are_asked_for() {
    let code = r#"
        let of = |name: &str| card.kernel(&format!("{name}_{lanes}"));
        let bytes = size_of("another thing");
        let learn = if layers == 0 { "learn_alone" } else { "learn" };
        (of("propagate")?, of(learn)?, card.kernel("mean_loss")?, card.kernel(&format!("gather_{width}_{lanes}"))?)
    "#;
    let asked = asked_for(code);
    assert_eq!(asked, ["mean_loss", "propagate", "gather_{width}_{lanes}"]);
    let named: Vec<&str> = quoted(code).map(without_numbers).collect();
    assert!(
        ["learn_alone", "learn", "gather", "propagate"].iter().all(|name| named.contains(name)),
        "{named:?}"
    );
    assert_eq!(without_numbers("gather_64_8"), "gather");
}
