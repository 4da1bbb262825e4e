//! Joins titles to items that have interactions.

use std::path::Path;

use super::collect::checked_title;
use super::columns::{Role, need};
use super::error::{At, ReadError};
use super::format::InputFormat;
use super::parquet::read_parquet;
use super::rows::{Pick, Row, Sink};
use super::separated::{read_headed, read_movies};
use super::siblings::base_name;
use super::source::Source;
use super::table::read_table;
use crate::CatalogueBuilder;

/// Reads the titles in `path` into `items`; returns how many were of items without interactions.
pub(crate) fn join_titles(
    path: &Path,
    format: InputFormat,
    items: &mut CatalogueBuilder,
) -> Result<u64, ReadError> {
    let mut join = Join { items, unknown: 0 };
    let source = Source::open(path)?;
    if source.head.starts_with(b"PAR1") && source.expect_text().is_err() {
        read_parquet(path, &mut join)?;
        return Ok(join.unknown);
    }
    source.expect_text()?;
    if source.head.is_empty() {
        let expected = "a header with an item and a title column, such as 'item\ttitle'";
        return Err(ReadError::Empty { path: path.to_path_buf(), expected });
    }
    let name = base_name(path);
    let first = source.first_line();
    let is_header = |sep: char| first.split(sep).any(|name| name.to_ascii_lowercase().contains("id"));
    if first.contains("::") {
        read_movies(source, "::", &mut join)?;
    } else if name == "u.item" || (format == InputFormat::MovieLens && first.contains('|') && !is_header('|'))
    {
        read_movies(source, "|", &mut join)?;
    } else if name.ends_with(".item") || first.contains(":token") {
        read_headed(source, InputFormat::RecBole, &mut join)?;
    } else if name.ends_with(".dat") {
        read_headed(source, InputFormat::HetRec, &mut join)?;
    } else {
        read_table(source, &mut join)?;
    }
    Ok(join.unknown)
}

struct Join<'a> {
    items: &'a mut CatalogueBuilder,
    unknown: u64,
}

impl Sink for Join<'_> {
    fn pick(&self, at: At<'_>, names: &[String]) -> Result<Pick, ReadError> {
        let item = need(at, names, Role::TitledItem, None)?;
        let title = need(at, names, Role::ItemTitle, None)?;
        Ok(Pick { user: None, item, title: Some(title), ..Pick::default() })
    }

    fn row(&mut self, at: At<'_>, row: Row<'_>) -> Result<(), ReadError> {
        match self.items.row(row.item.text.trim()) {
            // No title here does not unsay one found among the interactions.
            Some(_) if row.title.text.trim().is_empty() => {}
            Some(item) => self.items.set_title(item, &checked_title(at, row.title)?),
            None => self.unknown += 1,
        }
        Ok(())
    }
}
