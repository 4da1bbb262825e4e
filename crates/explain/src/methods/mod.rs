//! The methods: each says where to look, all are certified alike.

mod cosine;
mod exact;
pub(crate) mod frozen;
mod grease;
mod leave_one_out;
pub(crate) mod paper;
mod personal_rank;
mod random;
#[cfg(test)]
mod tests;

pub(crate) use cosine::likest_first;
pub(crate) use personal_rank::Visits;

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

use grease_graph::{Edge, ItemId};
use serde::{Deserialize, Serialize};

use crate::ask::{Person, Rules};
use crate::find::{Both, Effects, FAR, Proposal, Search, Stop};
use crate::surrogate::LocalSurrogate;
use crate::task::{Goal, Scope};

/// What a method knows about the item it explains, beside what it asks.
pub(crate) struct Context<'c, 'a> {
    pub(crate) person: &'c Person<'a>,
    pub(crate) item: ItemId,
    /// What each of the person's interactions does, where that was asked once for the list.
    pub(crate) effects: Option<&'c Effects>,
    /// Where a set has to do two things: what is known about both.
    pub(crate) both: Option<Rc<Both>>,
    /// The surrogate, for methods that need it.
    pub(crate) surrogate: Option<&'c LocalSurrogate<'c>>,
    /// Where a walk from the person goes, once a method asks.
    pub(crate) visits: &'c OnceCell<Visits>,
    /// Whether asking costs next to nothing.
    pub(crate) is_close: bool,
    /// Whether the first set that does it will do.
    pub(crate) is_hasty: bool,
    /// Whether it is estimates that are asked for.
    pub(crate) is_estimate: bool,
}

/// One way of looking for a set; a method has several, each made with what came of the last in mind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Attempt {
    /// Own interactions, by sums of what they do.
    Sums,
    /// Where sums came close: own interactions by what each does alone.
    Strongest,
    /// Where sums came close: own interactions by likeness.
    Likest,
    /// Where nothing was found: own interactions by how often a walk visits them. One order for the whole list, so its prefixes
    /// are asked once for all items.
    MostVisited,
    /// Own interactions and those of others that a surrogate thinks worth a question, by sums.
    Wide,
    /// The same where asking about every one of them costs next to nothing: those of others that do most by themselves.
    Every,
    /// Edge by edge from nothing, as a surrogate proposes and the recommender picks.
    Steps,
    /// Own interactions by what each does, where the first set that does it will do.
    Hasty,
    /// Own interactions that are needed and enough, from what is needed and what is enough, by sums.
    Together,
    /// Where nothing was found: the edges that were asked about by themselves, by what each does.
    Known,
    /// All of the pool, in an order.
    InOrder(Order),
    /// Where nothing was found but half of the way was gone: sets grown edge by edge.
    Grown,
    /// Every set, the smallest first.
    Smallest,
    /// Sets grown edge by edge, the best few of each size.
    Beam,
}

/// An order of edges that is a method by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Order {
    Random,
    PersonalRank,
    Cosine,
    LeaveOneOut,
}

impl Order {
    /// Only as much of it is made as is worth trying: pools beyond a person's own interactions are large.
    fn of(
        self,
        context: &Context<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
    ) -> Result<Vec<Edge>, Stop> {
        let most = search.rules.cap.max(FAR);
        Ok(match self {
            Order::Random => random::order(context, pool, most),
            Order::PersonalRank => personal_rank::order(context, pool, most),
            Order::Cosine => likest_first(context, pool, most),
            Order::LeaveOneOut => leave_one_out::order(context, search, pool)?,
        })
    }

    /// As much of it as may be cited: longer sets were tried by sums.
    fn short(
        self,
        context: &Context<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
    ) -> Result<Vec<Edge>, Stop> {
        let mut order = self.of(context, search, pool)?;
        order.truncate(search.rules.cap);
        Ok(order)
    }
}

impl Attempt {
    /// Where to look, of the edges of `pool`; none where it is not worth trying.
    pub(crate) fn propose(
        self,
        context: &Context<'_, '_>,
        search: &mut Search<'_, '_>,
        pool: &[Edge],
    ) -> Result<Option<Proposal>, Stop> {
        let own = || pool.iter().copied().filter(|edge| edge.user == context.person.user).collect::<Vec<_>>();
        let order = match (self, context.surrogate) {
            (Attempt::Together, _) => return Ok(context.both.clone().map(Proposal::Both)),
            (Attempt::Hasty, _) => {
                return Ok(Some(Proposal::Hasty(grease::hasty(context, search, &own())?)));
            }
            (Attempt::Sums, _) => return grease::sums(context, search, &own()).map(Some),
            (Attempt::Wide, Some(surrogate)) => {
                return grease::wide(context, surrogate, search, pool).map(Some);
            }
            (Attempt::Every, _) => return grease::every(context, search, pool).map(Some),
            (Attempt::Steps, Some(surrogate)) => Some(grease::steps(context, surrogate, search, pool)?),
            (Attempt::Strongest, _) if grease::came_close(search)? => {
                Some(Order::LeaveOneOut.short(context, search, &own())?)
            }
            (Attempt::Likest, _) if grease::came_close(search)? => {
                Some(Order::Cosine.short(context, search, &own())?)
            }
            (Attempt::MostVisited, _) if grease::is_open(search) => {
                Some(Order::PersonalRank.short(context, search, &own())?)
            }
            (Attempt::Known, _) if search.is_open() => Some(leave_one_out::known(search, pool)),
            (Attempt::InOrder(order), _) => Some(order.of(context, search, pool)?),
            (Attempt::Grown, _) if grease::came_close(search)? => exact::beam(search, &own())?,
            (Attempt::Smallest, _) => exact::smallest(search, pool)?,
            (Attempt::Beam, _) => exact::beam(search, pool)?,
            _ => None,
        };
        Ok(order.map(Proposal::Order))
    }
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

    /// Whether it needs a surrogate in this scope for these goals; `close` says whether asking costs next to nothing.
    pub(crate) fn wants_surrogate(self, scope: Scope, goals: &[Goal], close: bool) -> bool {
        match self {
            // Every interaction of an item can be asked about, but nothing shows by itself where all of them are evicted.
            Method::Grease if close && scope == Scope::Target => goals.contains(&Goal::Factual),
            Method::Grease => scope != Scope::Own,
            Method::Exact => scope == Scope::Target,
            Method::Paper => true,
            _ => false,
        }
    }

    /// What it tries, in this order.
    pub(crate) fn attempts(
        self,
        context: &Context<'_, '_>,
        rules: &Rules<'_>,
        pool: &[Edge],
    ) -> Vec<Attempt> {
        let order = match self {
            Method::Grease => return grease::attempts(context, rules),
            Method::Exact => return exact::attempts(context, rules, pool),
            // It has one answer, which is checked and not certified.
            Method::Paper => return Vec::new(),
            Method::Random => Order::Random,
            Method::PersonalRank => Order::PersonalRank,
            Method::Cosine => Order::Cosine,
            Method::LeaveOneOut => Order::LeaveOneOut,
        };
        vec![Attempt::InOrder(order)]
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
