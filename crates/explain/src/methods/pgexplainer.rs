//! `PGExplainer` (Luo et al., 2020), for rankings: a network that says of edges by the vectors of their ends how much they matter, learned once
//! for the recommender and then asked without a question.
//!
//! The reference learns from its own masked predictions; here there are better teachers: what leaving out (or putting back) each interaction
//! alone does to the margins of other people's items. With t their softmax, in standard deviations times SHARPNESS, and l what the network
//! says, it goes down the cross-entropy `-sum(t log softmax(l))`.

use grease_graph::{Edge, seed};

use super::Context;
use super::learned::{Looks, Lore, each_item, others};
use super::network::Network;
use super::way::{Needs, Way};
use crate::find::{Search, Stop};
use crate::task::Direction;

pub(super) const WAY: Way = Way { needs: Needs::Embeddings, ..Way::rival("pgexplainer", shares) };

/// People who are learned from, and items of each one's list.
const PEOPLE: usize = 96;
const ITEMS: usize = 4;
/// Epochs and Adam's step are the reference's.
const EPOCHS: usize = 30;
const RATE: f32 = 0.003;
const SHARPNESS: f32 = 2.0;

/// One item of somebody's list: what each interaction looks like, and what part of what all do it does.
struct Example {
    looks: Vec<f32>,
    parts: Vec<f32>,
}

fn shares(context: &Context<'_, '_>, search: &mut Search<'_, '_>, pool: &[Edge]) -> Result<Vec<f32>, Stop> {
    let (person, rules) = (context.person, search.rules);
    let Some(looks) = Looks::new(person.recommender) else { return Ok(vec![0.0; pool.len()]) };
    let lore = Lore::of(rules);
    let network = context.learned.by_leaving_out.get(lore, || learned(context, &looks, lore))?;
    let listed = &search.ledger.answer(person.before).list;
    let said = network.say(&looks.of(listed, person.own.len(), context.item, pool)).logits;
    // What holds an item on the list is the last to be taken away where it is to come in.
    let sign = if lore == Lore::Needed && rules.direction == Direction::In { -1.0 } else { 1.0 };
    Ok(said.into_iter().map(|logit| sign * logit).collect())
}

fn learned(context: &Context<'_, '_>, looks: &Looks<'_>, lore: Lore) -> Result<Network, Stop> {
    let recommender = context.person.recommender;
    let tasks = others(recommender, PEOPLE);
    let mut examples = Vec::new();
    each_item(recommender, &tasks, (lore, ITEMS), |person, ledger, singles, at| {
        let rules = person.list_rules(lore.goal());
        let gains: Vec<f32> =
            singles[1..].iter().map(|&single| rules.gain(&ledger.answer(single).standings[at])).collect();
        let listed = &ledger.answer(person.before).list;
        let looks = looks.of(listed, person.own.len(), listed[at], &person.citable);
        examples.extend(parts(&gains).map(|parts| Example { looks, parts }));
        Ok(())
    })?;
    let mut network = Network::new(looks.width(), &mut seed::rng(1, "pgexplainer"));
    network.learn(
        &mut examples,
        (EPOCHS, RATE),
        |example| &example.looks,
        |example, said| Ok(slopes(&example.parts, said)),
    )?;
    Ok(network)
}

/// The gradient of the loss by what the network says.
pub(super) fn slopes(parts: &[f32], said: &[f32]) -> Vec<f32> {
    softmax(said).iter().zip(parts).map(|(said, part)| said - part).collect()
}

/// What part of what all interactions do each does; none where there is nothing to tell them apart by.
pub(super) fn parts(gains: &[f32]) -> Option<Vec<f32>> {
    let many = gains.len() as f32;
    let mean = gains.iter().sum::<f32>() / many;
    let deviation = (gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f32>() / many).sqrt();
    let is_told = deviation.is_finite() && deviation > 0.0;
    is_told.then(|| softmax(&gains.iter().map(|gain| SHARPNESS * gain / deviation).collect::<Vec<_>>()))
}

fn softmax(values: &[f32]) -> Vec<f32> {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let raised: Vec<f32> = values.iter().map(|value| (value - most).exp()).collect();
    let all: f32 = raised.iter().sum();
    raised.into_iter().map(|value| value / all).collect()
}
