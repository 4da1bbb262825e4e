//! Method `paper`: Algorithm 1 of the paper, with what it needs to move at all.

use grease_graph::ItemId;
use grease_kernels::top_k;

use super::Aim;
use crate::surrogate::Anchored;

/// How Algorithm 1 is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperOptions {
    /// Iterations `M`; 200.
    pub steps: usize,
    /// How far the strongest edge's mask moves in an iteration; 0.1, so that it flips in the tenth or so. Of 0.05 to 1, tried on
    /// 32 LastFM pairs, the shorter ones found more factual sets; counterfactual ones did not tell them apart.
    pub step: f32,
    /// Width of the hinge, as a share of the spread of the top-k scores; 0.05.
    pub epsilon: f32,
}

impl Default for PaperOptions {
    fn default() -> Self {
        Self { steps: 200, step: 0.1, epsilon: 0.05 }
    }
}

/// What the surrogate itself thinks of what it found.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The smallest valid set of local edges (taken away, or put back), if there is one within the cap. Empty where the
    /// surrogate keeps the item on the list with everything evicted.
    pub edges: Option<Vec<u32>>,
    /// The item's rank before any edit.
    pub rank_before: usize,
    /// Its rank after the edit found.
    pub rank_after: Option<usize>,
}

/// Algorithm 1: a mask `P` of the `allowed` edges, 1 where present and -1 where evicted; an edge is kept while
/// `sigmoid(P) >= 0.5`, which is `P >= 0`. Each iteration evaluates the graph of the kept edges, remembers it if it is valid
/// and smaller than any before, and moves `P` against the slope of the hinge on the margin there, divided by its largest
/// entry. The distance to the start chooses between valid sets and does not push the mask.
///
/// `anchored` is the surrogate [unanchored](Anchored::unanchored) on the unedited graph; it is given back so. `evicted` edges
/// are taken away first (factual; empty for counterfactual). An item that the surrogate ranks outside before any edit has no
/// counterfactual; `None` is given back only for an item that does not contend.
#[expect(clippy::too_many_arguments, reason = "the inputs of the published algorithm")]
pub fn paper(
    anchored: &mut Anchored<'_>,
    item: ItemId,
    k: usize,
    aim: Aim,
    evicted: &[u32],
    allowed: &[u32],
    cap: usize,
    options: &PaperOptions,
) -> Option<Judged> {
    let rank_before = anchored.standing(item, k)?.rank;
    let mut judged = Judged { edges: None, rank_before, rank_after: None };
    if aim == Aim::Lower && rank_before > k {
        return Some(judged);
    }
    anchored.flip(evicted);
    let best = top_k(anchored.scores(), k, |_| true);
    let spread = best.first().zip(best.last()).map_or(0.0, |(first, last)| first.score - last.score);
    let epsilon = options.epsilon * spread;
    let at_start: Vec<bool> = allowed.iter().map(|&edge| anchored.is_present(edge)).collect();
    let mut mask: Vec<f32> = at_start.iter().map(|&present| if present { 1.0 } else { -1.0 }).collect();
    let flipped = |anchored: &Anchored<'_>| -> Vec<u32> {
        let moved = allowed.iter().zip(&at_start);
        moved.filter(|&(&edge, &start)| anchored.is_present(edge) != start).map(|(&edge, _)| edge).collect()
    };
    for _ in 0..options.steps {
        let Some(standing) = anchored.standing(item, k) else { break };
        let valid = (standing.rank <= k) == (aim == Aim::Raise);
        if valid {
            let edges = flipped(anchored);
            if edges.len() <= cap && judged.edges.as_ref().is_none_or(|best| edges.len() < best.len()) {
                judged.edges = Some(edges);
                judged.rank_after = Some(standing.rank);
            }
        }
        if aim.gain(standing.margin) >= epsilon {
            break;
        }
        let slopes = anchored.slopes(item, k, allowed);
        let largest = slopes.iter().fold(0f32, |largest, slope| largest.max(slope.abs()));
        if largest == 0.0 {
            break;
        }
        let mut flips = Vec::new();
        for ((mask, slope), &edge) in mask.iter_mut().zip(&slopes).zip(allowed) {
            *mask = (*mask + options.step * aim.gain(slope / largest)).clamp(-1.0, 1.0);
            if (*mask >= 0.0) != anchored.is_present(edge) {
                flips.push(edge);
            }
        }
        anchored.flip(&flips);
    }
    let moved = flipped(anchored);
    anchored.flip(&moved);
    anchored.flip(evicted);
    Some(judged)
}
