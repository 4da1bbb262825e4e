//! The Rust files of the project, without its tests.

use std::fs;
use std::path::Path;

use super::code::Code;
use crate::failure::Failure;

/// Folders of the project that hold packages.
const PACKAGES: [&str; 4] = ["crates", "bindings", "xtask", "fuzz"];

pub(super) struct Tree {
    pub(super) sources: Vec<Source>,
}

pub(super) struct Source {
    /// From the root of the project, with `/` between.
    pub(super) path: String,
    /// As it is written.
    pub(super) text: String,
    pub(super) code: Code,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let mut sources = Vec::new();
        for packages in PACKAGES {
            read_folder(root, packages, &mut sources)?;
        }
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        let tests: Vec<String> = sources.iter().flat_map(Source::test_modules).collect();
        let is_test = |path: &str| tests.iter().any(|test| is_module(path, test));
        sources.retain(|source| !is_test(&source.path));
        Ok(Self { sources })
    }
}

impl Source {
    /// The package's folder, and the path below its `src`.
    pub(super) fn below_src(&self) -> Option<(&str, &str)> {
        self.path.split_once("/src/")
    }

    /// The modules in other files that only tests have, as paths without an ending.
    fn test_modules(&self) -> impl Iterator<Item = String> {
        let stem = self.path.trim_end_matches(".rs");
        let folder = ["/mod", "/lib", "/main"].into_iter().find_map(|root| stem.strip_suffix(root));
        self.code.test_files.iter().map(move |name| format!("{}/{name}", folder.unwrap_or(stem)))
    }
}

fn is_module(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn read_folder(root: &Path, folder: &str, into: &mut Vec<Source>) -> Result<(), Failure> {
    let place = root.join(folder);
    if !place.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(&place).map_err(Failure::file(&place))? {
        let entry = entry.map_err(Failure::file(&place))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if matches!(name.as_str(), "tests" | "tests.rs" | "target") || name.starts_with('.') {
            continue;
        }
        if entry.path().is_dir() {
            read_folder(root, &path, into)?;
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(entry.path()).map_err(Failure::file(&entry.path()))?;
            let code = Code::of(&text);
            into.push(Source { path, text, code });
        }
    }
    Ok(())
}

/// A tree of these files, for a test.
#[cfg(test)]
pub(super) fn tree_of(files: &[(&str, &str)]) -> Tree {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Tree::read(root.path()).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_left_out_by_name_and_by_declaration() {
        let tree = tree_of(&[
            ("crates/a/src/lib.rs", "mod b;\n#[cfg(test)]\nmod double;\n"),
            ("crates/a/src/b.rs", "#[cfg(test)]\nmod more;\n"),
            ("crates/a/src/b/more.rs", ""),
            ("crates/a/src/b/moreover.rs", ""),
            ("crates/a/src/double.rs", ""),
            ("crates/a/src/double/of.rs", ""),
            ("crates/a/src/tests.rs", ""),
            ("crates/a/tests/a.rs", ""),
            ("crates/a/target/a.rs", ""),
        ]);
        let paths: Vec<_> = tree.sources.iter().map(|source| source.path.as_str()).collect();
        assert_eq!(paths, ["crates/a/src/b.rs", "crates/a/src/b/moreover.rs", "crates/a/src/lib.rs"]);
    }
}
