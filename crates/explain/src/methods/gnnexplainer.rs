//! `GNNExplainer` (Ying et al., 2019), for rankings: a mask of edges under which the item keeps its place, small and decided.
//!
//! With M the mask, m the margin where each edge counts as much as the mask says, and n edges, it goes down
//! `-log sigmoid(m) + SIZE sum(M) + ENTROPY sum(H(M)) / n`. What the mask keeps is what matters: it is put back first, or taken away first.

use grease_graph::Edge;

use super::Context;
use super::masks::{Descent, sigmoid};
use super::way::Way;
use super::weighing::Weighing;
use crate::ask::Change;
use crate::find::{Search, Stop};
use crate::task::Direction;

pub(super) const WAY: Way = Way { follows_gradients: true, ..Way::rival("gnnexplainer", shares) };

/// The reference's.
const SIZE: f32 = 0.005;
/// Tuned on other people than those of the results: with the reference's 1, and its 100 steps of 0.01, fewer are found.
const ENTROPY: f32 = 0.02;
const DESCENT: Descent = Descent { steps: 20, rate: 0.1 };
/// Keeps logarithms finite.
const LEAST: f32 = 1e-6;

fn shares(context: &Context<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Vec<f32>, Stop> {
    let rules = search.rules;
    let Some(mut weighing) = Weighing::of((context.person, context.surrogate), search, rules, pool)? else {
        return Ok(vec![0.0; pool.len()]);
    };
    let is_removed = rules.change == Change::Removed;
    // What is there explains why the item is where it is; what could be there, why it would be elsewhere.
    let stays = if is_removed && rules.direction == Direction::In { -1.0 } else { 1.0 };
    mask(&mut weighing, pool.len(), (is_removed, stays))
}

/// The mask; `is_kept` says that what it has is not cited, `stays` which way the margin is to go.
pub(super) fn mask(
    weighing: &mut Weighing<'_>,
    edges: usize,
    (is_kept, stays): (bool, f32),
) -> Result<Vec<f32>, Stop> {
    let sign = if is_kept { -1.0 } else { 1.0 };
    let mut by_cited = vec![0f32; edges];
    DESCENT.follow(edges, |mask, slopes| {
        let cited: Vec<f32> = mask.iter().map(|&m| if is_kept { 1.0 - m } else { m }).collect();
        weighing.cite(&cited)?;
        let margin = weighing.margin();
        by_cited.fill(0.0);
        weighing.add_slopes_of(margin, -stays * sigmoid(-stays * margin.of), &mut by_cited)?;
        for ((slope, &by_cited), &m) in slopes.iter_mut().zip(&by_cited).zip(mask) {
            let m = m.clamp(LEAST, 1.0 - LEAST);
            *slope = sign * by_cited + SIZE + ENTROPY * ((1.0 - m) / m).ln() / edges as f32;
        }
        Ok(())
    })
}
