//! Tables with a header: tab, comma or semicolon, quoted as CSV is.

use std::path::Path;

use super::error::{At, Position, ReadError, excerpt};
use super::format::Delimiter;
use super::rows::{Field, Row, Sink};
use super::source::{Guarded, Source};

/// Reads every row of a table into `sink`.
pub(crate) fn read_table(source: Source<'_>, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let header = source.first_line();
    let (file, guarded) = source.into_guarded();
    let gzip = guarded.is_gzip();
    let top = At::line(&file, 1);
    let Some(delimiter) = Delimiter::detect(&header) else {
        return Err(ReadError::OneColumn { at: top.place(), found: excerpt(&header) });
    };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter.byte()).buffer_capacity(1 << 16).from_reader(guarded);
    let names: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(|name| name.trim().to_owned()).collect(),
        Err(error) => return Err(explain(&file, gzip, 1, error)),
    };
    let pick = sink.pick(top, &names)?;
    let mut record = csv::StringRecord::new();
    loop {
        reader.get_mut().record_ended();
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Err(explain(&file, gzip, line, error)),
        }
        let at = At::line(&file, record.position().map_or(line, csv::Position::line));
        // In a file of tabs a quoted line end is nearly always a title that begins with a quotation mark.
        if delimiter == Delimiter::Tab && record.as_slice().contains('\n') {
            return Err(ReadError::StrayQuote { at: at.place() });
        }
        // The reader has checked that every record is as wide as the header.
        let field = |column: Option<usize>| match column {
            Some(column) => Field { text: record.get(column).unwrap_or_default(), column: &names[column] },
            None => Field::default(),
        };
        let row = Row {
            user: field(pick.user),
            item: field(Some(pick.item)),
            rating: field(pick.rating),
            title: field(pick.title),
        };
        sink.row(at, row)?;
    }
}

fn explain(file: &Path, gzip: bool, line: u64, error: csv::Error) -> ReadError {
    let known = error.position().map_or(line, csv::Position::line);
    let at = At { file, position: Position::Line(known) };
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Guarded::explain(gzip, at, error),
        csv::ErrorKind::Utf8 { .. } => ReadError::NotUtf8 { at: at.place() },
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            ReadError::FieldCount { at: at.place(), expected: expected_len.to_string(), found: len }
        }
        other => {
            let source = std::io::Error::other(format!("{other:?}"));
            ReadError::Io { path: file.to_path_buf(), source }
        }
    }
}
