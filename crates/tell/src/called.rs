//! How the items spoken of are called, the same way through everything that is told of one record.

use std::collections::BTreeMap;

use grease_graph::Words;

use crate::title::{clean, isolated, quoted, shortened};

/// The words to speak about some items.
pub(crate) struct Called {
    /// Cleaned: they come from whoever prepared the data.
    pub(crate) words: Words,
    /// Titles that belong to several of the items.
    shared: Vec<String>,
}

impl Called {
    /// Items by title and id, as often as they are spoken of.
    pub(crate) fn new<'a>(items: impl Iterator<Item = (Option<&'a str>, &'a str)>, words: &Words) -> Self {
        let usual = Words::default();
        let word = |said: &str, usual: String| clean(said).unwrap_or(usual);
        let words = Words {
            person: word(&words.person, usual.person),
            did: word(&words.did, usual.did),
            item: word(&words.item, usual.item),
            items: word(&words.items, usual.items),
        };
        let (mut known, mut shared) = (BTreeMap::new(), Vec::new());
        for (title, id) in items {
            let Some(title) = title.and_then(clean) else { continue };
            if *known.entry(title.clone()).or_insert(id) != id {
                shared.push(title);
            }
        }
        Self { words, shared }
    }

    /// By its title, or else by its id; by both where another item spoken of has the same title.
    pub(crate) fn item(&self, title: Option<&str>, id: &str) -> String {
        let name = match (title.and_then(clean), clean(id)) {
            (Some(title), Some(id)) if self.shared.contains(&title) => {
                format!("{} ({} {})", quoted(&shortened(&title)), self.words.item, shortened(&id))
            }
            (Some(title), _) => quoted(&shortened(&title)),
            (None, Some(id)) => format!("{} {}", self.words.item, shortened(&id)),
            (None, None) => format!("the unnamed {}", self.words.item),
        };
        isolated(name)
    }

    /// Where it stands by itself, as in a box: whole, and without quotation marks.
    pub(crate) fn plain(&self, title: Option<&str>, id: &str) -> String {
        match (title.and_then(clean), clean(id)) {
            (Some(title), Some(id)) if self.shared.contains(&title) => {
                format!("{title} ({} {id})", self.words.item)
            }
            (Some(title), _) => title,
            (None, _) => clean(&self.item(None, id)).unwrap_or_default(),
        }
    }
}
