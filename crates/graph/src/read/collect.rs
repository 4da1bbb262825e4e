//! Gathers interactions from any reader: ids checked and given rows, low ratings left out.

use super::columns::{Role, find, need};
use super::error::{At, ReadError, excerpt, list};
use super::options::ReadOptions;
use super::ratings::Tally;
use super::rows::{Field, Pick, Row, Sink};
use crate::id::is_forbidden;
use crate::{BadId, CatalogueBuilder, Edge, check_id};

/// The longest title, in bytes.
pub(crate) const MAX_TITLE: usize = 4096;

/// Edges as they come. Repetitions are removed whenever the list has doubled, so that a file that
/// repeats itself for ever (a small gzip can) does not fill the memory.
#[derive(Debug)]
pub(crate) struct EdgeList {
    edges: Vec<Edge>,
    duplicates: u64,
    compact_at: usize,
}

impl EdgeList {
    const FIRST_COMPACTION: usize = 1 << 23;

    fn new() -> Self {
        Self { edges: Vec::new(), duplicates: 0, compact_at: Self::FIRST_COMPACTION }
    }

    fn push(&mut self, edge: Edge) {
        if self.edges.len() >= self.compact_at {
            self.compact();
            self.compact_at = Self::FIRST_COMPACTION.max(2 * self.edges.len());
        }
        self.edges.push(edge);
    }

    fn compact(&mut self) {
        let before = self.edges.len();
        if !self.edges.is_sorted() {
            self.edges.sort_unstable();
        }
        self.edges.dedup();
        self.duplicates += (before - self.edges.len()) as u64;
    }

    /// Sorted and unique, with the number of repetitions removed.
    pub(crate) fn finish(mut self) -> (Vec<Edge>, u64) {
        self.compact();
        self.edges.shrink_to_fit();
        (self.edges, self.duplicates)
    }
}

/// See the [module](self).
pub(crate) struct Collector<'o> {
    options: &'o ReadOptions,
    pub(crate) users: CatalogueBuilder,
    pub(crate) items: CatalogueBuilder,
    pub(crate) train: EdgeList,
    pub(crate) test: Option<EdgeList>,
    pub(crate) lines: u64,
    pub(crate) below_min_rating: u64,
    pub(super) ratings: Option<Tally>,
    /// Items that have a title already: repeating it for every interaction must cost nothing.
    titled: Vec<bool>,
}

impl<'o> Collector<'o> {
    pub(crate) fn new(options: &'o ReadOptions) -> Self {
        Self {
            options,
            users: CatalogueBuilder::new(),
            items: CatalogueBuilder::new(),
            train: EdgeList::new(),
            test: None,
            lines: 0,
            below_min_rating: 0,
            ratings: options.count_ratings.then(Tally::default),
            titled: Vec::new(),
        }
    }

    pub(crate) fn options(&self) -> &'o ReadOptions {
        self.options
    }

    /// What follows is the held-out part.
    pub(crate) fn begin_test(&mut self) {
        self.test = Some(EdgeList::new());
    }

    pub(crate) fn user(&mut self, at: At<'_>, field: Field<'_>) -> Result<u32, ReadError> {
        let id = checked_id(at, field)?;
        self.users.intern(id).ok_or_else(|| too_many(at))
    }

    pub(crate) fn item(&mut self, at: At<'_>, field: Field<'_>) -> Result<u32, ReadError> {
        let id = checked_id(at, field)?;
        self.items.intern(id).ok_or_else(|| too_many(at))
    }

    pub(crate) fn edge(&mut self, user: u32, item: u32) {
        let part = self.test.as_mut().unwrap_or(&mut self.train);
        part.push(Edge::new(user, item));
    }

    /// Whether the rating is high enough.
    fn is_liked(&mut self, at: At<'_>, rating: Field<'_>) -> Result<bool, ReadError> {
        if self.options.min_rating.is_none() && self.ratings.is_none() {
            return Ok(true);
        }
        let text = rating.text.trim();
        let value = text.parse().ok().filter(|value: &f64| value.is_finite());
        if let Some(ratings) = &mut self.ratings {
            ratings.count(rating.column, value);
        }
        let Some(min) = self.options.min_rating else { return Ok(true) };
        let Some(value) = value else {
            return Err(ReadError::BadRating { at: at.column(rating.column), found: excerpt(text) });
        };
        self.below_min_rating += u64::from(value < min);
        Ok(value >= min)
    }
}

