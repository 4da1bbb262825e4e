//! A question as the oracle understands it: who, and what is imagined.

use std::sync::Arc;

use grease_graph::{Abilities, Edge, Edit, Graph, Profile, UserId};

/// Whom a request is about, and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Who {
    /// `None`: somebody the oracle has never seen, known by a history.
    pub(crate) user: Option<UserId>,
    /// Whether what was learned about them is set aside.
    pub(crate) neutral: bool,
    /// Rows of the items whose scores are wanted in any case, where the oracle answers only its first.
    pub(crate) items: Vec<u32>,
}

/// What is imagined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Change {
    /// The history of somebody the oracle has never seen.
    pub(crate) history: Vec<u32>,
    /// Interactions that are imagined away.
    pub(crate) removed: Vec<Edge>,
    /// Interactions that are imagined there; those of [`Graph::newcomer`] belong to somebody else whom nobody knows.
    pub(crate) added: Vec<Edge>,
}

/// One edit of one person.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) who: Arc<Who>,
    pub(crate) change: Change,
}

/// How a person's questions are put: as themselves, or as somebody new with their history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guise {
    /// By their id.
    Known { user: UserId, neutral: bool },
    /// A newcomer.
    Newcomer,
    /// A known person whose profile is neutral, where the oracle knows newcomers and the edits of others but no neutral
    /// profile: a newcomer with the history, and nobody left to whom it belongs.
    Replaced(UserId),
}

impl Guise {
    /// `said` are the oracle's own abilities.
    pub(crate) fn of(graph: &Graph, user: UserId, profile: Profile, said: Abilities) -> Self {
        if user == graph.newcomer() {
            Guise::Newcomer
        } else if profile == Profile::Neutral && !said.neutral {
            Guise::Replaced(user)
        } else {
            Guise::Known { user, neutral: profile == Profile::Neutral }
        }
    }

    /// Whom the request names. A newcomer's profile is neutral by nature.
    pub(crate) fn who(self, items: Vec<u32>) -> Who {
        match self {
            Guise::Known { user, neutral } => Who { user: Some(user), neutral, items },
            Guise::Newcomer | Guise::Replaced(_) => Who { user: None, neutral: true, items },
        }
    }

    /// What the request imagines.
    pub(crate) fn change(self, graph: &Graph, edit: &Edit) -> Change {
        let (removed, added) = (edit.removed().to_vec(), edit.added().to_vec());
        match self {
            Guise::Known { .. } => Change { history: Vec::new(), removed, added },
            Guise::Newcomer => {
                let (own, added): (Vec<Edge>, Vec<Edge>) =
                    added.into_iter().partition(|edge| edge.user == graph.newcomer());
                Change { history: rows(&own), removed, added }
            }
            Guise::Replaced(user) => {
                let held = graph.items_of(user).iter().map(|&item| Edge::new(user.0, item));
                let (gained, added): (Vec<Edge>, Vec<Edge>) =
                    added.into_iter().partition(|edge| edge.user == user);
                let kept = held.clone().filter(|edge| edit.removed().binary_search(edge).is_err());
                let mut history = rows(&kept.chain(gained).collect::<Vec<_>>());
                history.sort_unstable();
                let others = removed.into_iter().filter(|edge| edge.user != user);
                let mut removed: Vec<Edge> = held.chain(others).collect();
                removed.sort_unstable();
                Change { history, removed, added }
            }
        }
    }

    /// How long a history the answer may have to leave out of a list: that of before or of after the edit.
    pub(crate) fn history(self, graph: &Graph, change: &Change) -> usize {
        match self {
            Guise::Known { user, .. } => {
                let own = change.added.iter().filter(|edge| edge.user == user).count();
                graph.items_of(user).len() + own
            }
            Guise::Newcomer => change.history.len(),
            Guise::Replaced(user) => graph.items_of(user).len().max(change.history.len()),
        }
    }
}

fn rows(edges: &[Edge]) -> Vec<u32> {
    edges.iter().map(|edge| edge.item.0).collect()
}

impl Change {
    /// Whether nothing is imagined.
    pub(crate) fn is_empty(&self) -> bool {
        self.history.is_empty() && self.removed.is_empty() && self.added.is_empty()
    }
}

impl Question {
    /// Bytes it takes to remember, near enough.
    pub(crate) fn weight(&self) -> usize {
        let Change { history, removed, added } = &self.change;
        size_of::<Self>() + 4 * history.len() + size_of::<Edge>() * (removed.len() + added.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        Graph::new(2, 4, &[(0, 0), (0, 1), (1, 1), (1, 2)].map(|(u, i)| Edge::new(u, i))).unwrap()
    }

    #[test]
    fn a_neutral_profile_becomes_a_newcomer_where_only_those_are_known() {
        let graph = graph();
        let said = Abilities { newcomers: true, others: true, neutral: false };
        let guise = Guise::of(&graph, UserId(0), Profile::Neutral, said);
        assert_eq!(guise, Guise::Replaced(UserId(0)));
        let edit = Edit::new(
            [Edge::new(0, 0), Edge::new(1, 2)],
            [Edge::new(0, 3), Edge::new(1, 0), Edge::new(2, 2)],
        );
        let change = guise.change(&graph, &edit);
        assert_eq!(change.history, [1, 3], "what is kept and what is gained");
        assert_eq!(change.removed, [Edge::new(0, 0), Edge::new(0, 1), Edge::new(1, 2)]);
        assert_eq!(change.added, [Edge::new(1, 0), Edge::new(2, 2)], "a bystander stays one");
        assert_eq!(guise.who(Vec::new()), Who { user: None, neutral: true, items: Vec::new() });
        let able = Guise::of(&graph, UserId(0), Profile::Neutral, Abilities::ALL);
        assert_eq!(able, Guise::Known { user: UserId(0), neutral: true });
    }

    #[test]
    fn a_newcomers_own_interactions_are_their_history() {
        let graph = graph();
        let guise = Guise::of(&graph, graph.newcomer(), Profile::Kept, Abilities::ALL);
        let edit = Edit::new([Edge::new(1, 1)], [Edge::new(2, 3), Edge::new(2, 0), Edge::new(1, 0)]);
        let change = guise.change(&graph, &edit);
        assert_eq!((&change.history[..], &change.added[..]), (&[0, 3][..], &[Edge::new(1, 0)][..]));
        assert_eq!(guise.history(&graph, &change), 2);
    }
}
