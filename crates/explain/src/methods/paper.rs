//! Method `paper`: Algorithm 1 of the paper, with what it needs to move at all.

use grease_graph::{Edge, ItemId};
use grease_kernels::top_k;

use super::way::{Looks, Needs, Way};
use crate::ask::{AnswerId, Ledger, Rules, Standing};
use crate::paper_options::{PaperLoss, PaperOptions, PaperRivals};
use crate::surrogate::{Anchored, LocalSurrogate, SurrogateView};
use crate::task::Direction;

pub(super) const WAY: Way = Way {
    name: "paper",
    looks: Looks::AsPublished,
    asks_singles: false,
    wants_surrogate: |_, _, _| true,
    follows_gradients: false,
    is_rival: false,
    needs: Needs::Answers,
};

/// What is asked about an item.
pub(crate) struct Asked<'q> {
    pub(crate) item: ItemId,
    /// What may be cited.
    pub(crate) pool: &'q [Edge],
    /// The unedited graph.
    pub(crate) before: AnswerId,
    /// Where the search starts.
    pub(crate) start: AnswerId,
    pub(crate) options: &'q PaperOptions,
}

/// What is asked of Algorithm 1.
pub(super) struct Question<'q> {
    pub(super) item: ItemId,
    pub(super) k: usize,
    pub(super) direction: Direction,
    /// Local edges that may be taken away, or put back.
    pub(super) allowed: &'q [u32],
    /// The most of them.
    pub(super) cap: usize,
    pub(super) options: &'q PaperOptions,
}

/// What the surrogate itself thinks of what it found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// The smallest valid set of local edges (taken away, or put back), if there is one within the cap. Empty where nothing is
    /// needed: the surrogate has the item where it is wanted at the start.
    pub(super) edges: Option<Vec<u32>>,
    /// Its rank after the edit found.
    pub(super) rank_after: Option<usize>,
}

/// What Algorithm 1 answers about an item, with its surrogate's view: a set of the edges of `pool`, empty where there is none.
/// Nothing is given back for an item the surrogate does not see. An item that it ranks outside before any edit has no
/// counterfactual.
pub(crate) fn answer(
    surrogate: &LocalSurrogate<'_>,
    ledger: &Ledger<'_>,
    rules: &Rules<'_>,
    asked: &Asked<'_>,
) -> Option<(Vec<Edge>, SurrogateView)> {
    let (&Asked { item, pool, options, .. }, k) = (asked, rules.places);
    let near = surrogate.inputs.neighbourhood();
    let evicted = surrogate.local(&rules.evicted);
    let (rank_before, mut at_start) = if options.anchored {
        let mut unedited = surrogate.anchored(&ledger.contenders_with(asked.before), &[]);
        let at_start = surrogate.anchored(&ledger.contenders_with(asked.start), &evicted);
        (unedited.standing(item, k)?.rank, at_start)
    } else {
        let mut itself = match options.rivals {
            PaperRivals::Near => among(surrogate, ledger, near.items().iter().copied()),
            PaperRivals::All => among(surrogate, ledger, 0..rules.graph.items() as u32),
        };
        let rank = itself.standing(item, k)?.rank;
        itself.flip(&evicted);
        (rank, itself)
    };
    let view = SurrogateView { rank_before, rank_after: None, fidelity: surrogate.fidelity() };
    if rules.direction == Direction::Out && rank_before > k {
        return Some((Vec::new(), view));
    }
    let is_allowed = |edge: &&Edge| rules.evicted.is_empty() || rules.evicted.contains(*edge);
    let question = Question {
        item,
        k: rules.places,
        direction: rules.direction,
        allowed: &surrogate.local(pool.iter().filter(is_allowed)),
        cap: rules.cap,
        options,
    };
    let Answer { edges, rank_after } = algorithm_1(&mut at_start, &question)?;
    let edges = edges.unwrap_or_default().iter().map(|&edge| near.edge(edge)).collect();
    Some((edges, SurrogateView { rank_after, ..view }))
}

/// The surrogate judging by itself, among the candidates of these items.
fn among<'s>(
    surrogate: &'s LocalSurrogate<'_>,
    ledger: &Ledger<'_>,
    items: impl Iterator<Item = u32>,
) -> Anchored<'s> {
    surrogate.unanchored(items.map(ItemId).filter(|&item| ledger.is_candidate(item)))
}

