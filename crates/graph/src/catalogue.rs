//! The names behind the rows: original ids and titles, compact enough for millions of rows.

use std::collections::HashMap;
use std::sync::OnceLock;

use grease_kernels::Array;
use rayon::prelude::*;

use crate::folded::Folded;

/// Many strings in one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct StringTable {
    text: Array<u8>,
    ends: Array<usize>,
}

impl StringTable {
    fn push(&mut self, s: &str) {
        let text = self.text.to_mut();
        text.extend_from_slice(s.as_bytes());
        let end = text.len();
        self.ends.to_mut().push(end);
    }

    fn bytes(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start..self.ends[row]]
    }

    fn get(&self, row: usize) -> &str {
        std::str::from_utf8(self.bytes(row)).expect("put together of strings, or checked in `is_sound`")
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it is strings, one after another, with nothing left over.
    fn is_sound(&self) -> bool {
        let Ok(text) = std::str::from_utf8(&self.text) else { return false };
        let mut start = 0;
        self.ends.last().is_none_or(|&end| end == text.len())
            && (!self.ends.is_empty() || text.is_empty())
            && self.ends.iter().all(|&end| {
                let is_next = start <= end && text.is_char_boundary(end);
                start = end;
                is_next
            })
    }
}

/// What a [`Catalogue`] is made of, to be stored and read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueParts {
    /// All ids, one after another.
    pub ids: Array<u8>,
    /// Where the id of each row ends.
    pub id_ends: Array<usize>,
    /// All titles, likewise; those that are not known are empty.
    pub titles: Array<u8>,
    /// Where they end; nothing at all where there are no titles.
    pub title_ends: Array<usize>,
    /// Rows sorted by id.
    pub by_id: Array<u32>,
}

/// Row number -> original id and title, and back. Built by a [`CatalogueBuilder`].
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    ids: StringTable,
    /// Empty string: no title known. No entries at all: no titles in this catalogue.
    titles: StringTable,
    /// Rows sorted by id, for look-ups without a hash map's memory.
    by_id: Array<u32>,
    /// All names in small letters, once somebody searches.
    folded: OnceLock<Box<Folded>>,
}

/// Whoever searched: the same names are the same catalogue.
impl PartialEq for Catalogue {
    fn eq(&self, other: &Self) -> bool {
        self.ids == other.ids && self.titles == other.titles
    }
}

impl Eq for Catalogue {}

/// Rows that were searched for by a part of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The first of them: those whose id or title begins with what was typed, then the others.
    pub rows: Vec<u32>,
    /// How many there are in all.
    pub all: usize,
}

impl Catalogue {
    /// What it is made of.
    pub fn parts(&self) -> CatalogueParts {
        let (ids, titles) = (self.ids.clone(), self.titles.clone());
        CatalogueParts {
            ids: ids.text,
            id_ends: ids.ends,
            titles: titles.text,
            title_ends: titles.ends,
            by_id: self.by_id.clone(),
        }
    }

    /// The catalogue of such parts; none where they are not the parts of one.
    pub fn of_parts(parts: CatalogueParts) -> Option<Self> {
        let CatalogueParts { ids, id_ends, titles, title_ends, by_id } = parts;
        let ids = StringTable { text: ids, ends: id_ends };
        let titles = StringTable { text: titles, ends: title_ends };
        let rows = ids.len();
        let is_sound = ids.is_sound()
            && titles.is_sound()
            && (titles.len() == 0 || titles.len() == rows)
            && by_id.len() == rows
            && by_id.iter().all(|&row| (row as usize) < rows);
        is_sound.then(|| Self { ids, titles, by_id, folded: OnceLock::new() })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no row at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id this row had in the data. Panics if the row does not exist.
    pub fn id(&self, row: u32) -> &str {
        self.ids.get(row as usize)
    }

    /// The title of this row, where one is known.
    pub fn title(&self, row: u32) -> Option<&str> {
        if self.titles.len() == 0 {
            return None;
        }
        Some(self.titles.get(row as usize)).filter(|t| !t.is_empty())
    }

    /// What to call this row when talking to a person: its title, else its id.
    pub fn name(&self, row: u32) -> &str {
        self.title(row).unwrap_or_else(|| self.id(row))
    }

    /// The row of an original id.
    pub fn row(&self, id: &str) -> Option<u32> {
        let at = self.by_id.binary_search_by(|&row| self.ids.bytes(row as usize).cmp(id.as_bytes())).ok()?;
        Some(self.by_id[at])
    }

    /// Rows whose id or title has this in it, in any case; nothing finds all of them. At most so many are handed back.
    ///
    /// The first search folds all names, the next ones look through one text.
    pub fn search(&self, typed: &str, most: usize) -> Search {
        let query = typed.trim().to_lowercase();
        if query.is_empty() {
            return Search { rows: (0..most.min(self.len()) as u32).collect(), all: self.len() };
        }
        let (mut begin, mut contain, mut all) = (Vec::new(), Vec::new(), 0);
        for (row, begins) in self.folded().with(&query) {
            all += 1;
            let rows = if begins { &mut begin } else { &mut contain };
            if rows.len() < most {
                rows.push(row);
            }
        }
        begin.extend(contain);
        begin.truncate(most);
        Search { rows: begin, all }
    }

    /// Rows whose title is this in small letters, ascending.
    pub fn titled_in_small_letters<'c>(&'c self, title: &str) -> impl Iterator<Item = u32> + use<'c> {
        self.folded().titled(title)
    }

    fn folded(&self) -> &Folded {
        // Not by `get_or_init`: a thread of the pool that waits for a part of this may take up another search meanwhile, and would wait
        // for itself.
        match self.folded.get() {
            Some(folded) => folded,
            None => {
                let names =
                    |row: u32| [self.id(row).to_lowercase(), self.title(row).unwrap_or("").to_lowercase()];
                let folded = Box::new(Folded::of(self.len(), names));
                self.folded.get_or_init(|| folded)
            }
        }
    }

    /// How many rows have a title.
    pub fn titled(&self) -> usize {
        (0..self.titles.len()).filter(|&row| !self.titles.get(row).is_empty()).count()
    }
}

