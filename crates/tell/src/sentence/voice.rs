//! How one record's people, items and places are called, the same way through a whole sentence.

use grease_explain::{Change, Minimum, Scope, Status};
use grease_graph::{Profile, Words};

use crate::called::Called;
use crate::grammar::{number, ordinal, participle};
use crate::pseudonyms::is_pseudonym;
use crate::title::{clean, isolated, shortened};
use crate::{CitedEdge, Instead, Record};

/// A record with the words to speak about it.
pub(crate) struct Voice<'a> {
    pub(crate) record: &'a Record,
    pub(crate) called: Called,
}

impl<'a> Voice<'a> {
    pub(crate) fn new(record: &'a Record, words: &Words) -> Self {
        Self { record, called: Called::new(spoken_of(record), words) }
    }

    /// The answer to a weaker question, where the one asked has none.
    pub(crate) fn instead(&self) -> Option<&'a Instead> {
        self.record.instead.as_ref().filter(|_| self.record.status == Status::NotFound)
    }

    /// The cited interactions that may be spoken of, or else those of what is told instead: with scope own, nobody else's, whatever
    /// the record holds.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &'a CitedEdge> {
        let (record, own_only) = (self.record, self.record.scope == Scope::Own);
        let cited = self.instead().map_or(&record.edges, |instead| &instead.edges);
        cited.iter().filter(move |edge| !own_only || edge.user == record.user)
    }

    /// The person's own among them, with this change.
    pub(super) fn own(&self, change: Change) -> Vec<&'a CitedEdge> {
        self.edges().filter(|edge| edge.change == change && edge.user == self.record.user).collect()
    }

    /// An item in a sentence.
    pub(crate) fn name(&self, title: Option<&str>, id: &str) -> String {
        self.called.item(title, id)
    }

    /// An item where it stands by itself, as in a box.
    pub(crate) fn plain_name(&self, title: Option<&str>, id: &str) -> String {
        self.called.plain(title, id)
    }

    /// Somebody else: "another listener", or "listener zoe" where ids are shown.
    pub(crate) fn person(&self, user: &str) -> String {
        let word = &self.called.words.person;
        match clean(user).filter(|user| !is_pseudonym(user)) {
            None => format!("another {word}"),
            Some(id) => isolated(format!("{word} {}", shortened(&id))),
        }
    }

    /// The explained item.
    pub(crate) fn target(&self) -> String {
        self.name(self.record.item_title.as_deref(), &self.record.item)
    }

    /// What comes onto the list instead.
    pub(crate) fn replacement(&self) -> Option<String> {
        let id = self.record.replaced_by.as_deref()?;
        Some(self.name(self.record.replaced_by_title.as_deref(), id))
    }

    /// "in your top 10".
    pub(crate) fn on_the_list(&self) -> String {
        match self.record.k {
            1 => "at the top of your list".to_owned(),
            k => format!("in your top {k}"),
        }
    }

    /// "your top 10", as the object of a verb; as far up as an item had to come.
    pub(crate) fn the_list(&self) -> String {
        match self.places() {
            1 => "the top of your list".to_owned(),
            k => format!("your top {k}"),
        }
    }

    /// "leave your top 10", or as far down as the item had to fall.
    pub(super) fn leave(&self) -> String {
        match (self.firm(), self.record.k) {
            (Some(firm), k) => format!("fall to {} or below", Self::place(k.saturating_add(firm))),
            (None, 1) => "leave the top of your list".to_owned(),
            (None, k) => format!("leave your top {k}"),
        }
    }

    /// "in the top 10 of the artists you have not listened to": the list of a factual explanation, on which nothing of the
    /// person's history can stand although most of it is left out.
    pub(crate) fn among_the_rest(&self) -> String {
        self.among_the_best(self.record.k)
    }

    /// The same, as far up as the item had to come.
    pub(super) fn firmly_among_the_rest(&self) -> String {
        self.among_the_best(self.places())
    }

    fn among_the_best(&self, places: usize) -> String {
        let rest =
            format!("the {} you have not {}", self.called.words.items, participle(&self.called.words.did));
        match places {
            1 => format!("first of {rest}"),
            places => format!("in the top {places} of {rest}"),
        }
    }

    /// Length of the list that an item had to get into: shorter than the whole where that was to be firm.
    fn places(&self) -> usize {
        let shorter = self.record.k.saturating_add(1).saturating_sub(self.firm().unwrap_or(1));
        shorter.max(1)
    }

    /// "12th place".
    pub(crate) fn place(rank: usize) -> String {
        format!("{} place", ordinal(rank))
    }

    /// How the person's learned profile was read. Nothing has been learned about a newcomer, whatever was asked for.
    pub(super) fn profile(&self) -> Profile {
        if self.record.history.is_some() { Profile::Neutral } else { self.record.profile }
    }

    /// How firmly it had to hold, where just past the edge was not enough.
    pub(super) fn firm(&self) -> Option<usize> {
        self.record.firm.filter(|&firm| firm > 1)
    }

    /// After "enough": that all else was left out. Of somebody new nothing else is known anyhow.
    pub(super) fn nothing_else(&self) -> &'static str {
        if self.record.history.is_some() { "," } else { ", with nothing else known about you," }
    }

    /// "a new listener".
    pub(super) fn somebody_new(&self) -> String {
        match self.called.words.person.as_str() {
            // "a new person" would be somebody changed.
            "person" => "new".to_owned(),
            person => format!("a new {person}"),
        }
    }

    /// Several of the cited interactions: whether all of them are needed, where that was found out, and whether fewer would do,
    /// where that was proved.
    ///
    /// `one_of_two` says that one is not enough; `otherwise` what taking one of more than two back would do, which is
    /// what was checked.
    pub(super) fn together(&self, one_of_two: &str, otherwise: &str) -> String {
        let cited = self.edges().count();
        let fewer = (self.record.minimum == Some(Minimum::Proved)).then(|| self.no_fewer_than(cited));
        let minimal = self.instead().map_or(self.record.minimal, |instead| instead.minimal);
        match (cited, minimal, fewer) {
            (0 | 1, _, _) | (_, None, None) => String::new(),
            (2, Some(true), Some(fewer)) | (_, None, Some(fewer)) => fewer,
            (2, Some(true), None) => format!(" {one_of_two}."),
            (n, Some(true), fewer) => {
                format!(" All {} are needed: {otherwise}.{}", number(n), fewer.unwrap_or_default())
            }
            (_, Some(false), _) => " Fewer might do.".to_owned(),
        }
    }

    /// That nothing smaller does it. What may not be named is in no answer, so nothing is said about it.
    fn no_fewer_than(&self, cited: usize) -> String {
        let (one, several) = match self.record.scope {
            Scope::Own => (self.called.words.item.as_str(), self.called.words.items.as_str()),
            Scope::Target | Scope::Hops => ("interaction", "interactions"),
        };
        let fewer = cited.saturating_sub(1);
        let noun = if fewer == 1 { one } else { several };
        format!(" No answer with only {} {noun} would do.", number(fewer))
    }
}

/// The items a record speaks of.
fn spoken_of(record: &Record) -> impl Iterator<Item = (Option<&str>, &str)> {
    let target = (record.item_title.as_deref(), record.item.as_str());
    let replacement = record.replaced_by.as_deref().map(|id| (record.replaced_by_title.as_deref(), id));
    let instead = record.instead.iter().flat_map(|instead| &instead.edges);
    let cited = record.edges.iter().chain(instead).map(|edge| (edge.title.as_deref(), edge.item.as_str()));
    [target].into_iter().chain(replacement).chain(cited)
}
