//! From what a person types to rows, with a helpful word where nothing fits.

use std::fmt;

use grease_graph::{Catalogue, ItemId, UserId};

/// What was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A user.
    User,
    /// An item.
    Item,
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::User => "user",
            Sort::Item => "item",
        })
    }
}

/// Why a name led nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// Nobody and nothing has this id or title.
    #[error("unknown {sort} '{name}'")]
    Unknown {
        sort: Sort,
        name: String,
        /// The nearest ids and titles, at most three, nearest first.
        near: Vec<String>,
    },
    /// Several items have this title.
    #[error("{count} items are called '{title}': name one of them by its id ({})", quoted(ids, *count))]
    Ambiguous {
        title: String,
        /// The first of their ids, at most three.
        ids: Vec<String>,
        count: usize,
    },
}

/// How many suggestions help rather than flood.
const SUGGESTIONS: usize = 3;

/// At most this many characters of a name are repeated in a message or compared with others.
const LONGEST: usize = 64;

/// The user with this id.
pub fn find_user(users: &Catalogue, name: &str) -> Result<UserId, LookupError> {
    users.row(name).map(UserId).ok_or_else(|| unknown_user(name, Some(users)))
}

/// The item with this id or, where only one item has it, this title; where none has it letter by letter, upper and lower case
/// are the same.
pub fn find_item(items: &Catalogue, name: &str) -> Result<ItemId, LookupError> {
    if let Some(row) = items.row(name) {
        return Ok(ItemId(row));
    }
    let titled = rows_titled(items, name);
    let called = |is_it: &dyn Fn(&str) -> bool| -> Vec<u32> {
        titled.iter().copied().filter(|&row| items.title(row).is_some_and(is_it)).collect()
    };
    let mut found = called(&|title| title == name);
    if found.is_empty() {
        found = called(&|title| lower(title).eq(lower(name)));
    }
    match found[..] {
        [] => Err(LookupError::Unknown { sort: Sort::Item, name: shown(name), near: nearest(items, name) }),
        [row] => Ok(ItemId(row)),
        _ => {
            let ids = found.iter().take(SUGGESTIONS).map(|&row| items.id(row).to_owned()).collect();
            Err(LookupError::Ambiguous { title: shown(name), ids, count: found.len() })
        }
    }
}

/// All rows whose title could be this, upper and lower case being the same.
fn rows_titled(items: &Catalogue, name: &str) -> Vec<u32> {
    // One letter has two small forms, by its place in a word: letter by letter they are not told apart.
    if name.contains(['σ', 'ς', 'Σ']) {
        return (0..items.len() as u32).collect();
    }
    items.titled_in_small_letters(&name.to_lowercase()).collect()
}

/// That there is no such user, with those `among` whom nearly have this name.
pub(crate) fn unknown_user(name: &str, among: Option<&Catalogue>) -> LookupError {
    let near = among.map_or_else(Vec::new, |users| nearest(users, name));
    LookupError::Unknown { sort: Sort::User, name: shown(name), near }
}

/// Short, and nothing in it that could drive a terminal.
fn shown(name: &str) -> String {
    let mut out: String = name.chars().take(LONGEST).flat_map(harmless).collect();
    if name.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

/// A control character as its escape.
fn harmless(c: char) -> impl Iterator<Item = char> {
    let (escaped, plain) = if c.is_control() { (Some(c.escape_default()), None) } else { (None, Some(c)) };
    escaped.into_iter().flatten().chain(plain)
}

fn quoted(ids: &[String], count: usize) -> String {
    let mut out: Vec<String> = ids.iter().map(|id| format!("'{id}'")).collect();
    if count > ids.len() {
        out.push("…".to_owned());
    }
    out.join(", ")
}

/// Ids, and titles with their ids, that a person may have meant: few letters away, or beginning with what was typed.
fn nearest(catalogue: &Catalogue, name: &str) -> Vec<String> {
    let typed = folded(name);
    if typed.is_empty() {
        return Vec::new();
    }
    // A third of the letters wrong is a typing mistake; more is another word.
    let limit = (typed.len() / 3).clamp(1, 4);
    let mut found: Vec<(usize, usize, u32)> = Vec::new();
    for row in 0..catalogue.len() as u32 {
        let names = [Some(catalogue.id(row)), catalogue.title(row)];
        let best = names
            .into_iter()
            .flatten()
            .filter_map(|name| {
                let other = folded(name);
                let begins = typed.len() >= 2 && other.starts_with(&typed);
                match distance(&typed, &other, limit) {
                    Some(distance) => Some((distance, other.len())),
                    None => begins.then_some((limit + 1, other.len())),
                }
            })
            .min();
        if let Some((distance, length)) = best {
            found.push((distance, length, row));
        }
    }
    found.sort_unstable();
    let said = |&(_, _, row): &(usize, usize, u32)| match catalogue.title(row) {
        Some(title) if title != catalogue.id(row) => {
            format!("{} ({})", shown(catalogue.id(row)), shown(title))
        }
        _ => shown(catalogue.id(row)),
    };
    found.iter().take(SUGGESTIONS).map(said).collect()
}

fn folded(name: &str) -> Vec<char> {
    lower(name).take(LONGEST).collect()
}

fn lower(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase)
}