/// Algorithm 1: a mask `P` of the `allowed` edges, 1 where present and -1 where evicted; an edge is kept while
/// `sigmoid(P) >= 0.5`, which is `P >= 0`. Each iteration evaluates the graph of the kept edges, remembers it if it is valid
/// and smaller than any before, and moves `P` against the [loss](PaperLoss).
///
/// `at_start` is the surrogate with all that is evicted away; it is given back so. `None` is given back only for an item that
/// does not contend.
pub(super) fn algorithm_1(at_start: &mut Anchored<'_>, question: &Question<'_>) -> Option<Answer> {
    let &Question { item, k, direction, allowed, cap, options } = question;
    at_start.standing(item, k)?;
    let mut answer = Answer { edges: None, rank_after: None };
    let epsilon = epsilon(at_start, k, options);
    let present: Vec<bool> = allowed.iter().map(|&edge| at_start.is_present(edge)).collect();
    let mut mask: Vec<f32> = present.iter().map(|&present| if present { 1.0 } else { -1.0 }).collect();
    let flipped = |now: &Anchored<'_>| -> Vec<u32> {
        let moved = allowed.iter().zip(&present);
        moved.filter(|&(&edge, &start)| now.is_present(edge) != start).map(|(&edge, _)| edge).collect()
    };
    let (eta, beta) = (options.eta as f32, options.beta as f32);
    for _ in 0..options.steps {
        let Some(standing) = at_start.standing(item, k).filter(|_| at_start.is_wanted()) else { break };
        let valid = (standing.rank <= k) == (direction == Direction::In);
        if valid {
            let edges = flipped(at_start);
            if edges.len() <= cap && answer.edges.as_ref().is_none_or(|best| edges.len() < best.len()) {
                answer.edges = Some(edges);
                answer.rank_after = Some(standing.rank);
            }
        }
        let Some(pushes) = pushes(at_start, question, standing, epsilon) else { break };
        let mut flips = Vec::new();
        for (at, (mask, push)) in mask.iter_mut().zip(&pushes).enumerate() {
            let (edge, was) = (allowed[at], present[at]);
            let is = at_start.is_present(edge);
            // The distance to the start draws back what has moved, and nothing else.
            let back = match (was, is) {
                (true, false) => beta,
                (false, true) => -beta,
                _ => 0.0,
            };
            *mask = (*mask + eta * (push + back)).clamp(-1.0, 1.0);
            if (*mask >= 0.0) != is {
                flips.push(edge);
            }
        }
        at_start.flip(&flips);
    }
    let moved = flipped(at_start);
    at_start.flip(&moved);
    Some(answer)
}

/// Width of the hinge, as a difference of scores.
fn epsilon(at_start: &mut Anchored<'_>, k: usize, options: &PaperOptions) -> f32 {
    match options.loss {
        PaperLoss::Printed => options.epsilon as f32,
        PaperLoss::Margin => {
            let best = top_k(at_start.scores(), k, |_| true);
            let spread = best.first().zip(best.last()).map_or(0.0, |(first, last)| first.score - last.score);
            options.epsilon as f32 * spread
        }
    }
}

/// Which way each of the allowed edges' masks should go, and how far for a step of 1; none where the loss has no slope.
fn pushes(
    now: &mut Anchored<'_>,
    question: &Question<'_>,
    standing: Standing,
    epsilon: f32,
) -> Option<Vec<f32>> {
    let &Question { item, k, direction, allowed, .. } = question;
    let slopes = match question.options.loss {
        PaperLoss::Margin if direction.gain(standing.margin) >= epsilon => return None,
        PaperLoss::Margin => now.slopes(item, k, allowed),
        PaperLoss::Printed => printed_slopes(now, question, standing, epsilon)?,
    };
    let largest = slopes.iter().fold(0f32, |largest, slope| largest.max(slope.abs()));
    if largest == 0.0 {
        return None;
    }
    let scale = if question.options.loss == PaperLoss::Margin { 1.0 / largest } else { 1.0 };
    Some(slopes.into_iter().map(|slope| direction.gain(slope * scale)).collect())
}

/// Slopes of `y ReLU(y - m + epsilon)`, `m` the lowest score of the list: what is maximised (factual) or minimised as printed.
/// None where the lead is gone, and with it every slope.
fn printed_slopes(
    now: &mut Anchored<'_>,
    question: &Question<'_>,
    standing: Standing,
    epsilon: f32,
) -> Option<Vec<f32>> {
    let &Question { item, k, allowed, .. } = question;
    // The list without the item, where it is on it: its last is the lowest but for the item itself.
    let others = if standing.rank <= k { k - 1 } else { k };
    let is_last = standing.rank == k;
    let lead = if is_last { 0.0 } else { now.standing(item, others)?.margin };
    let hinge = lead + epsilon;
    // A list that is not full has no last to lead.
    if hinge <= 0.0 || !hinge.is_finite() {
        return None;
    }
    let of_score = now.score_slopes(item, allowed);
    let of_lead = if is_last { vec![0.0; allowed.len()] } else { now.slopes(item, others, allowed) };
    let both = of_score.iter().zip(&of_lead);
    Some(both.map(|(score, lead)| hinge * score + standing.score * lead).collect())
}
