//! The packages of the workspace and those they are built from, as cargo knows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::failure::Failure;
use crate::process::{self, cargo};

/// Where released packages run.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The two that everything released is made of.
const RELEASED: [&str; 2] = ["grease-cli", "grease-python"];

/// A package from elsewhere.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression, or nothing where the manifest names a file instead.
    pub(crate) licence: String,
    pub(crate) authors: Vec<String>,
    pub(crate) folder: PathBuf,
    /// The oldest Rust it says it can be compiled with.
    pub(crate) rust_version: Option<String>,
    /// SHA-256 of what crates.io has.
    pub(crate) checksum: Option<String>,
}

impl Package {
    /// Name and version.
    pub(crate) fn called(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// What is compiled into the packages we release, sorted by name; none of it is ours.
pub(crate) struct Packages(pub(crate) Vec<Package>);

impl Packages {
    pub(crate) fn read() -> Result<Self, Failure> {
        let metadata = ["metadata", "--format-version=1", "--locked", "--filter-platform", TARGET];
        let metadata = process::output(&mut cargo(metadata))?;
        let metadata: Value = serde_json::from_str(&metadata)
            .map_err(|error| Failure::work(format!("`cargo metadata` wrote what cannot be read: {error}")))?;
        let lock = process::workspace_root().join("Cargo.lock");
        let lock = fs::read_to_string(&lock).map_err(Failure::file(&lock))?;
        let mut packages = Self::among(&metadata);
        for package in &mut packages.0 {
            package.checksum = checksum(&lock, package);
        }
        Ok(packages)
    }

    fn among(metadata: &Value) -> Self {
        let used = used(metadata);
        let packages = list(&metadata["packages"]);
        let foreign =
            packages.filter(|package| !package["source"].is_null() && used.contains(text(&package["id"])));
        let mut found: Vec<Package> = foreign.map(package).collect();
        found.sort();
        Self(found)
    }
}

/// The ids of all that the released packages need at run time.
fn used(metadata: &Value) -> BTreeSet<&str> {
    let needs: BTreeMap<&str, Vec<&str>> = list(&metadata["resolve"]["nodes"])
        .map(|node| {
            (text(&node["id"]), list(&node["deps"]).filter(|need| at_run_time(need)).map(id).collect())
        })
        .collect();
    let released = list(&metadata["packages"]).filter(|package| RELEASED.contains(&text(&package["name"])));
    let mut open: Vec<&str> = released.map(|package| text(&package["id"])).collect();
    let mut used = BTreeSet::new();
    while let Some(next) = open.pop() {
        if used.insert(next) {
            open.extend(needs.get(next).into_iter().flatten());
        }
    }
    used
}

/// Cargo.lock has a paragraph a package, in lines of one form.
fn checksum(lock: &str, package: &Package) -> Option<String> {
    let beginning = format!("name = \"{}\"\nversion = \"{}\"\n", package.name, package.version);
    let (_, after) = lock.split_once(&beginning)?;
    let lines = after.lines().take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.strip_prefix("checksum = \"")?.strip_suffix('"')).next().map(str::to_owned)
}

fn at_run_time(need: &Value) -> bool {
    list(&need["dep_kinds"]).any(|kind| kind["kind"].is_null())
}

fn id(need: &Value) -> &str {
    text(&need["pkg"])
}

fn package(package: &Value) -> Package {
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    Package {
        name: text(&package["name"]).to_owned(),
        version: text(&package["version"]).to_owned(),
        licence: text(&package["license"]).replace('/', " OR "),
        authors: list(&package["authors"]).map(|author| text(author).to_owned()).collect(),
        folder: manifest.parent().map(PathBuf::from).unwrap_or_default(),
        rust_version: package["rust_version"].as_str().map(str::to_owned),
        checksum: None,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn described(name: &str, ours: bool) -> Value {
        let source = if ours { Value::Null } else { json!("registry") };
        json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "authors": [], "source": source,
            "manifest_path": format!("/there/{name}/Cargo.toml"), "rust_version": "1.70"})
    }

    #[test]
    fn what_is_only_for_building_or_testing_is_left_out() {
        let need = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [described("grease-cli", true), described("grease", true), described("far", false),
                described("test", false), described("build", false)],
            "resolve": {"nodes": [
                {"id": "grease-cli", "deps": [need("grease", Value::Null), need("test", json!("dev"))]},
                {"id": "grease", "deps": [need("far", Value::Null), need("build", json!("build"))]},
            ]},
        });
        let Packages(found) = Packages::among(&metadata);
        assert_eq!(found.iter().map(Package::called).collect::<Vec<_>>(), ["far 1.0.0"]);
        assert_eq!(found[0].licence, "MIT OR Apache-2.0");
        assert_eq!(found[0].folder, PathBuf::from("/there/far"));
        let lock = "[[package]]\nname = \"far\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"ab12\"\n\n[[package]]\n";
        assert_eq!(checksum(lock, &found[0]).as_deref(), Some("ab12"));
        assert_eq!(checksum(&lock.replace("1.0.0", "1.0.1"), &found[0]), None);
    }
}
