//! What a method is: its name, where it looks, and what it needs for that.

use grease_graph::Edge;

use super::{Attempt, Context};
use crate::ask::Rules;
use crate::find::{Search, Stop};
use crate::task::{Goal, Scope};

/// The edges of a pool, the most promising first: at least so many, where there are.
pub(crate) type OrderOf =
    fn(&Context<'_, '_>, &mut Search<'_, '_>, &[Edge], usize) -> Result<Vec<Edge>, Stop>;

/// How much each edge of a pool matters.
pub(crate) type SharesOf = fn(&Context<'_, '_>, &mut Search<'_, '_>, &[Edge]) -> Result<Vec<f32>, Stop>;

/// What a method is.
pub(crate) struct Way {
    /// As it is written.
    pub(super) name: &'static str,
    pub(super) looks: Looks,
    /// Whether it needs to know what each interaction does by itself.
    pub(super) asks_singles: bool,
    /// Whether it needs a surrogate in this scope for these goals; the last says whether asking costs next to nothing.
    pub(super) wants_surrogate: fn(Scope, &[Goal], bool) -> bool,
    /// Whether it follows gradients by edges' weights: the recommender's, or else a surrogate's.
    pub(super) follows_gradients: bool,
    /// Whether it is of the literature on explaining graph networks and recommenders, and run where it is asked for by name.
    pub(super) is_rival: bool,
    /// What of the recommender it cannot do without.
    pub(super) needs: Needs,
}

/// What of a recommender a method cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// Answers alone.
    Answers,
    /// Output embeddings.
    Embeddings,
    /// Output embeddings, and gradients by the weights of interactions.
    Gradients,
}

/// Where a method looks.
#[derive(Clone, Copy)]
pub(super) enum Looks {
    /// Along an order of edges; the rest is left to certifying.
    InOrder(OrderOf),
    /// The same, the edges that matter most first.
    ByShares(SharesOf),
    /// In several ways, in this order.
    Variously(fn(&Context<'_, '_>, &Rules<'_>, &[Edge]) -> Vec<Attempt>),
    /// Nowhere: it has one answer, which is checked and not certified.
    AsPublished,
}

impl Way {
    /// An order of edges that needs nothing else.
    pub(super) const fn in_order(name: &'static str, order: OrderOf) -> Self {
        Self {
            name,
            looks: Looks::InOrder(order),
            asks_singles: false,
            wants_surrogate: |_, _, _| false,
            follows_gradients: false,
            is_rival: false,
            needs: Needs::Answers,
        }
    }

    /// A rival that says how much each edge matters.
    pub(super) const fn rival(name: &'static str, shares: SharesOf) -> Self {
        Self {
            name,
            looks: Looks::ByShares(shares),
            asks_singles: false,
            wants_surrogate: |_, _, _| false,
            follows_gradients: false,
            is_rival: true,
            needs: Needs::Answers,
        }
    }
}
