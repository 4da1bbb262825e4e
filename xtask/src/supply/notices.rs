//! The notices: every package by name, then every text once, with those it belongs to.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::packages::{Package, Packages};
use crate::failure::Failure;

/// How files with licences and notices begin, in capitals.
const BEGINNINGS: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// Texts of code that a package has brought in from elsewhere itself.
const DEEPER: [(&str, &str); 1] = [("zstd-sys", "zstd/LICENSE")];

const PREFACE: &str = "\
Third-party notices

GREASE is licensed MIT OR Apache-2.0. Its binary and its Python package are compiled from it, from Rust's standard library (MIT OR
Apache-2.0, The Rust Project Developers) and from the packages below. The statically linked binary also has parts of the GNU C
Library (LGPL-2.1-or-later) in it; `cargo xtask dist` links it anew, with any version of that library.

This file is written by `cargo xtask notices`.
";

/// The whole file.
pub(super) fn of(packages: &Packages) -> Result<String, Failure> {
    let mut page = format!("{PREFACE}\n{}\n\n", "=".repeat(80));
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    for package in &packages.0 {
        let _ = writeln!(page, "{}: {}", package.called(), licence(package));
        let found = texts_of(package)?;
        if found.is_empty() {
            let by =
                if package.authors.is_empty() { "its authors".into() } else { package.authors.join(", ") };
            let _ = writeln!(page, "    by {by}; comes without a text");
        }
        for text in found {
            match texts.iter_mut().find(|(known, _)| same(known, &text)) {
                Some((_, of)) => of.push(package.called()),
                None => texts.push((text, vec![package.called()])),
            }
        }
    }
    for (text, of) in &texts {
        let _ = write!(page, "\n{}\n{}\n\n{text}\n", "=".repeat(80), wrapped(of));
    }
    Ok(page)
}

fn licence(package: &Package) -> &str {
    if package.licence.is_empty() { "see its text below" } else { &package.licence }
}

/// The texts that come with a package, by the names of their files.
fn texts_of(package: &Package) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(&package.folder).map_err(Failure::file(&package.folder))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| is_notice(name)).collect();
    names.sort();
    names.extend(DEEPER.iter().filter(|(of, _)| *of == package.name).map(|(_, file)| (*file).to_owned()));
    let files = names.iter().map(|name| package.folder.join(name)).filter(|path| path.is_file());
    files.map(|path| read(&path)).collect()
}

fn is_notice(name: &str) -> bool {
    let name = name.to_uppercase();
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) && !name.ends_with(".RS")
}

/// Lines without spaces at their ends, so that the same text is the same.
fn read(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path).map_err(Failure::file(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(lines.join("\n").trim_matches('\n').to_owned())
}

/// The same but for where lines break.
fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// Names after each other, in lines that can be read.
fn wrapped(names: &[String]) -> String {
    const WIDTH: usize = 100;
    let mut lines = String::new();
    let mut column = 0;
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        if column > 0 && column + name.len() + 2 > WIDTH {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines += name;
        lines += comma;
        column += name.len() + comma.len();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(folder: &Path, name: &str) -> Package {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).unwrap();
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            authors: vec!["Ada".to_owned()],
            folder,
            rust_version: None,
            checksum: None,
        }
    }

    #[test]
    fn a_text_stands_once_with_all_it_belongs_to() {
        let folder = tempfile::tempdir().unwrap();
        let packages = ["one", "two", "none"].map(|name| package(folder.path(), name));
        fs::write(packages[0].folder.join("LICENSE-MIT"), "Do as\nyou like.\n").unwrap();
        fs::write(packages[1].folder.join("licence.txt"), "Do as you  like.").unwrap();
        fs::write(packages[1].folder.join("license.rs"), "not a text").unwrap();
        let page = of(&Packages(packages.into())).unwrap();
        assert_eq!(page.matches("you like.").count(), 1, "{page}");
        assert!(page.contains("one 1.0.0, two 1.0.0\n\nDo as\nyou like.\n"), "{page}");
        assert!(page.contains("none 1.0.0: MIT\n    by Ada; comes without a text"), "{page}");
    }

    #[test]
    fn long_lists_break() {
        let names: Vec<String> = (0..30).map(|number| format!("package {number}")).collect();
        let page = wrapped(&names);
        assert!(page.lines().all(|line| line.len() <= 101) && page.lines().count() > 2, "{page}");
        assert_eq!(page.replace('\n', " "), names.join(", "));
    }
}
