//! By what each edge does alone.

use grease_graph::Edge;

use super::way::Way;
use super::{Context, by_score, likest_first};
use crate::find::{Search, Stop};

pub(super) const WAY: Way = Way { asks_singles: true, ..Way::in_order("leave-one-out", order) };

/// The strongest first.
pub(super) fn order(
    context: &Context<'_, '_>,
    search: &mut Search<'_, '_>,
    pool: &[Edge],
    _: usize,
) -> Result<Vec<Edge>, Stop> {
    // Where there are more edges than questions, only those with the likest items are asked about; what is known is free.
    let most = search.budget / 2;
    let surely_many = pool.len() > most + search.ledger.asked();
    let is_many = surely_many || {
        let edits: Vec<_> = pool.iter().map(|&edge| search.rules.edit(&[edge])).collect();
        search.ledger.unknown(search.rules.profile, &edits) > most
    };
    let pool = &if is_many { likest_first(context, pool, most) } else { pool.to_vec() };
    let singles: Vec<Vec<Edge>> = pool.iter().map(|&edge| vec![edge]).collect();
    let answers = search.ask(&singles)?;
    let gains: Vec<f32> = answers.iter().map(|&answer| search.gain(answer)).collect();
    let mut gains = gains.into_iter();
    Ok(by_score(pool, pool.len(), |_| gains.next().expect("one for each edge")))
}

/// The same of those that were asked about already, as far as they may be cited.
pub(super) fn known(search: &Search<'_, '_>, pool: &[Edge]) -> Vec<Edge> {
    let gain = |edge: Edge| {
        let alone = search.ledger.recall(search.rules.profile, &search.rules.edit(&[edge]))?;
        Some(search.rules.gain(&alone.standings[search.watched]))
    };
    let known: Vec<(Edge, f32)> = pool.iter().filter_map(|&edge| Some((edge, gain(edge)?))).collect();
    let edges: Vec<Edge> = known.iter().map(|&(edge, _)| edge).collect();
    let mut gains = known.iter().map(|&(_, gain)| gain);
    by_score(&edges, search.rules.cap, |_| gains.next().expect("one for each edge"))
}
