//! RecBole atomic files.

use std::path::{Path, PathBuf};

use super::{Titles, WriteError, check_ids, ids, parts, put, titled};
use crate::Interactions;
use crate::read::siblings::{folder_of, item_name};

/// Writes `name.inter`; titles go to `name.item` beside it.
pub fn write_recbole(path: &Path, data: &Interactions) -> Result<Vec<PathBuf>, WriteError> {
    check_ids(data, "recbole", true)?;
    let is_inter = path.extension().is_some_and(|extension| extension == "inter");
    let item_name = item_name(path).filter(|_| is_inter).ok_or_else(|| WriteError::Name {
        path: path.to_path_buf(),
        expected: "a RecBole file must end in .inter",
    })?;
    let mut files = Vec::new();
    for (path, edges) in parts(path, data, Titles::Beside)? {
        put(&path, |out| {
            writeln!(out, "user_id:token\titem_id:token")?;
            for &edge in edges {
                let (user, item) = ids(data, edge);
                writeln!(out, "{user}\t{item}")?;
            }
            Ok(())
        })?;
        files.push(path);
    }
    let mut titles = titled(&data.items).peekable();
    if titles.peek().is_some() {
        let path = folder_of(path).join(item_name);
        put(&path, |out| {
            writeln!(out, "item_id:token\ttitle:token_seq")?;
            for (item, title) in titles {
                writeln!(out, "{item}\t{title}")?;
            }
            Ok(())
        })?;
        files.push(path);
    }
    Ok(files)
}