/// Letters to insert, delete or replace, `None` beyond the limit.
fn distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
        if row.iter().all(|&d| d > limit) {
            return None;
        }
    }
    Some(row[b.len()]).filter(|&d| d <= limit)
}

#[cfg(test)]
mod tests {
    use grease_graph::CatalogueBuilder;

    use super::*;
    use crate::refusal::Refusal;

    fn catalogue() -> Catalogue {
        let mut builder = CatalogueBuilder::new();
        let rows = [
            ("velvet-harbour", "Velvet Harbour"),
            ("b2", "Twins"),
            ("b3", "Twins"),
            ("mira", ""),
            ("mirna", ""),
        ];
        for (id, title) in rows {
            let row = builder.intern(id).unwrap();
            builder.set_title(row, title);
        }
        builder.finish()
    }

    #[test]
    fn items_answer_to_id_and_unique_title() {
        let items = catalogue();
        assert_eq!(find_item(&items, "velvet-harbour"), Ok(ItemId(0)));
        assert_eq!(find_item(&items, "Velvet Harbour"), Ok(ItemId(0)));
        let said = |name: &str| Refusal::from(find_item(&items, name).unwrap_err()).said();
        let error = said("Twins");
        assert_eq!(error, "2 items are called 'Twins': name one of them by its id ('b2', 'b3')");
        assert!(find_user(&items, "Velvet Harbour").is_err(), "people answer to their id alone");
    }

    #[test]
    fn upper_and_lower_case_are_the_same_where_that_names_one() {
        let mut builder = CatalogueBuilder::new();
        let rows = [
            ("1", "Björk"),
            ("2", "Yes"),
            ("3", "YES"),
            ("4", "Ελένη"),
            ("id", ""),
            ("5", "ID"),
            ("6", "ΟΔΟΣ"),
        ];
        for (id, title) in rows {
            let row = builder.intern(id).unwrap();
            builder.set_title(row, title);
        }
        let items = builder.finish();
        for (typed, row) in
            [("bJÖRK", 0), ("Yes", 1), ("YES", 2), ("ελένη", 3), ("id", 4), ("ID", 5), ("Id", 5), ("οδοσ", 6)]
        {
            assert_eq!(find_item(&items, typed), Ok(ItemId(row)), "{typed}");
        }
        let ids = vec!["2".to_owned(), "3".to_owned()];
        let several = LookupError::Ambiguous { title: "yes".into(), ids, count: 2 };
        assert_eq!(find_item(&items, "yes"), Err(several));
        assert!(find_item(&items, "").is_err());
    }

    #[test]
    fn the_nearest_names_are_suggested() {
        let items = catalogue();
        for (typed, expected) in [
            (
                "Velvet Harbor",
                "unknown item 'Velvet Harbor'; did you mean 'velvet-harbour (Velvet Harbour)'?",
            ),
            ("velvet", "unknown item 'velvet'; did you mean 'velvet-harbour (Velvet Harbour)'?"),
            ("mir", "unknown item 'mir'; did you mean 'mira' or 'mirna'?"),
            ("zzzzzzzz", "unknown item 'zzzzzzzz'"),
            ("", "unknown item ''"),
            ("a\u{1b}[31m", "unknown item 'a\\u{1b}[31m'"),
        ] {
            let refusal = Refusal::from(find_item(&items, typed).unwrap_err());
            assert_eq!(refusal.said(), expected);
        }
    }

    #[test]
    fn distances_are_those_of_the_textbook() {
        let of = |a: &str, b: &str| distance(&folded(a), &folded(b), 9);
        assert_eq!([of("kitten", "sitting"), of("", "abc"), of("same", "same")], [Some(3), Some(3), Some(0)]);
        assert_eq!(distance(&folded("kitten"), &folded("sitting"), 2), None);
    }
}
