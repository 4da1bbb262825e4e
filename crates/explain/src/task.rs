//! What is to be explained, to whom, and within which limits.

use std::collections::BTreeSet;

use grease_graph::{Candidates, ItemId, Profile, Who};
use serde::{Deserialize, Serialize};

use crate::paper_options::PaperOptions;

/// What an explanation has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The few interactions that suffice for the item to be on the list.
    Factual,
    /// The few interactions without which it would not be.
    Counterfactual,
    /// Both at once: a few interactions that suffice by themselves, and without which it would not be there.
    Joint,
    /// For an item that is not on the list: the few interactions whose removal or addition would bring it in.
    WhyNot,
}

impl Goal {
    /// Which way the item is to go: what both at once begins with is getting it out.
    pub(crate) fn direction(self) -> Direction {
        match self {
            Goal::Counterfactual | Goal::Joint => Direction::Out,
            Goal::Factual | Goal::WhyNot => Direction::In,
        }
    }
}

/// Which way an item is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Into the list.
    In,
    /// Out of it.
    Out,
}

impl Direction {
    /// A margin, or a change of one, counted so that more is better.
    pub(crate) fn gain(self, margin: f32) -> f32 {
        match self {
            Direction::In => margin,
            Direction::Out => -margin,
        }
    }
}

/// The places of a list, and how far beyond its last one an item has to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Places {
    /// Length of the list.
    pub(crate) k: usize,
    /// 1: just past the last place; see [`Task::firm`].
    pub(crate) firm: usize,
}

impl Places {
    /// A list of `k`; just past its end is enough.
    #[cfg(test)]
    pub(crate) fn of(k: usize) -> Self {
        Self { k, firm: 1 }
    }

    /// Length of the list that an item has to leave, or to get into, so that it is firmly out of, or in, that of `k`.
    pub(crate) fn toward(self, direction: Direction) -> usize {
        match direction {
            Direction::In => self.k.saturating_sub(self.firm - 1),
            Direction::Out => self.k.saturating_add(self.firm - 1),
        }
    }
}

/// Which interactions may be part of an explanation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The person's own: what can be shown to anybody.
    #[default]
    Own,
    /// The person's own and those of the item.
    Target,
    /// All of the neighbourhood of the person and the items explained together, [`Task::hops`] steps wide.
    Hops,
}

/// Whether the person's learned row is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProfileChoice {
    /// Neutral for factual explanations from a person's own history, as the learned row alone mostly carries the item
    /// otherwise; kept for all else.
    #[default]
    Auto,
    /// As learned.
    Kept,
    /// Set to zero: the person is known by their interactions alone.
    Neutral,
}

impl ProfileChoice {
    /// What it comes to.
    pub fn resolve(self, goal: Goal, scope: Scope) -> Profile {
        match (self, goal, scope) {
            (Self::Neutral, ..) | (Self::Auto, Goal::Factual, Scope::Own) => Profile::Neutral,
            (Self::Kept, ..) | (Self::Auto, ..) => Profile::Kept,
        }
    }
}

/// The most edges an explanation may have. Larger sets are tried, too: some of their edges may be spared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Put back (factual) or added (why not).
    pub add: usize,
    /// Removed (counterfactual, why not).
    pub remove: usize,
}

impl Caps {
    /// For this goal; why-not's additions have [`add`](Self::add).
    pub(crate) fn of(self, goal: Goal) -> usize {
        match goal {
            Goal::Factual => self.add,
            Goal::Counterfactual | Goal::Joint | Goal::WhyNot => self.remove,
        }
    }

    /// The same for both.
    pub fn both(most: usize) -> Self {
        Self { add: most, remove: most }
    }
}

impl Default for Caps {
    fn default() -> Self {
        Self { add: 6, remove: 10 }
    }
}

/// How far a method's proposal is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rigour {
    /// The shortest prefix that does it, then pruned until no edge can be spared; what people are told.
    #[default]
    Certified,
    /// Edges in the method's order until it does it, as baselines are run in the literature: nothing is pruned.
    InOrder,
}

/// What is to be explained about one person's list.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub who: Who,
    /// Length of the list.
    pub k: usize,
    /// Which interactions may be cited.
    pub scope: Scope,
    /// How far the neighbourhood reaches, for [`Scope::Hops`] and for surrogates.
    pub hops: usize,
    /// Whether the learned row is used.
    pub profile: ProfileChoice,
    /// The most edges of an explanation.
    pub caps: Caps,
    /// How firmly an explanation has to hold: what leaves the list falls to place `k + firm` or below, what gets in comes to place
    /// `k + 1 - firm` or above. 1: just past the edge.
    pub firm: usize,
    /// Whether the nearest weaker question is answered where the one asked has no answer: by method [`Grease`](crate::Method::Grease); the
    /// parts of both at once are told by every method. Looking for it seldom comes across an answer after all, which is then given.
    pub instead: bool,
    /// Where nothing is found within [`caps`](Self::caps): search once more with these. What is then found stands after the
    /// answer that nothing was.
    pub beyond: Option<Caps>,
    /// How far a method's proposal is taken.
    pub rigour: Rigour,
    /// The most questions one explanation may ask the recommender, beside its share of those asked once for the person. The ceiling,
    /// [`Method::Exact`](crate::Method), asks without limit.
    pub queries: usize,
    /// Edits tried for a whole list to prove that nothing smaller does it, where asking costs next to nothing; 0: what is known anyhow.
    pub prove: usize,
    /// What may be on the list.
    pub candidates: Candidates,
    /// Items no explanation may name as a cause.
    pub never_cite: BTreeSet<ItemId>,
    /// Further explanations wanted of each item, with no edge in common.
    pub alternatives: usize,
    /// How method `paper` is run.
    pub paper: PaperOptions,
    /// All randomness comes from here.
    pub seed: u64,
}

impl Task {
    /// A list of `k` for `who`, all else as usual.
    pub fn new(who: Who, k: usize) -> Self {
        Self {
            who,
            k,
            scope: Scope::default(),
            hops: 2,
            profile: ProfileChoice::default(),
            caps: Caps::default(),
            firm: 1,
            instead: true,
            beyond: None,
            rigour: Rigour::default(),
            queries: 200,
            prove: 0,
            candidates: Candidates::default(),
            never_cite: BTreeSet::new(),
            alternatives: 0,
            paper: PaperOptions::default(),
            seed: 1,
        }
    }

    pub(crate) fn places(&self) -> Places {
        Places { k: self.k, firm: self.firm }
    }
}
