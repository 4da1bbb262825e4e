//! `CF-GNNExplainer` (Lucic et al., 2022), for rankings: edges are cited by a mask, thresholded at each step, until the item moves.
//!
//! With C the part of each edge that is cited, p the item's share among all who contend and "there" whether the item is still where it was once
//! what is cited by half or more is cited whole, it goes down `[there] log p(C) + BETA (edges cited whole)`. The second part has no slope: it
//! chooses the best of the steps, which is the first that does it, as nothing moves after it.

use grease_graph::Edge;

use super::Context;
use super::masks::sigmoid;
use super::way::Way;
use super::weighing::Weighing;
use crate::find::{Search, Stop};
use crate::task::Direction;

pub(super) const WAY: Way = Way { follows_gradients: true, ..Way::rival("cf-gnnexplainer", shares) };

/// Steps, and the longest of a gradient, are the reference's.
const STEPS: usize = 500;
const CLIP: f32 = 2.0;
/// Where it starts, as the reference does: with about a quarter of each edge cited.
const START: f32 = -1.0;
/// For rankings others take 1 to 10 instead of the reference's 0.005.
const RATE: f32 = 10.0;

fn shares(context: &Context<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Vec<f32>, Stop> {
    let rules = search.rules;
    let Some(mut weighing) = Weighing::of((context.person, context.surrogate), search, rules, pool)? else {
        return Ok(vec![0.0; pool.len()]);
    };
    logits(&mut weighing, pool.len(), rules.direction)
}

/// How much each edge is cited in the end, before the sigmoid.
pub(super) fn logits(
    weighing: &mut Weighing<'_>,
    edges: usize,
    direction: Direction,
) -> Result<Vec<f32>, Stop> {
    let mut logits = vec![START; edges];
    let (mut cited, mut slopes) = (vec![0f32; edges], vec![0f32; edges]);
    for _ in 0..STEPS {
        cited.iter_mut().zip(&logits).for_each(|(cited, &logit)| *cited = f32::from(logit > 0.0));
        weighing.cite(&cited)?;
        if direction.gain(weighing.margin().of) > 0.0 {
            break;
        }
        cited.iter_mut().zip(&logits).for_each(|(cited, &logit)| *cited = sigmoid(logit));
        weighing.cite(&cited)?;
        slopes.fill(0.0);
        weighing.add_slopes_of_log_share(-direction.gain(1.0), &mut slopes)?;
        slopes.iter_mut().zip(&cited).for_each(|(slope, cited)| *slope *= cited * (1.0 - cited));
        let length = slopes.iter().map(|slope| slope * slope).sum::<f32>().sqrt();
        let rate = RATE * if length > CLIP { CLIP / length } else { 1.0 };
        logits.iter_mut().zip(&slopes).for_each(|(logit, slope)| *logit -= rate * slope);
    }
    Ok(logits)
}
