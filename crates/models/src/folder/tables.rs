//! The tables of a model folder: who and what the rows are, and the interactions by original id.

use std::path::Path;

use grease_graph::{Catalogue, CatalogueBuilder, Edge};

use crate::folder::error::FolderError;

/// `row  id  title`, a line a row.
pub(super) fn catalogue_text(catalogue: &Catalogue) -> String {
    let mut text = String::from("row\tid\ttitle\n");
    for row in 0..catalogue.len() as u32 {
        // Readers keep control characters out of ids; a title may hold anything and must not break the table.
        let title: String = catalogue
            .title(row)
            .unwrap_or("")
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        text.push_str(&format!("{row}\t{}\t{title}\n", catalogue.id(row)));
    }
    text
}

/// `user  item`, a line an interaction.
pub(super) fn edges_text(users: &Catalogue, items: &Catalogue, edges: impl Iterator<Item = Edge>) -> String {
    let mut text = String::from("user\titem\n");
    for edge in edges {
        text.push_str(users.id(edge.user.0));
        text.push('\t');
        text.push_str(items.id(edge.item.0));
        text.push('\n');
    }
    text
}

/// Reads a [`catalogue_text`]; still a builder, for its fast look-up of ids.
pub(super) fn read_catalogue(path: &Path, bytes: &[u8]) -> Result<CatalogueBuilder, FolderError> {
    let mut builder = CatalogueBuilder::new();
    for (line, text) in lines(path, bytes, "row\tid")? {
        let fail = |reason: String| FolderError::Line { file: path.into(), line, reason };
        let mut fields = text.splitn(3, '\t');
        let (Some(row), Some(id)) = (fields.next(), fields.next()) else {
            return Err(fail("expected a row number and an id, separated by a tab".into()));
        };
        let expected = builder.len() as u32;
        if row.parse() != Ok(expected) {
            return Err(fail(format!("expected row {expected}, found `{row}`")));
        }
        if builder.intern(id) != Some(expected) {
            return Err(fail(format!("id `{id}` stands here a second time")));
        }
        if let Some(title) = fields.next() {
            builder.set_title(expected, title);
        }
    }
    Ok(builder)
}

/// Reads an [`edges_text`].
pub(super) fn read_edges(
    path: &Path,
    bytes: &[u8],
    users: &CatalogueBuilder,
    items: &CatalogueBuilder,
) -> Result<Vec<Edge>, FolderError> {
    let mut edges = Vec::new();
    // Interactions stand together by user: most look-ups are the one before.
    let mut last = ("", 0);
    for (line, text) in lines(path, bytes, "user\titem")? {
        let fail = |reason: String| FolderError::Line { file: path.into(), line, reason };
        let Some((user, item)) = text.split_once('\t') else {
            return Err(fail("expected a user and an item, separated by a tab".into()));
        };
        if last.0 != user || edges.is_empty() {
            let row = users.row(user).ok_or_else(|| fail(format!("user `{user}` is not in users.tsv")))?;
            last = (user, row);
        }
        let item = items.row(item).ok_or_else(|| fail(format!("item `{item}` is not in items.tsv")))?;
        edges.push(Edge::new(last.1, item));
    }
    edges.sort_unstable();
    Ok(edges)
}

/// The lines after the header, with their numbers.
fn lines<'a>(
    path: &Path,
    bytes: &'a [u8],
    header: &str,
) -> Result<impl Iterator<Item = (usize, &'a str)>, FolderError> {
    let text = std::str::from_utf8(bytes).map_err(|error| FolderError::Line {
        file: path.into(),
        line: 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count(),
        reason: "not UTF-8 text".into(),
    })?;
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    match lines.next() {
        Some((_, first)) if first.starts_with(header) => Ok(lines),
        _ => Err(FolderError::Line {
            file: path.into(),
            line: 1,
            reason: format!("expected the header `{}`", header.replace('\t', " ")),
        }),
    }
}