impl Sink for Collector<'_> {
    fn pick(&self, at: At<'_>, names: &[String]) -> Result<Pick, ReadError> {
        let columns = &self.options.columns;
        let user = need(at, names, Role::User, columns.user.as_deref())?;
        let item = need(at, names, Role::Item, columns.item.as_deref())?;
        if user == item {
            let reason = format!("'{}' is the user column already; name another", excerpt(&names[item]));
            return Err(ReadError::BadOption { option: crate::Field::ItemColumn, reason });
        }
        let mut rating = find(at, names, Role::Rating, columns.rating.as_deref())?;
        let must_rate = self.options.min_rating.is_some();
        if !must_rate && self.ratings.is_none() {
            rating = None;
        } else if must_rate && rating.is_none() {
            let found = format!("columns: {}", list(names));
            return Err(ReadError::NoRatings { path: at.file.to_path_buf(), found });
        }
        let title = find(at, names, Role::Title, columns.title.as_deref())?;
        Ok(Pick { user: Some(user), item, rating, title, must_rate })
    }

    fn row(&mut self, at: At<'_>, row: Row<'_>) -> Result<(), ReadError> {
        self.lines += 1;
        if !self.is_liked(at, row.rating)? {
            return Ok(());
        }
        let (user, item) = (self.user(at, row.user)?, self.item(at, row.item)?);
        self.edge(user, item);
        if !row.title.text.is_empty() {
            let slot = item as usize;
            if self.titled.len() <= slot {
                self.titled.resize(slot + 1, false);
            }
            if !self.titled[slot] {
                self.items.set_title(item, &checked_title(at, row.title)?);
                self.titled[slot] = true;
            }
        }
        Ok(())
    }
}

/// The id as it is kept: trimmed, else exactly as written.
pub(crate) fn checked_id<'f>(at: At<'_>, field: Field<'f>) -> Result<&'f str, ReadError> {
    let id = field.text.trim();
    let (reason, fix) = match check_id(id) {
        Ok(()) => return Ok(id),
        Err(BadId::Empty) => ("expected an id", "fill it in or drop the line"),
        Err(BadId::Long) => ("expected an id of at most 1024 bytes", "check the separator and the columns"),
        Err(BadId::Control) => {
            ("expected an id without tabs, line ends, NUL or other control characters", "clean the file")
        }
    };
    Err(ReadError::BadId { at: at.column(field.column), reason, found: excerpt(field.text), fix })
}

/// The title as it is kept: on one line, trimmed.
pub(crate) fn checked_title(at: At<'_>, field: Field<'_>) -> Result<String, ReadError> {
    let title = field.text.trim();
    if title.len() > MAX_TITLE {
        let at = at.column(field.column);
        return Err(ReadError::LongTitle { at, length: title.len(), limit: MAX_TITLE });
    }
    Ok(one_line(title))
}

/// Control characters become spaces: a title is shown to people, on terminals and in pages.
pub(crate) fn one_line(title: &str) -> String {
    title.replace(is_forbidden, " ").trim().to_owned()
}

fn too_many(at: At<'_>) -> ReadError {
    ReadError::TooMany { path: at.file.to_path_buf() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn ids_are_kept_as_written_or_refused() {
        let at = At::line(Path::new("x"), 3);
        let id = |text| checked_id(at, Field { text, column: "user" }).map(str::to_owned);
        for good in ["7", "007", "123456789012345678901234567890", "Zoë Ångström", "a b", "日本"] {
            assert_eq!(id(good).unwrap(), good);
        }
        assert_eq!(id("  7 ").unwrap(), "7");
        for bad in ["", "   ", "a\tb", "a\nb", "a\0", "a\u{85}b", "\u{feff}a", &"x".repeat(1025)] {
            let message = id(bad).unwrap_err().to_string();
            assert!(message.starts_with("x, line 3, column 'user': expected"), "{message}");
        }
    }

    #[test]
    fn edges_come_out_sorted_and_counted() {
        let mut list = EdgeList::new();
        list.compact_at = 3;
        for (user, item) in [(1, 1), (0, 2), (1, 1), (1, 1), (0, 2), (0, 1)] {
            list.push(Edge::new(user, item));
        }
        assert_eq!(list.finish(), (vec![Edge::new(0, 1), Edge::new(0, 2), Edge::new(1, 1)], 3));
    }
}
