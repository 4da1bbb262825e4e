//! What a record says, one thing at a time: with these edges taken away, put back or added the item is there, or it is not.

use std::collections::BTreeSet;

use grease_explain::{Change, Evicted, Goal, Status, Weaker};
use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Who};
use grease_tell::Record;

use super::standing::Standing;

/// Where an item is after an edit, as a record says.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) profile: Profile,
    /// What is taken away first.
    evicted: Option<Evicted>,
    pub(super) edges: Vec<(Change, Edge)>,
    /// Whether the item is said to be out of the list, or else in it.
    is_out: bool,
    /// Length of the list it is out of, or in: longer or shorter than the record's own where that is to be firm.
    pub(super) places: usize,
    /// The rank it is said to have.
    pub(super) rank: Option<usize>,
}

/// What is said together: all of it, and where it says so, that no edge can be spared.
pub(super) struct Said {
    pub(super) statements: Vec<Statement>,
    pub(super) minimal: bool,
}

impl Said {
    /// What a record says, its edges (and those of what it says instead) given in rows; none where it claims nothing.
    pub(super) fn of(record: &Record, edges: &[Edge], instead: &[Edge]) -> Option<Self> {
        let cited: Vec<(Change, Edge)> =
            record.edges.iter().zip(edges).map(|(cited, &edge)| (cited.change, edge)).collect();
        let places = Places { k: record.k, firm: record.firm.unwrap_or(1) };
        let (mut statements, minimal) = match (record.status, &record.instead) {
            (Status::Verified | Status::Trivial, _) => {
                let is_out = matches!(record.goal, Goal::Counterfactual | Goal::Joint);
                let said = Statement {
                    profile: record.profile,
                    evicted: record.evicted,
                    edges: cited,
                    is_out,
                    places: places.toward(is_out),
                    rank: record.rank_after,
                };
                (vec![said], record.minimal == Some(true))
            }
            (Status::NotFound, Some(told)) => {
                let cited = told.edges.iter().zip(instead).map(|(cited, &edge)| (cited.change, edge));
                let (kept, removed): (Vec<_>, Vec<_>) =
                    cited.partition(|(change, _)| *change == Change::Kept);
                let mut said = Vec::new();
                if !removed.is_empty() || kept.is_empty() {
                    said.push(Statement::without(removed, told.profile, places, Some(told.rank_after)));
                }
                if !kept.is_empty() {
                    let is_part = told.question == Weaker::Parts;
                    let rank =
                        if is_part { record.alone.map(|alone| alone.rank) } else { Some(told.rank_after) };
                    let profile = if is_part { Profile::Neutral } else { told.profile };
                    said.push(Statement::by(kept, profile, places, rank));
                }
                // Of the parts each is by itself what it is.
                (said, told.minimal == Some(true) && told.question != Weaker::Parts)
            }
            _ => return None,
        };
        if record.status == Status::Verified && record.goal == Goal::Joint {
            let kept = edges.iter().map(|&edge| (Change::Kept, edge)).collect();
            let rank = record.alone.map(|alone| alone.rank);
            statements.push(Statement::by(kept, Profile::Neutral, places, rank));
        }
        Some(Self { statements, minimal })
    }

    /// The same without one of the cited edges.
    pub(super) fn sparing(&self, spared: usize) -> Vec<Statement> {
        let mut statements = self.statements.clone();
        for statement in &mut statements {
            statement.edges.remove(spared);
        }
        statements
    }
}

/// The places of a list, and how firmly it has to be left or entered.
#[derive(Clone, Copy)]
struct Places {
    k: usize,
    firm: usize,
}

impl Places {
    fn toward(self, is_out: bool) -> usize {
        match is_out {
            true => (self.k + self.firm).saturating_sub(1),
            false => (self.k + 1).saturating_sub(self.firm),
        }
    }
}

impl Statement {
    fn without(edges: Vec<(Change, Edge)>, profile: Profile, places: Places, rank: Option<usize>) -> Self {
        Self { profile, evicted: None, edges, is_out: true, places: places.toward(true), rank }
    }

    /// By these alone.
    fn by(edges: Vec<(Change, Edge)>, profile: Profile, places: Places, rank: Option<usize>) -> Self {
        let evicted = Some(Evicted::Own);
        Self { profile, evicted, edges, is_out: false, places: places.toward(false), rank }
    }

    /// The graph it speaks of; `None` where it cites what is not there to be cited.
    pub(super) fn edit(&self, graph: &Graph, who: &Who, item: ItemId) -> Option<Edit> {
        let me = who.row(graph);
        let own: BTreeSet<Edge> = who.history(graph).into_iter().map(|item| Edge::new(me.0, item)).collect();
        let there = |edge: &Edge| own.contains(edge) || (edge.user != me && graph.has(*edge));
        let (mut away, mut added) = (BTreeSet::new(), Vec::new());
        if let Some(evicted) = self.evicted {
            away.extend(own.iter().copied());
            if evicted == Evicted::Target {
                away.extend(graph.users_of(item).iter().map(|&user| Edge::new(user, item.0)));
            }
        }
        for &(change, edge) in &self.edges {
            let possible = match change {
                Change::Removed => there(&edge) && away.insert(edge),
                Change::Kept => away.remove(&edge),
                Change::Added => {
                    added.push(edge);
                    !there(&edge)
                }
            };
            if !possible {
                return None;
            }
        }
        Some(who.edit(graph, &away.into_iter().collect::<Vec<_>>(), &added))
    }

    /// Whether the item is where it says, beyond rounding.
    pub(super) fn holds(&self, after: &Standing) -> bool {
        let gain = if self.is_out { -after.margin } else { after.margin };
        gain > after.tolerance
    }
}
