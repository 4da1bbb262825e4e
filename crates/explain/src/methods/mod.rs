//! The methods: each says where to look, all are certified alike.
//!
//! A method is a file with a [`Way`], and a line in the list below; whatever else there is to say of methods follows from it.

mod attempt;
mod cf2;
mod cf_gnnexplainer;
mod cosine;
mod exact;
pub(crate) mod frozen;
mod given;
mod gnnexplainer;
mod grease;
mod learned;
mod leave_one_out;
mod lxr;
mod masks;
mod name;
mod network;
pub(crate) mod paper;
mod personal_rank;
mod pgexplainer;
mod random;
mod shapley;
#[cfg(test)]
mod tests;
mod way;
mod weighing;

pub(crate) use attempt::Attempt;
pub use given::{About, Ask, GivenMethod, ItemStanding, MethodError, Unproposed};
pub use name::{MethodName, UnfitName};

pub(crate) use cosine::likest_first;
pub(crate) use given::Given;
pub(crate) use learned::Learned;
pub(crate) use personal_rank::Visits;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

use grease_graph::{Access, Edge, Edit, ItemId, Profile, Recommender, ScoreError, UserId};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ask::{Person, Rules};
use crate::find::{Both, Effects};
use crate::surrogate::LocalSurrogate;
use crate::task::{Goal, Scope};
use way::{Looks, Needs, Way};

/// What a method knows about the item it explains, beside what it asks.
pub(crate) struct Context<'c, 'a> {
    pub(crate) person: &'c Person<'a>,
    pub(crate) item: ItemId,
    pub(crate) goal: Goal,
    /// What each of the person's interactions does, where that was asked once for the list.
    pub(crate) effects: Option<&'c Effects>,
    /// Where a set has to do two things: what is known about both.
    pub(crate) both: Option<Rc<Both>>,
    /// The surrogate, for methods that need it.
    pub(crate) surrogate: Option<&'c LocalSurrogate<'c>>,
    /// Where a walk from the person goes, once a method asks.
    pub(crate) visits: &'c OnceCell<Visits>,
    /// What was learned once for the recommender, by methods that do.
    pub(crate) learned: &'c Learned,
    /// Whether asking costs next to nothing.
    pub(crate) is_close: bool,
    /// Whether the first set that does it will do.
    pub(crate) is_hasty: bool,
    /// Whether it is estimates that are asked for.
    pub(crate) is_estimate: bool,
    /// The method, where it was given from outside.
    pub(crate) given: Option<&'c Given<'c>>,
}

