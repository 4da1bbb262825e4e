//! What a whole list rests on, for other programs and for people: names instead of rows, a sentence, a picture.

mod picture;
mod sentence;

use grease_explain::{Change, Cited, ListExplanation, Status};
use grease_graph::{ItemId, Words};
use serde::{Deserialize, Serialize};

use crate::called::Called;
use crate::{CitedEdge, Names};

pub use picture::list_picture;
pub use sentence::list_sentence;

/// The version of the format.
pub const LIST_SCHEMA: &str = "grease.list_explanation/1";

/// What a list rests on, whole: one object of JSON, and all that its sentence and its picture need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ListRecord {
    /// [`LIST_SCHEMA`].
    pub schema: String,
    /// The person's id; "newcomer" where `history` is given.
    pub user: String,
    /// What a newcomer brought, by id; `None` for somebody the model knows.
    pub history: Option<Vec<String>>,
    /// Length of the list.
    pub k: usize,
    /// The share of it that has to change, above 0 and up to 1.
    pub share: f64,
    /// Items that is.
    pub needed: usize,
    /// Who found it.
    pub method: String,
    /// `verified` or `not_found`.
    pub status: Status,
    /// The interactions without which the list is another, as removed.
    pub edges: Vec<CitedEdge>,
    /// The list as it is, best first.
    pub before: Vec<ListItem>,
    /// The list without them, best first; empty where nothing was found.
    pub after: Vec<ListItem>,
    /// Share of the list afterwards that is new (PN-S).
    pub changed: Option<f64>,
    /// The same weighted by place, the first places counting most (PN-R).
    pub changed_by_rank: Option<f64>,
    /// Whether no single interaction can be spared.
    pub minimal: Option<bool>,
    /// The most interactions that could be named.
    pub max_edges: usize,
    /// Questions asked of the recommender.
    pub queries: usize,
    /// The seed.
    pub seed: u64,
    /// Hash of the model.
    pub model: String,
    /// Hash of the data.
    pub data: String,
    /// What it rests on, in plain words.
    pub sentence: String,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ListItem {
    /// Its id.
    pub item: String,
    /// Its title, where one is known and may be named.
    pub title: Option<String>,
    /// Whether it is on one of the two lists only.
    pub moved: bool,
}

impl ListRecord {
    /// The explanation with names, titles and its sentence.
    ///
    /// # Panics
    /// If somebody else's interaction is cited: a bug in whoever made the explanation.
    pub fn new(explanation: &ListExplanation, names: &Names<'_>) -> Self {
        let cited = explanation.found().map_or(&[][..], |found| found.edges());
        assert!(
            cited.iter().all(|Cited { change, edge }| {
                *change == Change::Removed && edge.user == explanation.user
            }),
            "a list rests on the person's own interactions"
        );
        let after = explanation.found().map_or(&[][..], |found| found.after());
        let items = |some: &[ItemId], other: &[ItemId]| -> Vec<ListItem> {
            let item = |&item: &ItemId| ListItem {
                item: names.item(item),
                title: names.title(item),
                moved: !after.is_empty() && !other.contains(&item),
            };
            some.iter().map(item).collect()
        };
        let is_found = explanation.found().is_some();
        let mut record = Self {
            schema: LIST_SCHEMA.to_owned(),
            user: names.person(explanation.user).to_owned(),
            history: names.brought(),
            k: explanation.k,
            share: explanation.share,
            needed: explanation.needed(),
            method: explanation.method.to_string(),
            status: if is_found { Status::Verified } else { Status::NotFound },
            edges: names.edges(explanation.user, cited, false),
            before: items(&explanation.before, after),
            after: items(after, &explanation.before),
            changed: is_found.then(|| changed(&explanation.before, after)),
            changed_by_rank: is_found.then(|| changed_by_rank(&explanation.before, after)),
            minimal: explanation.found().and_then(|found| found.minimal()),
            max_edges: explanation.cap,
            queries: explanation.queries,
            seed: explanation.seed,
            model: names.model.clone(),
            data: names.data.clone(),
            sentence: String::new(),
        };
        record.sentence = list_sentence(&record, names.words);
        record
    }
}

/// How the items of both lists and those left out are called.
fn called(record: &ListRecord, words: &Words) -> Called {
    let listed = record.before.iter().chain(&record.after).map(|at| (at.title.as_deref(), at.item.as_str()));
    let cited = record.edges.iter().map(|edge| (edge.title.as_deref(), edge.item.as_str()));
    Called::new(listed.chain(cited), words)
}

/// PN-S: the share of the list afterwards that is new.
pub fn changed<T: PartialEq>(before: &[T], after: &[T]) -> f64 {
    let new = after.iter().filter(|item| !before.contains(item)).count();
    new as f64 / after.len().max(1) as f64
}

/// PN-R: the same, each place p counting 1 / log2(p + 1).
pub fn changed_by_rank<T: PartialEq>(before: &[T], after: &[T]) -> f64 {
    let weight = |at: usize| 1.0 / (at as f64 + 2.0).log2();
    let all: f64 = (0..after.len()).map(weight).sum();
    let new: f64 = (0..after.len()).filter(|&at| !before.contains(&after[at])).map(weight).sum();
    if all > 0.0 { new / all } else { 0.0 }
}

#[cfg(test)]
mod tests;
