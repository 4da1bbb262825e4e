//! Method `paper`: Algorithm 1 of the paper, with what it needs to move at all.

use grease_graph::{Edge, ItemId};
use grease_kernels::top_k;

use crate::ask::{Ledger, Rules};
use crate::surrogate::{Anchored, LocalSurrogate, SurrogateView};
use crate::task::Direction;

/// How Algorithm 1 is run.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PaperOptions {
    /// Iterations `M`; 200.
    steps: usize,
    /// How far the strongest edge's mask moves in an iteration; 0.1, so that it flips in the tenth or so. Of 0.05 to 1, tried on
    /// 32 LastFM pairs, the shorter ones found more factual sets; counterfactual ones did not tell them apart.
    step: f32,
    /// Width of the hinge, as a share of the spread of the top-k scores; 0.05.
    epsilon: f32,
}

impl Default for PaperOptions {
    fn default() -> Self {
        Self { steps: 200, step: 0.1, epsilon: 0.05 }
    }
}

/// What is asked of Algorithm 1.
pub(super) struct Question<'q> {
    pub(super) item: ItemId,
    pub(super) k: usize,
    pub(super) direction: Direction,
    /// Local edges that are taken away first: factual; none for counterfactual.
    pub(super) evicted: &'q [u32],
    /// Local edges that may be taken away, or put back.
    pub(super) allowed: &'q [u32],
    /// The most of them.
    pub(super) cap: usize,
}

/// What the surrogate itself thinks of what it found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// The smallest valid set of local edges (taken away, or put back), if there is one within the cap. Empty where the
    /// surrogate keeps the item on the list with everything evicted.
    pub(super) edges: Option<Vec<u32>>,
    /// The item's rank before any edit.
    pub(super) rank_before: usize,
    /// Its rank after the edit found.
    pub(super) rank_after: Option<usize>,
}

/// What Algorithm 1 answers about an item, with its surrogate's view: a set of the edges of `pool`, empty where there is none.
/// Nothing is given back for an item the surrogate does not see.
pub(crate) fn answer(
    surrogate: &LocalSurrogate<'_>,
    ledger: &Ledger<'_>,
    rules: &Rules<'_>,
    item: ItemId,
    pool: &[Edge],
) -> Option<(Vec<Edge>, SurrogateView)> {
    let near = surrogate.inputs.neighbourhood();
    let candidates = near.items().iter().map(|&item| ItemId(item)).filter(|&item| ledger.is_candidate(item));
    let is_allowed = |edge: &&Edge| rules.evicted.is_empty() || rules.evicted.contains(*edge);
    let question = Question {
        item,
        k: rules.places,
        direction: rules.direction,
        evicted: &surrogate.local(&rules.evicted),
        allowed: &surrogate.local(pool.iter().filter(is_allowed)),
        cap: rules.cap,
    };
    let Answer { edges, rank_before, rank_after } =
        algorithm_1(&mut surrogate.unanchored(candidates), &question)?;
    let edges = edges.unwrap_or_default().iter().map(|&edge| near.edge(edge)).collect();
    Some((edges, SurrogateView { rank_before, rank_after, fidelity: surrogate.fidelity() }))
}

/// Algorithm 1: a mask `P` of the `allowed` edges, 1 where present and -1 where evicted; an edge is kept while
/// `sigmoid(P) >= 0.5`, which is `P >= 0`. Each iteration evaluates the graph of the kept edges, remembers it if it is valid
/// and smaller than any before, and moves `P` against the slope of the hinge on the margin there, divided by its largest
/// entry. The distance to the start chooses between valid sets and does not push the mask.
///
/// `anchored` is the surrogate [unanchored](Anchored::unanchored) on the unedited graph; it is given back so. An item that the
/// surrogate ranks outside before any edit has no counterfactual; `None` is given back only for an item that does not contend.
pub(super) fn algorithm_1(anchored: &mut Anchored<'_>, question: &Question<'_>) -> Option<Answer> {
    let &Question { item, k, direction, evicted, allowed, cap } = question;
    let options = PaperOptions::default();
    let rank_before = anchored.standing(item, k)?.rank;
    let mut answer = Answer { edges: None, rank_before, rank_after: None };
    if direction == Direction::Out && rank_before > k {
        return Some(answer);
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
        let Some(standing) = anchored.standing(item, k).filter(|_| anchored.is_wanted()) else { break };
        let valid = (standing.rank <= k) == (direction == Direction::In);
        if valid {
            let edges = flipped(anchored);
            if edges.len() <= cap && answer.edges.as_ref().is_none_or(|best| edges.len() < best.len()) {
                answer.edges = Some(edges);
                answer.rank_after = Some(standing.rank);
            }
        }
        if direction.gain(standing.margin) >= epsilon {
            break;
        }
        let slopes = anchored.slopes(item, k, allowed);
        let largest = slopes.iter().fold(0f32, |largest, slope| largest.max(slope.abs()));
        if largest == 0.0 {
            break;
        }
        let mut flips = Vec::new();
        for ((mask, slope), &edge) in mask.iter_mut().zip(&slopes).zip(allowed) {
            *mask = (*mask + options.step * direction.gain(slope / largest)).clamp(-1.0, 1.0);
            if (*mask >= 0.0) != anchored.is_present(edge) {
                flips.push(edge);
            }
        }
        anchored.flip(&flips);
    }
    let moved = flipped(anchored);
    anchored.flip(&moved);
    anchored.flip(evicted);
    Some(answer)
}
