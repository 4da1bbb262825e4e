//! Method `grease`: edges one after another, the strongest first, by what they do to the anchored margin.

use grease_graph::ItemId;

use crate::surrogate::Anchored;

/// Which way the margin is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Into the list: factual and why not.
    Raise,
    /// Out of it: counterfactual.
    Lower,
}

impl Aim {
    /// A change of the margin, counted so that more is better.
    pub(super) fn gain(self, change: f32) -> f32 {
        match self {
            Aim::Raise => change,
            Aim::Lower => -change,
        }
    }
}

/// One edge of an order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderStep {
    /// The local edge that flips.
    pub edge: u32,
    /// The margin foretold once it and all before it have flipped.
    pub margin: f32,
}

/// Edges the slopes propose at each step, of which the prediction itself picks one: a slope is exact only for small
/// changes, and an edge is taken away whole.
const SHORTLIST: usize = 8;

/// Up to `most` of the `allowed` local edges in the order in which they should flip (be taken away if present, be put back
/// if not) to move the margin of `item` as aimed: at each step the slopes at the graph so far propose a few, and the
/// one after which the anchored margin is best flips.
///
/// `anchored` is given back as it was. Each step costs one [`Anchored::slopes`] and a few predictions.
pub fn order(
    anchored: &mut Anchored<'_>,
    item: ItemId,
    k: usize,
    aim: Aim,
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
            aim.gain(if falls { -slopes[at] } else { slopes[at] })
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
            if best.is_none_or(|(_, margin)| aim.gain(standing.margin) > aim.gain(margin)) {
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
