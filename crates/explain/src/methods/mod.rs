//! The methods: each says where to look, all are certified alike.

mod cosine;
mod exact;
mod grease;
mod leave_one_out;
mod personal_rank;
mod random;

pub(crate) use cosine::{Likeness, likest_first};
pub(crate) use personal_rank::Visits;

use std::fmt;
use std::str::FromStr;

use grease_graph::Edge;
use serde::{Deserialize, Serialize};

use crate::Scope;
use crate::case::Case;
use crate::certify::{Proposal, Search, Stop};

/// Says where to look.
trait Propose {
    /// The next proposal after `attempt` others, or none. `pool` are the edges that may be cited.
    fn propose(
        &self,
        case: &Case<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop>;
}

/// How explanations are searched for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// What single edges do, summed, followed and corrected by the recommender's answers; beyond a person's own
    /// interactions a surrogate says which edges to ask about.
    #[default]
    Grease,
    /// Algorithm 1 of the paper as far as it can be followed: judged by its surrogate, then checked on the recommender.
    Paper,
    /// In random order.
    Random,
    /// Edges of the nodes that a walk from the person, restarting there, visits most.
    #[serde(rename = "personalrank")]
    PersonalRank,
    /// Interactions with the items most like the explained one.
    Cosine,
    /// By what leaving out (or putting back) each edge alone does to the margin.
    LeaveOneOut,
    /// The ceiling: every other method, greedy and beam search on the recommender, with no limit of questions.
    Exact,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 7] = [
        Method::Grease,
        Method::Paper,
        Method::Random,
        Method::PersonalRank,
        Method::Cosine,
        Method::LeaveOneOut,
        Method::Exact,
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Method::Grease => "grease",
            Method::Paper => "paper",
            Method::Random => "random",
            Method::PersonalRank => "personalrank",
            Method::Cosine => "cosine",
            Method::LeaveOneOut => "leave-one-out",
            Method::Exact => "exact",
        }
    }

    /// Whether it puts the edges in an order and leaves the rest to [certifying](crate::Rigour).
    pub fn has_an_order(self) -> bool {
        !matches!(self, Method::Grease | Method::Paper | Method::Exact)
    }

    /// Whether it needs to know what each interaction does by itself.
    pub(crate) fn asks_singles(self) -> bool {
        matches!(self, Method::Grease | Method::LeaveOneOut | Method::Exact)
    }

    /// Whether it needs a surrogate in this scope.
    pub(crate) fn wants_surrogate(self, scope: Scope) -> bool {
        match self {
            Method::Grease => scope != Scope::Own,
            Method::Exact => scope == Scope::Target,
            Method::Paper => true,
            _ => false,
        }
    }

    pub(crate) fn propose(
        self,
        case: &Case<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        let method: &dyn Propose = match self {
            Method::Grease => &grease::Grease,
            // Its one answer is judged, not certified.
            Method::Paper => return Ok(None),
            Method::Random => &ByOrder(random::order),
            Method::PersonalRank => &ByOrder(personal_rank::order),
            Method::Cosine => &ByOrder(likest_first),
            Method::LeaveOneOut => &leave_one_out::LeaveOneOut,
            Method::Exact => &exact::Exact,
        };
        method.propose(case, search, pool, attempt)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Nothing is called that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no method `{0}`; there are grease, paper, random, personalrank, cosine, leave-one-out and exact"
)]
pub struct UnknownMethod(String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Method::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// A method that has one order of the pool to propose, and asks nothing. Only as much of it is made as may be cited: pools beyond a
/// person's own interactions are large.
struct ByOrder(fn(&Case<'_, '_>, &[Edge], usize) -> Vec<Edge>);

impl Propose for ByOrder {
    fn propose(
        &self,
        case: &Case<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
        attempt: usize,
    ) -> Result<Option<Proposal>, Stop> {
        Ok((attempt == 0).then(|| Proposal { order: self.0(case, pool, search.rules.cap), guide: None }))
    }
}

/// The `most` edges of highest score, descending; equal ones as they stand in the pool.
fn by_score(pool: &[Edge], most: usize, mut score: impl FnMut(Edge) -> f32) -> Vec<Edge> {
    let mut scored: Vec<(f32, usize)> =
        pool.iter().enumerate().map(|(at, &edge)| (score(edge), at)).collect();
    let better = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if (1..scored.len()).contains(&most) {
        scored.select_nth_unstable_by(most - 1, better);
    }
    scored.truncate(most);
    scored.sort_unstable_by(better);
    scored.into_iter().map(|(_, at)| pool[at]).collect()
}
