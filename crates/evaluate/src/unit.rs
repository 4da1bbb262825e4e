//! The units of an evaluation: one person in one repeat, and what came of them.

use grease::sample_users;
use grease_explain::{
    Explanation, Goal, Method, Minimum, ProfileChoice, ReasonCode, Rigour, Status, SurrogateView, Weaker,
};
use grease_graph::{Graph, Profile, UserId};
use serde::{Deserialize, Serialize};

use crate::row::Row;
use crate::settings::{Sample, Settings};
use crate::table::Table;

/// What a unit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// The tables and curves.
    Tables,
    /// Whether another seed gives the same; the smallest k only.
    Stability,
}

/// One person in one repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unit {
    /// Which model, from 0.
    pub(crate) model: usize,
    /// Which repeat, from 0.
    pub(crate) repeat: usize,
    pub(crate) purpose: Purpose,
    pub(crate) user: UserId,
}

/// All units of one model: repeat by repeat, then what stability needs.
pub(crate) fn units(settings: &Settings, model: usize, graph: &Graph) -> Vec<Unit> {
    let tables = (0..settings.repeats).flat_map(|repeat| {
        let people = sample_users(graph, settings.people(graph), settings.seed_of(repeat));
        people.into_iter().map(move |user| Unit { model, repeat, purpose: Purpose::Tables, user })
    });
    // The same people with every seed. One seed alone has nothing to agree with.
    let people = if settings.repeats > 1 { settings.stability_people } else { 0 };
    let again = (0..settings.repeats).flat_map(|repeat| {
        let people = sample_users(graph, people, settings.seed);
        people.into_iter().map(move |user| Unit { model, repeat, purpose: Purpose::Stability, user })
    });
    tables.chain(again).collect()
}

impl Settings {
    /// The seed of a repeat.
    pub(crate) fn seed_of(&self, repeat: usize) -> u64 {
        self.seed.wrapping_add(repeat as u64)
    }

    /// People a repeat looks at.
    pub(crate) fn people(&self, graph: &Graph) -> usize {
        match self.sample {
            Sample::People(people) => people,
            Sample::Share(share) => {
                let with_history = (0..graph.users() as u32)
                    .filter(|&user| !graph.items_of(UserId(user)).is_empty())
                    .count();
                ((with_history as f64 * share).round() as usize).max(1)
            }
        }
    }
}

/// What came of a unit: a line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    #[serde(flatten)]
    pub(crate) unit: Unit,
    /// The person's interactions.
    pub(crate) degree: usize,
    /// What all of it took.
    pub(crate) ms: f64,
    pub(crate) calls: Vec<Call>,
    /// What the person's lists as a whole rest on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) lists: Vec<WholeList>,
    /// How plausible the person's history is as it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) plausibility: Option<f64>,
    /// What is known about the smallest sets of own interactions.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) proofs: Vec<Proof>,
    /// What methods' orders of the whole history do.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) removals: Vec<Removals>,
}

/// Parts that a history goes in.
pub(crate) const TENTHS: usize = 10;

/// Items of one list that are still on it when more and more of the history is gone, in the order of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Removals {
    pub(crate) k: usize,
    pub(crate) method: Method,
    pub(crate) pairs: usize,
    /// The most important first.
    pub(crate) most: [usize; TENTHS],
    /// The least important first.
    pub(crate) least: [usize; TENTHS],
}

/// The smallest set known for a pair, and whether it is proved that none is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proof {
    pub(crate) k: usize,
    pub(crate) goal: Goal,
    pub(crate) item: u32,
    pub(crate) edges: usize,
    pub(crate) is_proved: bool,
}

/// A list as a whole: how many interactions rewrite half of it, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct WholeList {
    pub(crate) k: usize,
    /// Interactions, and the shares of the list that are then new (PN-S, PN-R); none where nothing was found.
    pub(crate) found: Option<(usize, f64, f64)>,
}

/// One list explained by one method, for one goal or for both together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) table: Table,
    pub(crate) k: usize,
    pub(crate) method: Method,
    pub(crate) rigour: Rigour,
    /// What it took. Times are the only thing here that differs between runs.
    pub(crate) ms: f64,
    /// Why there are no answers at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) error: Option<String>,
    pub(crate) answers: Vec<Answer>,
}

impl Call {
    /// The row it belongs to.
    pub(crate) fn row(&self, goal: Goal) -> Row {
        Row { table: self.table, k: self.k, goal, method: self.method, rigour: self.rigour }
    }

    /// Goals it has answers for.
    pub(crate) fn goals(&self) -> Vec<Goal> {
        let mut goals: Vec<Goal> = self.answers.iter().map(|answer| answer.goal).collect();
        goals.sort_unstable();
        goals.dedup();
        goals
    }
}

/// One explanation, with rows instead of names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) item: u32,
    pub(crate) goal: Goal,
    pub(crate) status: Status,
    /// Found only beyond the caps: counts in budget curves alone, and follows the answer that nothing was found within them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) beyond: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) reason: Option<ReasonCode>,
    pub(crate) edges: Vec<(u32, u32)>,
    pub(crate) rank_before: usize,
    pub(crate) margin_before: Option<f32>,
    pub(crate) rank_start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) rank_after: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) margin_after: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) minimal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) minimum: Option<Minimum>,
    /// How plausible the history is that it leaves, where it holds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) plausibility: Option<f64>,
    pub(crate) queries: f32,
    /// What was answered where nothing was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) instead: Option<Weaker>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) surrogate: Option<SurrogateView>,
}

impl Answer {
    pub(crate) fn new(explanation: &Explanation, beyond: bool) -> Self {
        let finite = |margin: f32| Some(margin).filter(|margin| margin.is_finite());
        Self {
            item: explanation.item.0,
            goal: explanation.goal,
            status: explanation.status(),
            beyond,
            reason: explanation.reason().map(|reason| reason.code()),
            edges: explanation.edges().iter().map(|cited| (cited.edge.user.0, cited.edge.item.0)).collect(),
            rank_before: explanation.rank_before,
            margin_before: finite(explanation.margin_before),
            rank_start: explanation.rank_start,
            rank_after: explanation.rank_after(),
            margin_after: explanation.margin_after().and_then(finite),
            minimal: explanation.minimal(),
            minimum: explanation.minimum,
            plausibility: None,
            queries: explanation.queries,
            instead: explanation.instead.as_ref().map(|instead| instead.question),
            surrogate: explanation.surrogate,
        }
    }

    /// Its edges where it holds.
    pub(crate) fn verified_edges(&self) -> Option<usize> {
        (self.status == Status::Verified).then_some(self.edges.len())
    }

    /// Whether the method itself came to an answer.
    pub(crate) fn is_found(&self) -> bool {
        matches!(self.status, Status::Verified | Status::Refuted)
    }

    /// The profile it was read with.
    pub(crate) fn profile(table: Table, goal: Goal) -> Profile {
        ProfileChoice::Auto.resolve(goal, table.scope(goal))
    }
}
