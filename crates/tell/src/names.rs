//! From rows to names: an [`Explanation`] becomes a [`Record`] others can read, with other people under pseudonyms.

use std::collections::BTreeSet;

use grease_explain::{self as explain, Cited, Explanation, Scope};
use grease_graph::{Catalogue, ItemId, UserId, Words};

use crate::pseudonyms::Pseudonyms;
use crate::reason::SaidReason;
use crate::sentence::sentence;
use crate::{Alone, CitedEdge, Instead, Record, Retrained, SCHEMA};

/// Who somebody is called whom the model does not know.
const NEWCOMER: &str = "newcomer";

/// All that joins names to an explanation's rows.
#[derive(Debug, Clone)]
pub struct Names<'a> {
    pub users: &'a Catalogue,
    /// The items' ids and titles.
    pub items: &'a Catalogue,
    /// How to speak about this data.
    pub words: &'a Words,
    /// Hash of the model.
    pub model: String,
    /// Hash of the data.
    pub data: String,
    /// What a newcomer brought; `None` for somebody the model knows.
    pub newcomer: Option<Vec<ItemId>>,
    /// Items that must not be named, not even as what would come instead.
    pub never_name: &'a BTreeSet<ItemId>,
}

impl Names<'_> {
    pub(crate) fn item(&self, item: ItemId) -> String {
        self.items.id(item.0).to_owned()
    }

    pub(crate) fn title(&self, item: ItemId) -> Option<String> {
        self.items.title(item.0).map(str::to_owned)
    }

    /// What a newcomer brought, by id.
    pub(crate) fn brought(&self) -> Option<Vec<String>> {
        let brought = self.newcomer.as_ref()?;
        Some(brought.iter().map(|&item| self.item(item)).collect())
    }

    /// The item, unless it must not be named.
    fn nameable(&self, item: Option<ItemId>) -> Option<ItemId> {
        item.filter(|item| !self.never_name.contains(item))
    }

    /// The id of the person an explanation is for.
    pub(crate) fn person(&self, user: UserId) -> &str {
        // A newcomer's row is one past the last: it has no id.
        if self.newcomer.is_some() || user.row() >= self.users.len() {
            NEWCOMER
        } else {
            self.users.id(user.0)
        }
    }

    /// Edges by name. Other people are `other-1`, `other-2` … in order of appearance unless their ids are to be shown.
    pub(crate) fn edges(&self, me: UserId, cited: &[Cited], show_user_ids: bool) -> Vec<CitedEdge> {
        let mut pseudonyms = Pseudonyms::avoiding(self.person(me));
        let mut whose = |user: UserId| match user {
            user if user == me => self.person(me).to_owned(),
            user if show_user_ids => self.users.id(user.0).to_owned(),
            user => pseudonyms.of(user),
        };
        cited
            .iter()
            .map(|&Cited { change, edge }| CitedEdge {
                change,
                user: whose(edge.user),
                item: self.item(edge.item),
                title: self.title(edge.item),
            })
            .collect()
    }
}

impl Names<'_> {
    /// The answer to a weaker question; of the parts, what is needed as removed and what is enough as kept.
    fn instead(&self, me: UserId, instead: &explain::Instead, show_user_ids: bool) -> Instead {
        let needed = instead.certificate();
        let enough = instead.enough().map_or(&[][..], |enough| enough.edges());
        Instead {
            question: instead.question,
            profile: instead.profile,
            edges: self.edges(me, &[needed.edges(), enough].concat(), show_user_ids),
            rank_after: needed.rank_after(),
            margin_after: finite(needed.margin_after()),
            minimal: needed.minimal(),
        }
    }
}

/// Infinite where there is no competition; JSON has no infinity.
fn finite(margin: f32) -> Option<f32> {
    Some(margin).filter(|margin| margin.is_finite())
}

