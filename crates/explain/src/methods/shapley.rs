//! Shapley values of edges by sampled permutations: shares of what citing all of them does to the margin, and they add up to it.
//!
//! Along a permutation edges are cited one after another, and each has what the margin gains with it. Permutations come in pairs, one the
//! other backwards, which takes out much of the chance. All of them are the person's own, so what is asked for one item serves the whole list.

use grease_graph::{Edge, Edit, seed};
use rand::Rng;

use super::way::Way;
use super::{Context, likest_first};
use crate::find::{Search, Stop, margin_among};

pub(super) const WAY: Way = Way::rival("shapley", shares);

/// Pairs of permutations, where the questions allowed suffice.
const PAIRS: usize = 8;

fn shares(context: &Context<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Vec<f32>, Stop> {
    // Half of the questions are left to find out what holds. Edges that are too many to ask about have no share.
    let allowed = search.budget / 2;
    let asked = if pool.len() > allowed { likest_first(context, pool, allowed) } else { pool.to_vec() };
    let pairs = PAIRS.min(allowed / (2 * asked.len()).max(1)).max(1);
    let person = context.person;
    let mut rng = seed::rng_at(person.task.seed, "permutations of edges", u64::from(person.user.0));
    let shares = sampled(asked.len(), pairs, &mut rng, |places| along(search, &asked, places))?;
    let share = |edge| asked.iter().position(|other| other == edge).map_or(0.0, |at| shares[at]);
    Ok(if asked == pool { shares } else { pool.iter().map(share).collect() })
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
