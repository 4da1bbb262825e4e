//! A recommender that cannot be asked about edited graphs: the surrogate's order is all there is, cut where the surrogate thinks it
//! is enough.

use grease_graph::{Edge, ItemId};

use crate::ask::Rules;
use crate::surrogate::{Anchored, LocalSurrogate, SurrogateView};
use crate::task::Direction;

/// The edges of `pool` the surrogate thinks do it, and its view; no edges where it sees no way. `real` are the contenders' scores
/// with everything in place.
pub(crate) fn guess(
    surrogate: &LocalSurrogate<'_>,
    real: &[(ItemId, f32)],
    rules: &Rules<'_>,
    (item, rank): (ItemId, usize),
    pool: &[Edge],
) -> (Vec<Edge>, SurrogateView) {
    let k = rules.places;
    // That something is evicted goes by the surrogate's word too.
    let mut anchored = surrogate.anchored(real, &[]);
    let rank_before = anchored.standing(item, k).map_or(rank, |standing| standing.rank);
    anchored.flip(&surrogate.local(&rules.evicted));
    let steps = order(&mut anchored, item, k, rules.direction, &surrogate.local(pool), rules.cap);
    let enough = steps.iter().position(|step| rules.direction.gain(step.margin) > 0.0);
    let cited: Vec<u32> = enough.map_or(&[][..], |last| &steps[..=last]).iter().map(|s| s.edge).collect();
    let rank_after =
        enough.and_then(|_| anchored.standing_after(&cited, item, k)).map(|standing| standing.rank);
    let near = surrogate.inputs.neighbourhood();
    let edges = cited.iter().map(|&local| near.edge(local)).collect();
    (edges, SurrogateView { rank_before, rank_after, fidelity: None })
}

/// One edge of an order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OrderStep {
    /// The local edge that flips.
    pub(super) edge: u32,
    /// The margin foretold once it and all before it have flipped.
    pub(super) margin: f32,
}

/// Edges the slopes propose at each step, of which the prediction itself picks one: a slope is exact only for small
/// changes, and an edge is taken away whole.
const SHORTLIST: usize = 8;

/// Up to `most` of the `allowed` local edges in the order in which they should flip (be taken away if present, be put back
/// if not) to move the margin of `item` that way: at each step the slopes at the graph so far propose a few, and the
/// one after which the anchored margin is best flips.
///
/// `anchored` is given back as it was. Each step costs one [`Anchored::slopes`] and a few predictions.
pub(super) fn order(
    anchored: &mut Anchored<'_>,
    item: ItemId,
    k: usize,
    direction: Direction,
    allowed: &[u32],
    most: usize,
) -> Vec<OrderStep> {
    let mut left: Vec<u32> = allowed.to_vec();
    left.sort_unstable();
    left.dedup();
    let mut steps: Vec<OrderStep> = Vec::new();
    while steps.len() < most && !left.is_empty() {
        let slopes = anchored.slopes(item, k, &left);
        let gain = |at: usize| {
            let falls = anchored.is_present(left[at]);
            direction.gain(if falls { -slopes[at] } else { slopes[at] })
        };
        let mut places: Vec<(f32, usize)> = (0..left.len()).map(|at| (gain(at), at)).collect();
        let better = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if places.len() > SHORTLIST {
            places.select_nth_unstable_by(SHORTLIST - 1, better);
            places.truncate(SHORTLIST);
        }
        places.sort_unstable_by(better);
        let mut best: Option<(usize, f32)> = None;
        for (_, at) in places {
            let Some(standing) = anchored.standing_after(&[left[at]], item, k) else { continue };
            if best.is_none_or(|(_, margin)| direction.gain(standing.margin) > direction.gain(margin)) {
                best = Some((at, standing.margin));
            }
        }
        let Some((at, margin)) = best else { break };
        let edge = left.remove(at);
        anchored.flip(&[edge]);
        steps.push(OrderStep { edge, margin });
    }
    let flipped: Vec<u32> = steps.iter().map(|step| step.edge).collect();
    anchored.flip(&flipped);
    steps
}