impl Record {
    /// The explanation with names, titles and its sentence.
    ///
    /// # Panics
    /// If somebody else's interaction is cited with scope own: a bug in whoever made the explanation, and showing it
    /// would give other people away.
    pub fn new(explanation: &Explanation, names: &Names<'_>, show_user_ids: bool) -> Self {
        let told = explanation.instead.iter().flat_map(|told| [Some(told.certificate()), told.enough()]);
        let told = told.flatten().flat_map(|certificate| certificate.edges());
        let own = explanation.edges().iter().chain(told).all(|cited| cited.edge.user == explanation.user);
        assert!(own || explanation.scope != Scope::Own, "scope own cites only the person's own interactions");
        let item = explanation.item;
        let replaced_by = names.nameable(explanation.replaced_by());
        let mut record = Self {
            schema: SCHEMA.to_owned(),
            user: names.person(explanation.user).to_owned(),
            history: names.brought(),
            item: names.item(item),
            item_title: names.title(item),
            k: explanation.k,
            goal: explanation.goal,
            scope: explanation.scope,
            profile: explanation.profile,
            method: explanation.method.to_string(),
            status: explanation.status(),
            reason: explanation.reason().map(SaidReason::from),
            edges: names.edges(explanation.user, explanation.edges(), show_user_ids),
            evicted: explanation.evicted,
            rank_before: explanation.rank_before,
            margin_before: finite(explanation.margin_before),
            rank_start: explanation.rank_start,
            rank_after: explanation.rank_after(),
            margin_after: explanation.margin_after().and_then(finite),
            replaced_by: replaced_by.map(|item| names.item(item)),
            replaced_by_title: replaced_by.and_then(|item| names.title(item)),
            minimal: explanation.minimal(),
            minimum: explanation.minimum,
            proof_queries: explanation.proof_queries,
            firm: Some(explanation.firm).filter(|&firm| firm > 1),
            alone: explanation.alone().map(|(rank, margin)| Alone { rank, margin: finite(margin) }),
            holds_when_retrained: None,
            instead: explanation
                .instead
                .as_ref()
                .map(|instead| names.instead(explanation.user, instead, show_user_ids)),
            profile_share: explanation.profile_share,
            queries: explanation.queries,
            surrogate: explanation.surrogate,
            neighbourhood: explanation.neighbourhood,
            seed: explanation.seed,
            model: names.model.clone(),
            data: names.data.clone(),
            sentence: String::new(),
        };
        record.sentence = sentence(&record, names.words);
        record
    }

    /// Says how often such an explanation holds for a model trained again.
    pub fn promise(&mut self, holds: Retrained, words: &Words) {
        self.holds_when_retrained = Some(holds);
        self.sentence = sentence(self, words);
    }
}

#[cfg(test)]
mod tests {
    use grease_explain::Change;
    use grease_graph::{CatalogueBuilder, Edge};

    use super::*;

    fn catalogue(names: &[(&str, &str)]) -> Catalogue {
        let mut builder = CatalogueBuilder::new();
        for (id, title) in names {
            let row = builder.intern(id).unwrap();
            builder.set_title(row, title);
        }
        builder.finish()
    }

    fn cited(edges: &[(u32, u32)]) -> Vec<Cited> {
        edges
            .iter()
            .map(|&(user, item)| Cited { change: Change::Removed, edge: Edge::new(user, item) })
            .collect()
    }

    #[test]
    fn others_get_pseudonyms_in_order_of_appearance() {
        let users = catalogue(&[("mira", ""), ("zoe", ""), ("adam", "")]);
        let items = catalogue(&[("a", "Aurora Migration"), ("b", "")]);
        let words = Words::default();
        let names = Names {
            users: &users,
            items: &items,
            words: &words,
            model: String::new(),
            data: String::new(),
            newcomer: None,
            never_name: &BTreeSet::from([ItemId(1)]),
        };
        assert_eq!(
            [Some(ItemId(0)), Some(ItemId(1)), None].map(|item| names.nameable(item)),
            [Some(ItemId(0)), None, None]
        );
        let edges = cited(&[(2, 0), (0, 1), (1, 0), (2, 1)]);
        let who = |show| -> Vec<String> {
            names.edges(UserId(0), &edges, show).into_iter().map(|edge| edge.user).collect()
        };
        assert_eq!(who(false), ["other-1", "mira", "other-2", "other-1"]);
        assert_eq!(who(true), ["adam", "mira", "zoe", "adam"]);
        let titles: Vec<_> =
            names.edges(UserId(0), &edges, false).into_iter().map(|edge| edge.title).collect();
        assert_eq!(titles[..2], [Some("Aurora Migration".to_owned()), None]);

        let names = Names { newcomer: Some(vec![ItemId(1)]), ..names };
        let new = names.edges(UserId(3), &cited(&[(3, 1), (0, 1)]), false);
        assert_eq!([new[0].user.as_str(), new[1].user.as_str()], ["newcomer", "other-1"]);
    }

    #[test]
    fn infinite_margins_are_left_out() {
        assert_eq!([finite(f32::INFINITY), finite(f32::NAN), finite(-0.5)], [None, None, Some(-0.5)]);
    }
}
