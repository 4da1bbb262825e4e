//! Where real data sets are; they are never part of the project.

use std::path::PathBuf;

use crate::process;

/// The folder of a data set; where there is none, says so and returns nothing.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let data = std::env::var_os("GREASE_DATA")
        .map_or_else(|| process::workspace_root().join("../shared/data"), PathBuf::from);
    let folder = data.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} is not there; GREASE_DATA names the folder that holds {name}", folder.display());
    None
}