/// Collects ids in order of first appearance; the order becomes the row numbers.
#[derive(Debug, Default)]
pub struct CatalogueBuilder {
    rows: HashMap<Box<str>, u32>,
    ids: StringTable,
    titles: HashMap<u32, Box<str>>,
}

impl CatalogueBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// The row of `id`, giving it the next free one if it is new.
    /// `None` once 2^32 - 1 rows are taken.
    pub fn intern(&mut self, id: &str) -> Option<u32> {
        if let Some(&row) = self.rows.get(id) {
            return Some(row);
        }
        let row = u32::try_from(self.ids.len()).ok().filter(|&row| row < u32::MAX)?;
        self.rows.insert(id.into(), row);
        self.ids.push(id);
        Some(row)
    }

    /// The row of `id`, if it has one already.
    pub fn row(&self, id: &str) -> Option<u32> {
        self.rows.get(id).copied()
    }

    /// Names a row. A later title replaces an earlier one; an empty title is no title.
    pub fn set_title(&mut self, row: u32, title: &str) {
        let title = title.trim();
        if title.is_empty() {
            self.titles.remove(&row);
        } else {
            self.titles.insert(row, title.into());
        }
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The finished catalogue.
    pub fn finish(self) -> Catalogue {
        let mut titles = StringTable::default();
        if !self.titles.is_empty() {
            for row in 0..self.ids.len() as u32 {
                titles.push(self.titles.get(&row).map_or("", |t| t));
            }
        }
        let ids = self.ids;
        let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
        by_id.par_sort_unstable_by(|&a, &b| ids.bytes(a as usize).cmp(ids.bytes(b as usize)));
        Catalogue { ids, titles, by_id: by_id.into(), folded: OnceLock::new() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_follow_first_appearance_and_look_up_both_ways() {
        let mut builder = CatalogueBuilder::new();
        for id in ["zoe", "adam", "zoe", "mia"] {
            builder.intern(id);
        }
        builder.set_title(1, " Adam the First ");
        let catalogue = builder.finish();
        assert_eq!(catalogue.len(), 3);
        assert_eq!(
            (catalogue.row("zoe"), catalogue.row("adam"), catalogue.row("mia")),
            (Some(0), Some(1), Some(2))
        );
        assert_eq!(catalogue.row("nobody"), None);
        assert_eq!((catalogue.id(2), catalogue.title(2)), ("mia", None));
        assert_eq!((catalogue.name(1), catalogue.name(0)), ("Adam the First", "zoe"));
        assert_eq!(catalogue.titled(), 1);
    }

    #[test]
    fn parts_make_the_same_catalogue_and_what_is_none_is_refused() {
        let mut builder = CatalogueBuilder::new();
        for id in ["zoë", "adam"] {
            builder.intern(id);
        }
        let plain = builder.finish();
        assert_eq!(Catalogue::of_parts(plain.parts()), Some(plain.clone()));
        assert_eq!(Catalogue::of_parts(Catalogue::default().parts()), Some(Catalogue::default()));
        let mut refused = Vec::new();
        let mut refuse = |change: &dyn Fn(&mut CatalogueParts)| {
            let mut parts = plain.parts();
            change(&mut parts);
            refused.push(Catalogue::of_parts(parts));
        };
        refuse(&|parts| parts.ids[0] = 0xff);
        refuse(&|parts| parts.id_ends[0] = 3);
        refuse(&|parts| parts.id_ends[0] = 9);
        refuse(&|parts| parts.id_ends[1] = 7);
        refuse(&|parts| *parts.id_ends.to_mut() = Vec::new());
        refuse(&|parts| parts.title_ends = vec![0].into());
        refuse(&|parts| parts.by_id[1] = 2);
        refuse(&|parts| parts.by_id.to_mut().truncate(1));
        assert_eq!(refused, vec![None; 8]);
    }

    proptest! {
        /// The plain way: every name of every row in small letters.
        #[test]
        fn a_search_finds_what_a_scan_finds(
            names in proptest::collection::vec(("[a-cA-C]{1,4}", "[ a-cA-CΣσß]{0,5}"), 0..40), typed in "[ a-cA-CΣς]{0,3}", most in 0usize..9,
        ) {
            let mut builder = CatalogueBuilder::new();
            for (id, title) in &names {
                let row = builder.intern(id).unwrap();
                builder.set_title(row, title);
            }
            let catalogue = builder.finish();
            let query = typed.trim().to_lowercase();
            let (mut begin, mut contain) = (Vec::new(), Vec::new());
            for row in 0..catalogue.len() as u32 {
                let names = [Some(catalogue.id(row)), catalogue.title(row)].map(|name| name.unwrap_or("").to_lowercase());
                if names.iter().any(|name| name.starts_with(&query)) {
                    begin.push(row);
                } else if names.iter().any(|name| name.contains(&query)) {
                    contain.push(row);
                }
            }
            let all = begin.len() + contain.len();
            begin.extend(contain);
            begin.truncate(most);
            prop_assert_eq!(catalogue.search(&typed, most), Search { rows: begin, all });
        }
    }
}
