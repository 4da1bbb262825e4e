//! By likeness: interactions with the items most like the explained one, and of the people most like the person.

use grease_graph::Edge;

use super::way::Way;
use super::{Context, by_score};
use crate::ask::Likeness;
use crate::find::{Search, Stop};

pub(super) const WAY: Way = Way::in_order("cosine", order);

/// The likest first.
pub(super) fn order(
    context: &Context<'_, '_>,
    _: &mut Search<'_, '_>,
    pool: &[Edge],
    most: usize,
) -> Result<Vec<Edge>, Stop> {
    Ok(likest_first(context, pool, most))
}

/// The `most` edges by how like the explained item their item is; those of the explained item by how like the person their user is.
pub(crate) fn likest_first(context: &Context<'_, '_>, pool: &[Edge], most: usize) -> Vec<Edge> {
    let (person, target) = (context.person, context.item);
    let likeness = Likeness::new(person.recommender);
    // Many edges share an item.
    let mut to_target: Vec<Option<f32>> = vec![None; person.graph().items()];
    by_score(pool, most, |edge| {
        if edge.item == target {
            likeness.of_users(person.user, edge.user)
        } else {
            *to_target[edge.item.row()].get_or_insert_with(|| likeness.of_items(target, edge.item))
        }
    })
}
