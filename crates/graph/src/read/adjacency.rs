//! One line a user, `user item item …`: how the LightGCN and NGCF papers publish their data.

use super::collect::Collector;
use super::error::ReadError;
use super::rows::Field;
use super::source::{Encoding, Line, Source};

/// Reads every line into `collector`. A user without items is skipped: without an interaction there
/// is no row.
pub(crate) fn read_adjacency(source: Source<'_>, collector: &mut Collector<'_>) -> Result<(), ReadError> {
    if collector.options().min_rating.is_some() {
        let found = "lines of 'user item item …'".to_owned();
        return Err(ReadError::NoRatings { path: source.file.clone(), found });
    }
    let mut lines = source.into_lines(Encoding::Utf8);
    while let Some(Line { at, text }) = lines.next()? {
        // Spaces and tabs only: other white space may be part of a name.
        let mut ids = text.split([' ', '\t']).filter(|id| !id.is_empty());
        let Some(user) = ids.next() else { continue };
        collector.lines += 1;
        let mut row = None;
        for id in ids {
            let user = match row {
                Some(user) => user,
                None => *row.insert(collector.user(at, Field { text: user, column: "user" })?),
            };
            let item = collector.item(at, Field { text: id, column: "item" })?;
            collector.edge(user, item);
        }
    }
    Ok(())
}