/// The list of methods: each a variant, and its [`Way`].
macro_rules! methods {
    ($($(#[$about:meta])* $method:ident is $way:expr,)*) => {
        /// How explanations are searched for.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Method {
            $($(#[$about])* $method,)*
            /// One that was given from outside, by its name.
            Given(MethodName),
        }

        impl Method {
            /// All that are built in.
            pub const ALL: [Method; [$(Method::$method),*].len()] = [$(Method::$method),*];

            fn way(self) -> &'static Way {
                match self {
                    $(Method::$method => &$way,)*
                    Method::Given(_) => &given::WAY,
                }
            }
        }
    };
}

methods! {
    /// What single edges do, summed, followed and corrected by the recommender's answers; beyond a person's own
    /// interactions a surrogate says which edges to ask about.
    #[default]
    Grease is grease::WAY,
    /// Algorithm 1 of the paper as far as it can be followed: judged by its surrogate, then checked on the recommender.
    Paper is paper::WAY,
    /// In random order.
    Random is random::WAY,
    /// Edges of the nodes that a walk from the person, restarting there, visits most.
    PersonalRank is personal_rank::WAY,
    /// Interactions with the items most like the explained one.
    Cosine is cosine::WAY,
    /// By what leaving out (or putting back) each edge alone does to the margin.
    LeaveOneOut is leave_one_out::WAY,
    /// `GNNExplainer`: a mask of edges under which the item stays, small and decided.
    GnnExplainer is gnnexplainer::WAY,
    /// `CF-GNNExplainer`: the fewest edges cited until the item moves, by a mask thresholded at each step.
    CfGnnExplainer is cf_gnnexplainer::WAY,
    /// `CF²`: one mask of edges that are enough and needed.
    Cf2 is cf2::WAY,
    /// `PGExplainer`: by a network that learned from what leaving out interactions does to other people's lists.
    PgExplainer is pgexplainer::WAY,
    /// `LXR`: by a network that learned to mask histories so that what is kept carries the item.
    Lxr is lxr::WAY,
    /// Shapley values over the history by sampled permutations: shares that add up to the margin.
    Shapley is shapley::WAY,
    /// The ceiling: every other method, greedy and beam search on the recommender, with no limit of questions.
    Exact is exact::WAY,
}

impl Method {
    /// As it is written.
    pub fn name(&self) -> &str {
        match self {
            Method::Given(name) => name.as_str(),
            built_in => built_in.way().name,
        }
    }

    /// Whether it was given from outside.
    pub fn is_given(self) -> bool {
        matches!(self, Method::Given(_))
    }

    /// Whether it puts the edges in an order and leaves the rest to [certifying](crate::Rigour).
    pub fn has_an_order(self) -> bool {
        matches!(self.way().looks, Looks::InOrder(_) | Looks::ByShares(_))
    }

    /// Whether it says of each edge how much it matters.
    pub fn has_shares(self) -> bool {
        matches!(self.way().looks, Looks::ByShares(_))
    }

    /// Whether it needs to know what each interaction does by itself.
    pub(crate) fn asks_singles(self) -> bool {
        self.way().asks_singles
    }

    /// Whether it needs a surrogate in this scope for these goals; `close` says whether asking costs next to nothing.
    pub(crate) fn wants_surrogate(self, scope: Scope, goals: &[Goal], close: bool) -> bool {
        (self.way().wants_surrogate)(scope, goals, close)
    }

    /// Whether it follows gradients by edges' weights: the recommender's, or else a surrogate's.
    pub(crate) fn follows_gradients(self) -> bool {
        self.way().follows_gradients
    }

    /// What it cannot do without and this recommender has not, in words.
    pub(crate) fn lacks(self, recommender: &dyn Recommender) -> Result<Option<&'static str>, ScoreError> {
        let needs = self.way().needs;
        if needs != Needs::Answers && recommender.embeddings().is_none() {
            return Ok(Some("shows the vectors of its users and items"));
        }
        if needs != Needs::Gradients || recommender.graph().users() == 0 {
            return Ok(None);
        }
        let weighed = recommender.weighed(UserId(0), Profile::Kept, &Edit::none(), &[], &[])?;
        Ok(weighed.is_none().then_some("has gradients by the weights of interactions: a LightGCN or an NGCF"))
    }

    /// Whether it can be asked for with this recommender: some methods need vectors or gradients. Of one that can be asked nothing all
    /// are imitated.
    pub fn works_on(self, recommender: &dyn Recommender) -> bool {
        recommender.access() == Access::Frozen || self.lacks(recommender).is_ok_and(|lack| lack.is_none())
    }

    /// Whether it learns from histories, and knows of own interactions alone.
    pub fn knows_histories_alone(self) -> bool {
        self.way().needs != Needs::Answers
    }

    /// Whether it is of the literature on explaining graph networks and recommenders: run where it is asked for by name.
    pub fn is_rival(self) -> bool {
        self.way().is_rival
    }

    /// What it tries, in this order.
    pub(crate) fn attempts(
        self,
        context: &Context<'_, '_>,
        rules: &Rules<'_>,
        pool: &[Edge],
    ) -> Vec<Attempt> {
        match self.way().looks {
            Looks::InOrder(order) => vec![Attempt::InOrder(order)],
            Looks::ByShares(shares) => vec![Attempt::ByShares(shares)],
            Looks::Variously(attempts) => attempts(context, rules, pool),
            Looks::AsPublished => Vec::new(),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What is not built in may have been given from outside where it was written.
impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let given = |unknown: UnknownMethod| match name.parse() {
            Ok(name) => Ok(Method::Given(name)),
            Err(_) => Err(D::Error::custom(unknown)),
        };
        name.parse().or_else(given)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Method {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .enum_values(Some(Method::ALL.iter().map(Method::name)))
            .description(Some("How explanations are searched for."))
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Method {}

/// No method that is built in, or was given, is called that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no method `{0}`; there are {all}", all = told(|_| true))]
pub struct UnknownMethod(String);

/// Of a method whose code is not there.
impl From<Method> for UnknownMethod {
    fn from(method: Method) -> Self {
        Self(method.to_string())
    }
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Method::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// Some of the methods, in words.
pub(crate) fn told(which: impl Fn(Method) -> bool) -> String {
    let names: Vec<&str> = Method::ALL.iter().filter(|&&method| which(method)).map(Method::name).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
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
