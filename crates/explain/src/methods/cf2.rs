//! `CF²` (Tan et al., 2022), for rankings: one mask of edges that are enough by themselves, and needed.
//!
//! With M the mask, it goes down `sum(M) + LAMBDA (ALPHA relu(GAMMA - enough) + (1 - ALPHA) relu(GAMMA + needed))`: "enough" is the margin with M
//! put back after all was taken away, "needed" that with M taken away. Where only one of both is defined, it alone counts.

use grease_graph::Edge;

use super::Context;
use super::masks::Descent;
use super::way::Way;
use super::weighing::Weighing;
use crate::ask::Rules;
use crate::find::{Search, Stop};
use crate::task::{Direction, Goal, Scope};

pub(super) const WAY: Way = Way { follows_gradients: true, ..Way::rival("cf2", shares) };

/// The reference's.
const LAMBDA: f32 = 500.0;
const ALPHA: f32 = 0.6;
/// Tuned on other people than those of the results: with the reference's 0.5, and its 500 steps of 0.01, fewer are found.
const GAMMA: f32 = 0.1;
const DESCENT: Descent = Descent { steps: 100, rate: 0.3 };

/// One side: what is wanted with the mask cited, and how much it counts.
pub(super) struct Side<'c> {
    pub(super) weighing: Weighing<'c>,
    pub(super) direction: Direction,
    pub(super) counts: f32,
}

fn shares(context: &Context<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Vec<f32>, Stop> {
    let (person, goal) = (context.person, search.rules);
    let is_both = person.task.scope != Scope::Hops && context.goal != Goal::WhyNot;
    let rules: Vec<(Rules<'_>, f32)> = match is_both {
        true => [(Goal::Factual, ALPHA), (Goal::Counterfactual, 1.0 - ALPHA)]
            .map(|(goal, counts)| (person.rules(goal, context.item), counts))
            .into(),
        false => vec![(goal.clone(), 1.0)],
    };
    let mut sides = Vec::new();
    for (rules, counts) in rules {
        let Some(weighing) = Weighing::of((context.person, context.surrogate), search, &rules, pool)? else {
            return Ok(vec![0.0; pool.len()]);
        };
        sides.push(Side { weighing, direction: rules.direction, counts });
    }
    mask(&mut sides, pool.len())
}

pub(super) fn mask(sides: &mut [Side<'_>], edges: usize) -> Result<Vec<f32>, Stop> {
    DESCENT.follow(edges, |mask, slopes| {
        slopes.fill(1.0);
        for Side { weighing, direction, counts } in sides.iter_mut() {
            weighing.cite(mask)?;
            let margin = weighing.margin();
            if direction.gain(margin.of) < GAMMA {
                weighing.add_slopes_of(margin, -LAMBDA * *counts * direction.gain(1.0), slopes)?;
            }
        }
        Ok(())
    })
}
