//! Names in small letters, all in one text: a part of a name is found among millions in one pass.

use memchr::memmem::Finder;
use rayon::prelude::*;

/// Rows folded together by one thread.
const PART: usize = 1 << 14;

/// Names of rows, each with an id and a title, in small letters and side by side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Folded {
    text: String,
    /// Where the id and the title of each row end.
    ends: Vec<[usize; 2]>,
}

impl Folded {
    /// Of so many rows.
    pub(crate) fn of(rows: usize, names: impl Fn(u32) -> [String; 2] + Sync) -> Self {
        let parts = (0..rows.div_ceil(PART)).into_par_iter().map(|part| {
            let mut folded = Self::default();
            for row in part * PART..rows.min((part + 1) * PART) {
                let ends = names(row as u32).map(|name| {
                    folded.text.push_str(&name);
                    folded.text.len()
                });
                folded.ends.push(ends);
            }
            folded
        });
        let parts: Vec<Self> = parts.collect();
        let mut all = Self {
            text: String::with_capacity(parts.iter().map(|part| part.text.len()).sum()),
            ends: Vec::with_capacity(rows),
        };
        for part in parts {
            let before = all.text.len();
            all.text.push_str(&part.text);
            all.ends.extend(part.ends.iter().map(|ends| ends.map(|end| before + end)));
        }
        all
    }

    fn start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends[row - 1][1] }
    }

    /// Rows with a name that has `query` (in small letters) in it, ascending, and whether one begins with it.
    pub(crate) fn with<'f>(&'f self, query: &str) -> impl Iterator<Item = (u32, bool)> + use<'f> {
        let (query, text) = (query.as_bytes().to_vec(), self.text.as_bytes());
        let (finder, length) = (Finder::new(&query).into_owned(), query.len());
        let (mut row, mut from) = (0, 0);
        std::iter::from_fn(move || {
            loop {
                let at = from + finder.find(text.get(from..)?)?;
                while self.ends.get(row)?[1] <= at && at < text.len() {
                    row += 1;
                }
                let (start, [middle, end]) = (self.start(row), self.ends[row]);
                let is_within = if at < middle { at + length <= middle } else { at + length <= end };
                if !is_within {
                    // Half in one name and half in the next.
                    from = at + 1;
                    continue;
                }
                let begins = at == start || at == middle || text[middle..end].starts_with(&query);
                from = end;
                return Some((row as u32, begins));
            }
        })
    }

    /// Rows with this title (in small letters), ascending.
    pub(crate) fn titled<'f>(&'f self, title: &str) -> impl Iterator<Item = u32> + use<'f> {
        let title = title.to_owned();
        let is_title = move |(_, [middle, end]): &(u32, &[usize; 2])| {
            end - middle == title.len() && self.text.as_bytes()[*middle..*end] == *title.as_bytes()
        };
        (0..).zip(&self.ends).filter(is_title).map(|(row, _)| row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The plain way: name by name.
        #[test]
        fn finds_what_a_scan_of_all_names_finds(
            names in proptest::collection::vec(("[abσé]{0,4}", "[abσé]{0,5}"), 0..40), query in "[abσé]{1,3}",
        ) {
            let folded = Folded::of(names.len(), |row| [names[row as usize].0.clone(), names[row as usize].1.clone()]);
            let mut expected = Vec::new();
            for (row, (id, title)) in names.iter().enumerate() {
                if id.contains(&query) || title.contains(&query) {
                    expected.push((row as u32, id.starts_with(&query) || title.starts_with(&query)));
                }
            }
            prop_assert_eq!(folded.with(&query).collect::<Vec<_>>(), expected);
            let titled: Vec<u32> = (0..names.len() as u32).filter(|&row| names[row as usize].1 == query).collect();
            prop_assert_eq!(folded.titled(&query).collect::<Vec<_>>(), titled);
        }
    }

    #[test]
    fn parts_are_joined_where_they_end() {
        let rows = PART + 3;
        let folded = Folded::of(rows, |row| [format!("id{row}"), format!("title {row}")]);
        for row in [0, PART - 1, PART, rows - 1] {
            let found: Vec<u32> = folded.titled(&format!("title {row}")).collect();
            assert_eq!(found, [row as u32]);
        }
        assert_eq!(folded.with("title").count(), rows);
    }
}
