//! `LXR` (Barkan et al., 2024): a network that masks a history so that what it keeps carries the item, and what it leaves out does not; learned
//! once for the recommender.
//!
//! With m the mask, x the history and p an item's share among all who contend, it goes down
//! `-POSITIVE log p(x m) + NEGATIVE log p(x (1 - m)) + SIZE mean(m)` over other people's items.

use grease_graph::{Edge, seed};

use super::Context;
use super::learned::{Looks, Lore, each_item, others};
use super::masks::sigmoid;
use super::network::Network;
use super::way::{Needs, Way};
use super::weighing::Weighing;
use crate::find::{Search, Stop};
use crate::task::Direction;

pub(super) const WAY: Way = Way { needs: Needs::Gradients, ..Way::rival("lxr", shares) };

/// The reference's.
const POSITIVE: f32 = 11.6;
const NEGATIVE: f32 = 0.14;
const SIZE: f32 = 5.0;
const EPOCHS: usize = 40;
const RATE: f32 = 0.01;
/// People who are learned from, and items of each one's list: fewer than the reference has, as each step asks for two gradients of the whole.
const PEOPLE: usize = 48;
const ITEMS: usize = 2;

/// One item of somebody's list: what each interaction looks like, and what all score where they are there in part.
struct Example<'a> {
    looks: Vec<f32>,
    weighing: Weighing<'a>,
}

fn shares(context: &Context<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Vec<f32>, Stop> {
    let (person, rules) = (context.person, search.rules);
    let Some(looks) = Looks::new(person.recommender) else { return Ok(vec![0.0; pool.len()]) };
    let lore = Lore::of(rules);
    let network = context.learned.by_masking.get(lore, || learned(context, &looks, lore))?;
    let listed = &search.ledger.answer(person.before).list;
    let said = network.say(&looks.of(listed, person.own.len(), context.item, pool)).logits;
    let sign = if lore == Lore::Needed && rules.direction == Direction::In { -1.0 } else { 1.0 };
    Ok(said.into_iter().map(|logit| sign * logit).collect())
}

fn learned(context: &Context<'_, '_>, looks: &Looks<'_>, lore: Lore) -> Result<Network, Stop> {
    let recommender = context.person.recommender;
    let tasks = others(recommender, PEOPLE);
    let mut examples = Vec::new();
    each_item(recommender, &tasks, (lore, ITEMS), |person, ledger, _, at| {
        let listed = ledger.answer(person.before).list.clone();
        let rules = person.rules(lore.goal(), listed[at]);
        let mut search = Search::new(ledger, &rules, at, 1);
        let weighing = Weighing::of((person, None), &mut search, &rules, &person.citable)?;
        let looks = looks.of(&listed, person.own.len(), listed[at], &person.citable);
        examples.extend(weighing.map(|weighing| Example { looks, weighing }));
        Ok(())
    })?;
    let mut network = Network::new(looks.width(), &mut seed::rng(1, "lxr"));
    let slopes = |example: &mut Example<'_>, said: &[f32]| slopes(&mut example.weighing, lore, said);
    network.learn(&mut examples, (EPOCHS, RATE), |example| &example.looks, slopes)?;
    Ok(network)
}

/// The gradient of the loss by what the network says, before the sigmoid.
pub(super) fn slopes(weighing: &mut Weighing<'_>, lore: Lore, logits: &[f32]) -> Result<Vec<f32>, Stop> {
    let mask: Vec<f32> = logits.iter().map(|&logit| sigmoid(logit)).collect();
    let rest: Vec<f32> = mask.iter().map(|m| 1.0 - m).collect();
    // What is needed is cited by taking it away: there the mask is what is left.
    let (with, without) = if lore == Lore::Needed { (&rest, &mask) } else { (&mask, &rest) };
    let mut by_cited = [vec![0f32; mask.len()], vec![0f32; mask.len()]];
    for ((cited, factor), slopes) in [(with, -POSITIVE), (without, NEGATIVE)].into_iter().zip(&mut by_cited) {
        weighing.cite(cited)?;
        weighing.add_slopes_of_log_share(factor, slopes)?;
    }
    let sign = if lore == Lore::Needed { -1.0 } else { 1.0 };
    let slope = |at: usize| {
        let by_mask = sign * (by_cited[0][at] - by_cited[1][at]) + SIZE / mask.len() as f32;
        by_mask * mask[at] * (1.0 - mask[at])
    };
    Ok((0..mask.len()).map(slope).collect())
}
