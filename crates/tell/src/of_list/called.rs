//! How the items of a list explanation are called.

use std::collections::BTreeMap;

use grease_graph::Words;

use super::ListRecord;
use crate::title::{clean, isolated, quoted, shortened};

/// The words to speak about one list.
pub(super) struct Called<'a> {
    /// Cleaned: they come from whoever prepared the data.
    pub(super) words: Words,
    /// Titles, and the ids that have them.
    titles: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> Called<'a> {
    pub(super) fn new(record: &'a ListRecord, words: &Words) -> Self {
        let usual = Words::default();
        let word = |said: &str, usual: String| clean(said).unwrap_or(usual);
        let mut titles: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let listed = record.before.iter().chain(&record.after).map(|at| (at.title.as_deref(), &at.item));
        let cited = record.edges.iter().map(|edge| (edge.title.as_deref(), &edge.item));
        for (title, id) in listed.chain(cited) {
            let ids = titles.entry(title.and_then(clean).unwrap_or_default()).or_default();
            if !ids.contains(&id.as_str()) {
                ids.push(id);
            }
        }
        Self {
            words: Words {
                person: word(&words.person, usual.person),
                did: word(&words.did, usual.did),
                item: word(&words.item, usual.item),
                items: word(&words.items, usual.items),
            },
            titles,
        }
    }

    /// By its title, or else by its id; by both where another item spoken of has the same title.
    pub(super) fn item(&self, title: Option<&str>, id: &str) -> String {
        let name = match (title.and_then(clean), clean(id)) {
            (Some(title), Some(id)) if self.is_shared(&title) => {
                format!("{} ({} {})", quoted(&shortened(&title)), self.words.item, shortened(&id))
            }
            (Some(title), _) => quoted(&shortened(&title)),
            (None, Some(id)) => format!("{} {}", self.words.item, shortened(&id)),
            (None, None) => format!("the unnamed {}", self.words.item),
        };
        isolated(name)
    }

    /// Where it stands by itself, as in a box: whole, and without quotation marks.
    pub(super) fn plain(&self, title: Option<&str>, id: &str) -> String {
        match title.and_then(clean) {
            Some(title) if self.is_shared(&title) => {
                format!("{title} ({} {})", self.words.item, shortened(id))
            }
            Some(title) => title,
            None => clean(&self.item(None, id)).unwrap_or_default(),
        }
    }

    fn is_shared(&self, title: &str) -> bool {
        self.titles.get(title).is_some_and(|ids| ids.len() > 1)
    }
}
