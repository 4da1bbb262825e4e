//! Files of ids: which row of the weights is whose.

use std::path::Path;

use grease_graph::check_id;

use super::ImportError;

/// The ids of a file, in the order of the rows: one a line, or a table `row id` as `users.tsv` of a model folder is.
pub fn read_ids(file: &Path) -> Result<Vec<String>, ImportError> {
    let bytes = std::fs::read(file).map_err(|error| ImportError::Io { file: file.into(), error })?;
    let fail =
        |line: usize, reason: String| ImportError::Line { file: file.into(), line: line as u64, reason };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        fail(
            1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count(),
            "not UTF-8 text".into(),
        )
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().zip(1..).peekable();
    let is_table = lines.peek().is_some_and(|(first, _)| {
        let mut columns = first.split('\t').map(str::trim);
        columns.next() == Some("row") && columns.next() == Some("id")
    });
    if is_table {
        lines.next();
    }
    let mut ids = Vec::new();
    for (text, line) in lines {
        let id = if is_table {
            let mut fields = text.split('\t');
            let (row, id) = (fields.next().unwrap_or_default(), fields.next());
            if row.trim().parse() != Ok(ids.len()) {
                return Err(fail(
                    line,
                    format!("expected row {}, found `{}`", ids.len(), row.escape_debug()),
                ));
            }
            id.ok_or_else(|| fail(line, "expected a row number and an id, separated by a tab".into()))?
        } else {
            text
        };
        let id = id.trim();
        if id.is_empty() {
            return Err(fail(line, "expected an id, found nothing".into()));
        }
        if check_id(id).is_err() {
            return Err(fail(line, format!("expected one id, found `{}`", id.escape_debug())));
        }
        ids.push(id.to_owned());
    }
    Ok(ids)
}
