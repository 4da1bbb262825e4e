//! One way of looking for a set; a method has several, each made with what came of the last in mind.

use grease_graph::Edge;

use super::masks::largest_first;
use super::way::{OrderOf, SharesOf};
use super::{Context, cosine, exact, grease, leave_one_out, personal_rank};
use crate::find::{FAR, Proposal, Search, Stop};

/// One way of looking for a set.
#[derive(Clone, Copy)]
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
    /// All of the pool, in an order that is a method by itself.
    InOrder(OrderOf),
    /// All of the pool, the edges that matter most first.
    ByShares(SharesOf),
    /// Where nothing was found but half of the way was gone: sets grown edge by edge.
    Grown,
    /// Every set, the smallest first.
    Smallest,
    /// Sets grown edge by edge, the best few of each size.
    Beam,
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
                Some(short(leave_one_out::order, context, search, &own())?)
            }
            (Attempt::Likest, _) if grease::came_close(search)? => {
                Some(short(cosine::order, context, search, &own())?)
            }
            (Attempt::MostVisited, _) if grease::is_open(search) => {
                Some(short(personal_rank::order, context, search, &own())?)
            }
            (Attempt::Known, _) if search.is_open() => Some(leave_one_out::known(search, pool)),
            (Attempt::InOrder(order), _) => Some(whole(order, context, search, pool)?),
            (Attempt::ByShares(shares), _) => {
                let shares = shares(context, search, pool)?;
                Some(largest_first(pool, &shares, search.rules.cap.max(FAR)))
            }
            (Attempt::Grown, _) if grease::came_close(search)? => exact::beam(search, &own())?,
            (Attempt::Smallest, _) => exact::smallest(search, pool)?,
            (Attempt::Beam, _) => exact::beam(search, pool)?,
            _ => None,
        };
        Ok(order.map(Proposal::Order))
    }
}

/// As much of an order as is worth trying: pools beyond a person's own interactions are large.
fn whole(
    order: OrderOf,
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
) -> Result<Vec<Edge>, Stop> {
    let most = search.rules.cap.max(FAR);
    order(context, search, pool, most)
}

/// As much of it as may be cited: longer sets were tried by sums.
fn short(
    order: OrderOf,
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
) -> Result<Vec<Edge>, Stop> {
    let mut order = whole(order, context, search, pool)?;
    order.truncate(search.rules.cap);
    Ok(order)
}
