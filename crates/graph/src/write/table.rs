//! A table with the header `user`, `item`.

use std::path::{Path, PathBuf};

use super::{Titles, WriteError, check_ids, ids, parts, put, titled};
use crate::read::Delimiter;
use crate::read::siblings::folder_of;
use crate::{Catalogue, Interactions};

/// Writes a table, quoted where need be; titles go to `items.tsv` beside it.
pub fn write_table(
    path: &Path,
    data: &Interactions,
    delimiter: Delimiter,
) -> Result<Vec<PathBuf>, WriteError> {
    check_ids(data, "a table", true)?;
    let mut files = Vec::new();
    for (path, edges) in parts(path, data, Titles::Beside)? {
        let rows = edges.iter().map(|&edge| ids(data, edge));
        put_rows(&path, delimiter, ["user", "item"], rows)?;
        files.push(path);
    }
    files.extend(put_titles(path, &data.items)?);
    Ok(files)
}

/// Writes `items.tsv` beside `path`, if any item has a title.
pub(crate) fn put_titles(path: &Path, items: &Catalogue) -> Result<Option<PathBuf>, WriteError> {
    let mut titles = titled(items).peekable();
    if titles.peek().is_none() {
        return Ok(None);
    }
    let path = folder_of(path).join("items.tsv");
    put_rows(&path, Delimiter::Tab, ["item", "title"], titles)?;
    Ok(Some(path))
}

fn put_rows<A: AsRef<[u8]>, B: AsRef<[u8]>>(
    path: &Path,
    delimiter: Delimiter,
    header: [&str; 2],
    rows: impl Iterator<Item = (A, B)>,
) -> Result<(), WriteError> {
    put(path, |out| {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter.byte()).from_writer(out);
        writer.write_record(header)?;
        for (first, second) in rows {
            writer.write_record([first.as_ref(), second.as_ref()])?;
        }
        writer.flush()?;
        Ok(())
    })
}
