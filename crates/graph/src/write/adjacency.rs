//! One line a user, as LightGCN reads it.

use std::path::{Path, PathBuf};

use super::table::put_titles;
use super::{Titles, WriteError, check_ids, parts, put};
use crate::Interactions;

/// Writes `user item item …` lines; titles go to `items.tsv` beside them. LightGCN's own code wants the
/// file to be called `train.txt`, the held-out part is then `test.txt`.
pub fn write_adjacency(path: &Path, data: &Interactions) -> Result<Vec<PathBuf>, WriteError> {
    check_ids(data, "lightgcn", false)?;
    let mut files = Vec::new();
    for (path, edges) in parts(path, data, Titles::Beside)? {
        put(&path, |out| {
            for line in edges.chunk_by(|a, b| a.user == b.user) {
                let user = line.first().map_or("", |edge| data.users.id(edge.user.0));
                out.write_all(user.as_bytes())?;
                for edge in line {
                    write!(out, " {}", data.items.id(edge.item.0))?;
                }
                out.write_all(b"\n")?;
            }
            Ok(())
        })?;
        files.push(path);
    }
    files.extend(put_titles(path, &data.items)?);
    Ok(files)
}
