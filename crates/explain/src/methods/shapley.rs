//! Shapley values of edges by sampled permutations: shares of what citing all of them does to the margin, and they add up to it.
//!
//! Along a permutation edges are cited one after another, and each has what the margin gains with it. Permutations come in pairs, one the
//! other backwards, which takes out much of the chance. All of them are the person's own, so what is asked for one item serves the whole list.

use std::collections::HashMap;

use grease_graph::{Edge, Edit, seed};
use rand::Rng;

use super::way::Way;
use super::{Context, likest_first};
use crate::find::{Search, Stop, margin_among};

pub(super) const WAY: Way = Way::rival("shapley", shares);

/// Pairs of permutations, where the questions allowed suffice.
const PAIRS: usize = 8;

/// Other people's edges that have a share at most. A neighbourhood has thousands: sets of so many are asked the whole way even where
/// a close look is possible, and each would be asked about up to sixteen times.
const OTHERS: usize = 60;

fn shares(context: &Context<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Vec<f32>, Stop> {
    // Half of the questions are left to find out what holds. Edges that are too many to ask about have no share.
    let allowed = search.budget / 2;
    let asked = worth_asking(context, pool, allowed);
    let pairs = PAIRS.min(allowed / (2 * asked.len()).max(1)).max(1);
    let person = context.person;
    let mut rng = seed::rng_at(person.task.seed, "permutations of edges", u64::from(person.user.0));
    let shares = sampled(asked.len(), pairs, &mut rng, |places| along(search, &asked, places))?;
    let of: HashMap<Edge, f32> = asked.into_iter().zip(shares).collect();
    Ok(pool.iter().map(|edge| of.get(edge).copied().unwrap_or(0.0)).collect())
}

/// The person's own edges and the likest of other people's, at most so many.
fn worth_asking(context: &Context<'_, '_>, pool: &[Edge], most: usize) -> Vec<Edge> {
    let (mut asked, others): (Vec<Edge>, Vec<Edge>) =
        pool.iter().partition(|edge| edge.user == context.person.user);
    match others.len() {
        ..=OTHERS => asked = pool.to_vec(),
        _ => asked.extend(likest_first(context, &others, OTHERS)),
    }
    if asked.len() > most { likest_first(context, &asked, most) } else { asked }
}

/// What each of so many edges has of the gain of citing all of them, from pairs of permutations: `along` says what is gained with nothing cited,
/// and after each edge of an order.
pub(super) fn sampled(
    edges: usize,
    pairs: usize,
    rng: &mut impl Rng,
    mut along: impl FnMut(&[usize]) -> Result<Vec<f64>, Stop>,
) -> Result<Vec<f32>, Stop> {
    let mut places: Vec<usize> = (0..edges).collect();
    let mut sums = vec![0f64; edges];
    for _ in 0..pairs {
        seed::shuffle(rng, &mut places);
        for _ in 0..2 {
            let gains = along(&places)?;
            for (&at, gains) in places.iter().zip(gains.windows(2)) {
                sums[at] += gains[1] - gains[0];
            }
            places.reverse();
        }
    }
    Ok(sums.into_iter().map(|sum| (sum / (2 * pairs) as f64) as f32).collect())
}

/// The gain with nothing cited, and after each of the edges in this order.
fn along(search: &mut Search<'_, '_>, pool: &[Edge], places: &[usize]) -> Result<Vec<f64>, Stop> {
    let rules = search.rules;
    let mut cited = Vec::with_capacity(places.len());
    let mut edits: Vec<Edit> = vec![rules.edit(&[])];
    for &at in places {
        cited.push(pool[at]);
        edits.push(rules.edit(&cited));
    }
    let answers = search.ask_edits(rules.profile, &edits)?;
    // Among contenders: whether others were looked at depends on what else was asked.
    let (contender, k) = (search.contender(), search.k());
    let gain = |&at| {
        let margin = margin_among(&search.ledger.answer(at).scores, contender, k);
        f64::from(rules.direction.gain(margin))
    };
    Ok(answers.iter().map(gain).collect())
}
