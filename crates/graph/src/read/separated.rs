//! Files of fields between separators, without quoting: MovieLens, HetRec and RecBole.

use super::InputFormat;
use super::error::{At, ReadError};
use super::rows::{Field, Pick, Row, Sink};
use super::source::{Encoding, Line, Lines, Source};

/// Reads MovieLens ratings: `u.data` (tabs) or `ratings.dat` (`::`), neither with a header.
pub(crate) fn read_ratings(source: Source<'_>, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let separator = if source.first_line().contains("::") { "::" } else { "\t" };
    headerless(source, Encoding::Utf8, separator, &["user", "item", "rating", "timestamp"], 3, sink)
}

/// Reads MovieLens titles: `u.item` (`|`) or `movies.dat` (`::`).
pub(crate) fn read_movies(source: Source<'_>, separator: &str, sink: &mut dyn Sink) -> Result<(), ReadError> {
    headerless(source, Encoding::Utf8OrLatin1, separator, &["item", "title"], 2, sink)
}

fn headerless(
    source: Source<'_>,
    encoding: Encoding,
    separator: &str,
    names: &[&str],
    width: usize,
    sink: &mut dyn Sink,
) -> Result<(), ReadError> {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let pick = sink.pick(At::line(&source.file, 1), &names)?;
    let shape = Shape { separator, names: &names, pick, least: width.max(pick.width()), most: usize::MAX };
    read_rows(source.into_lines(encoding), &shape, sink)
}

/// Reads a tab-separated file with a header: HetRec, or RecBole with `name:type` column names.
pub(crate) fn read_headed(
    source: Source<'_>,
    format: InputFormat,
    sink: &mut dyn Sink,
) -> Result<(), ReadError> {
    let mut lines = source.into_lines(Encoding::Utf8);
    let Some(Line { at, text }) = lines.next_filled()? else { return Ok(()) };
    let recbole = format == InputFormat::RecBole;
    let name = |name: &str| match name.rsplit_once(':') {
        Some((name, _)) if recbole => name.trim().to_owned(),
        _ => name.trim().to_owned(),
    };
    let names: Vec<String> = text.split('\t').map(name).collect();
    let pick = sink.pick(at, &names)?;
    // HetRec leaves out trailing fields; RecBole does not.
    let least = if recbole { names.len() } else { pick.width() };
    let shape = Shape { separator: "\t", names: &names, pick, least, most: names.len() };
    read_rows(lines, &shape, sink)
}

struct Shape<'a> {
    separator: &'a str,
    names: &'a [String],
    pick: Pick,
    least: usize,
    most: usize,
}

fn read_rows(mut lines: Lines<'_>, shape: &Shape<'_>, sink: &mut dyn Sink) -> Result<(), ReadError> {
    while let Some(Line { at, text }) = lines.next_filled()? {
        let mut row = Row::default();
        let mut found = 0;
        for (column, text) in text.split(shape.separator).enumerate() {
            found = column + 1;
            let picked = |wanted| wanted == Some(column);
            let slot = if picked(shape.pick.user) {
                &mut row.user
            } else if picked(Some(shape.pick.item)) {
                &mut row.item
            } else if picked(shape.pick.rating) {
                &mut row.rating
            } else if picked(shape.pick.title) {
                &mut row.title
            } else {
                continue;
            };
            *slot = Field { text, column: shape.names.get(column).map_or("", |name| name) };
        }
        if found < shape.least || found > shape.most {
            let expected = match (shape.least, shape.most) {
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} to {most}"),
            };
            let separator = shape.separator.escape_debug();
            let expected = format!("{expected} '{separator}'-separated");
            return Err(ReadError::FieldCount { at: at.place(), expected, found: found as u64 });
        }
        sink.row(at, row)?;
    }
    Ok(())
}
