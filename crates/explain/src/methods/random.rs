//! In random order: the least a method has to beat.

use grease_graph::{Edge, seed};

use super::Context;
use super::way::Way;
use crate::find::{Search, Stop};

pub(super) const WAY: Way = Way::in_order("random", order);

/// The first `most` of the pool, shuffled by seed, person and item. Fewer of them are the beginning of more.
pub(super) fn order(
    context: &Context<'_, '_>,
    _: &mut Search<'_, '_>,
    pool: &[Edge],
    most: usize,
) -> Result<Vec<Edge>, Stop> {
    let pair = (u64::from(context.person.user.0) << 32) | u64::from(context.item.0);
    let mut rng = seed::rng_at(context.person.task.seed, "random order of edges", pair);
    let mut order = pool.to_vec();
    let most = most.min(order.len());
    for at in 0..most {
        let left = (order.len() - at) as u64;
        order.swap(at, at + seed::below(&mut rng, left) as usize);
    }
    order.truncate(most);
    Ok(order)
}
