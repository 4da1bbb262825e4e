//! Rivals against slow versions of themselves: each loss written down once more in `f64`, its gradient by finite differences.

use std::collections::HashSet;

use grease_graph::{ScoreError, Weighed, seed};
use rand::Rng;

use super::super::learned::Lore;
use super::super::network::Network;
use super::super::weighing::Weighing;
use super::super::{cf_gnnexplainer, cf2, gnnexplainer, lxr, pgexplainer, shapley};
use crate::task::Direction;

/// People, items, and the edges between them; the first person's are the ones with weights.
const PEOPLE: usize = 4;
const ITEMS: usize = 7;
const EDGES: [(usize, usize); 15] = [
    (0, 0),
    (0, 1),
    (0, 2),
    (0, 3),
    (1, 0),
    (1, 4),
    (1, 5),
    (1, 6),
    (2, 1),
    (2, 4),
    (2, 2),
    (2, 6),
    (3, 3),
    (3, 5),
    (3, 4),
];
const OWN: usize = 4;
const WIDTH: usize = 3;
/// Whose scores are looked at: what the first person does not have.
const CONTENDERS: [usize; 3] = [4, 5, 6];

/// Scores of two layers of sums over neighbours, each edge divided by the roots of its ends' degrees: `f64`, dense.
#[derive(Clone)]
struct Dense {
    table: Vec<[f64; WIDTH]>,
}

impl Dense {
    fn new(seed: u64, profile: bool) -> Self {
        let mut rng = seed::rng(seed, "test");
        let mut number = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.3;
        let mut table: Vec<[f64; WIDTH]> =
            (0..PEOPLE + ITEMS).map(|_| std::array::from_fn(|_| number())).collect();
        if !profile {
            table[0] = [0.0; WIDTH];
        }
        Self { table }
    }

    fn scores(&self, weights: &[f64]) -> [f64; 3] {
        let weight = |at: usize| if at < OWN { weights[at] } else { 1.0 };
        let mut degree = [0f64; PEOPLE + ITEMS];
        for (at, &(person, item)) in EDGES.iter().enumerate() {
            degree[person] += weight(at);
            degree[PEOPLE + item] += weight(at);
        }
        let (mut layer, mut sum) = (self.table.clone(), self.table.clone());
        for _ in 0..2 {
            let mut next = vec![[0f64; WIDTH]; PEOPLE + ITEMS];
            for (at, &(person, item)) in EDGES.iter().enumerate().filter(|&(at, _)| weight(at) > 0.0) {
                let (a, b) = (person, PEOPLE + item);
                let share = weight(at) / (degree[a] * degree[b]).sqrt();
                for column in 0..WIDTH {
                    next[a][column] += share * layer[b][column];
                    next[b][column] += share * layer[a][column];
                }
            }
            sum.iter_mut().flatten().zip(next.iter().flatten()).for_each(|(sum, next)| *sum += next);
            layer = next;
        }
        CONTENDERS.map(|item| sum[0].iter().zip(&sum[PEOPLE + item]).map(|(a, b)| a * b).sum())
    }
}

/// The same with weights, its gradient by finite differences.
struct Differences {
    dense: Dense,
    at: Vec<f64>,
}

impl Weighed for Differences {
    fn score(&mut self, weights: &[f32], out: &mut [f32]) -> Result<(), ScoreError> {
        self.at = weights.iter().map(|&weight| f64::from(weight)).collect();
        out.iter_mut().zip(self.dense.scores(&self.at)).for_each(|(out, score)| *out = score as f32);
        Ok(())
    }

    fn gradient(&mut self, slopes: &[f32], out: &mut [f32]) -> Result<(), ScoreError> {
        let of = |weights: &[f64]| {
            let scores = self.dense.scores(weights);
            slopes.iter().zip(scores).map(|(&slope, score)| f64::from(slope) * score).sum::<f64>()
        };
        let gradient = differences(&self.at, of);
        out.iter_mut().zip(gradient).for_each(|(out, slope)| *out = slope as f32);
        Ok(())
    }
}

/// The gradient of a function by central differences.
fn differences(at: &[f64], of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let moved = |place: usize, by: f64| {
        let mut at = at.to_vec();
        at[place] += by;
        of(&at)
    };
    (0..at.len()).map(|place| (moved(place, STEP) - moved(place, -STEP)) / (2.0 * STEP)).collect()
}

fn weighing(dense: &Dense, is_there: bool, (item, places, unit): (usize, usize, f64)) -> Weighing<'static> {
    let model = Box::new(Differences { dense: dense.clone(), at: Vec::new() });
    Weighing::of_model(model, is_there, (item, places, unit as f32), (CONTENDERS.len(), OWN))
}

fn margin(scores: &[f64], item: usize, places: usize) -> f64 {
    let mut others: Vec<f64> =
        scores.iter().enumerate().filter(|&(at, _)| at != item).map(|(_, &score)| score).collect();
    others.sort_by(|a, b| b.total_cmp(a));
    scores[item] - others[places - 1]
}

fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

fn masks(logits: &[f64]) -> Vec<f64> {
    logits.iter().map(|&logit| sigmoid(logit)).collect()
}

/// The weights of edges that are cited in part.
fn weights(cited: &[f64], is_there: bool) -> Vec<f64> {
    cited.iter().map(|cited| if is_there { *cited } else { 1.0 - cited }).collect()
}

/// Adam as its paper has it.
fn adam(steps: i32, rate: f64, mut slopes: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let (mut at, mut mean, mut square) = (vec![0f64; OWN], vec![0f64; OWN], vec![0f64; OWN]);
    for step in 1..=steps {
        for (place, slope) in slopes(&at).into_iter().enumerate() {
            mean[place] = 0.9 * mean[place] + 0.1 * slope;
            square[place] = 0.999 * square[place] + 0.001 * slope * slope;
            let (mean, square) =
                (mean[place] / (1.0 - 0.9f64.powi(step)), square[place] / (1.0 - 0.999f64.powi(step)));
            at[place] -= rate * mean / (square.sqrt() + 1e-8);
        }
    }
    at
}

/// Near, and in the same order wherever that can be told.
fn assert_alike(found: &[f32], slow: &[f64], what: &str) {
    for (at, (found, slow)) in found.iter().zip(slow).enumerate() {
        assert!((f64::from(*found) - slow).abs() < 5e-3, "{what}: edge {at} has {found}, slowly {slow}");
    }
    for (a, b) in (0..OWN).flat_map(|a| (0..OWN).map(move |b| (a, b))) {
        assert!(slow[a] <= slow[b] + 1e-2 || found[a] > found[b], "{what}: {found:?}, slowly {slow:?}");
    }
}

#[test]
fn slopes_of_margins_and_shares_are_those_of_differences() {
    for (seed, is_there) in (0..8).flat_map(|seed| [(seed, true), (seed, false)]) {
        let dense = Dense::new(seed, true);
        let mut weighing = weighing(&dense, is_there, (1, 2, 0.7));
        let cited = [0.2, 0.9, 0.5, 0.35];
        weighing.cite(&cited.map(|cited| cited as f32)).unwrap();
        let of = |cited: &[f64]| margin(&dense.scores(&weights(cited, is_there)), 1, 2) / 0.7;
        let found = weighing.margin();
        assert!((f64::from(found.of) - of(&cited)).abs() < 1e-5);
        let mut slopes = vec![0f32; OWN];
        weighing.add_slopes_of(found, -2.0, &mut slopes).unwrap();
        for (slope, slow) in slopes.iter().zip(differences(&cited, of)) {
            assert!((f64::from(*slope) + 2.0 * slow).abs() < 1e-4);
        }
        let share = |cited: &[f64]| {
            let scores = dense.scores(&weights(cited, is_there)).map(|score| score / 0.7);
            scores[1] - scores.iter().map(|score| score.exp()).sum::<f64>().ln()
        };
        assert!((f64::from(weighing.log_share()) - share(&cited)).abs() < 1e-5);
        let mut slopes = vec![0f32; OWN];
        weighing.add_slopes_of_log_share(3.0, &mut slopes).unwrap();
        for (slope, slow) in slopes.iter().zip(differences(&cited, share)) {
            assert!((f64::from(*slope) - 3.0 * slow).abs() < 1e-4);
        }
    }
}

#[test]
fn gnnexplainer_comes_to_the_mask_of_its_loss() {
    const SIZE: f64 = 0.005;
    const ENTROPY: f64 = 0.02;
    for (seed, is_there) in (0..6).flat_map(|seed| [(seed, true), (seed, false)]) {
        let dense = Dense::new(seed, !is_there);
        let loss = |logits: &[f64]| {
            let mask = masks(logits);
            // What the mask has is there, whether that is cited or kept.
            let margin = margin(&dense.scores(&mask), 0, 1);
            let entropy: f64 = mask.iter().map(|m| -m * m.ln() - (1.0 - m) * (1.0 - m).ln()).sum();
            -sigmoid(margin).ln() + SIZE * mask.iter().sum::<f64>() + ENTROPY * entropy / OWN as f64
        };
        let slow = masks(&adam(20, 0.1, |logits| differences(logits, loss)));
        let mut weighing = weighing(&dense, is_there, (0, 1, 1.0));
        let found = gnnexplainer::mask(&mut weighing, OWN, (!is_there, 1.0)).unwrap();
        assert_alike(&found, &slow, "gnnexplainer");
    }
}

#[test]
fn cf2_comes_to_the_mask_of_its_loss() {
    const LAMBDA: f64 = 500.0;
    const ALPHA: f64 = 0.6;
    const GAMMA: f64 = 0.1;
    for seed in 0..6 {
        let (alone, whole) = (Dense::new(seed, false), Dense::new(seed, true));
        let loss = |logits: &[f64]| {
            let mask = masks(logits);
            let enough = margin(&alone.scores(&mask), 2, 1);
            let needed = margin(&whole.scores(&weights(&mask, false)), 2, 1);
            let hinges = ALPHA * (GAMMA - enough).max(0.0) + (1.0 - ALPHA) * (GAMMA + needed).max(0.0);
            mask.iter().sum::<f64>() + LAMBDA * hinges
        };
        let slow = masks(&adam(100, 0.3, |logits| differences(logits, loss)));
        let side = |dense: &Dense, direction: Direction, counts: f32| cf2::Side {
            weighing: weighing(dense, direction == Direction::In, (2, 1, 1.0)),
            direction,
            counts,
        };
        let mut sides = [side(&alone, Direction::In, 0.6), side(&whole, Direction::Out, 0.4)];
        assert_alike(&cf2::mask(&mut sides, OWN).unwrap(), &slow, "cf2");
    }
}

#[test]
fn cf_gnnexplainer_stops_where_the_item_moves() {
    let mut moved = 0;
    for (seed, item) in (0..80).flat_map(|seed| (0..3).map(move |item| (seed, item))) {
        let dense = Dense::new(seed, true);
        let share = |logits: &[f64]| {
            let scores = dense.scores(&weights(&masks(logits), false));
            scores[item] - scores.iter().map(|score| score.exp()).sum::<f64>().ln()
        };
        let is_there = |logits: &[f64]| {
            let kept: Vec<f64> = logits.iter().map(|&logit| f64::from(logit <= 0.0)).collect();
            margin(&dense.scores(&kept), item, 1) >= 0.0
        };
        let mut slow = vec![-1f64; OWN];
        let mut steps = 0;
        while is_there(&slow) && steps < 500 {
            let slopes = differences(&slow, share);
            let length = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
            let shorter = if length > 2.0 { 2.0 / length } else { 1.0 };
            slow.iter_mut().zip(slopes).for_each(|(at, slope)| *at -= 10.0 * shorter * slope);
            steps += 1;
        }
        moved += usize::from(steps > 0 && steps < 500);
        let mut weighing = weighing(&dense, false, (item, 1, 1.0));
        let found = cf_gnnexplainer::logits(&mut weighing, OWN, Direction::Out).unwrap();
        // Steps this long leave the sigmoid's slope behind: what is far beyond need not be near.

        let found: Vec<f32> = found.into_iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect();
        assert_alike(&found, &masks(&slow), "cf-gnnexplainer");
    }
    assert!(moved > 3, "{moved} of 240 moved");
}

/// The gains along an order of a game whose worth depends on who is in, and on pairs.
fn game(order: &[usize]) -> Vec<f64> {
    let worth = |players: &HashSet<usize>| {
        let alone: f64 = players.iter().map(|&player| (player as f64 + 1.0).sqrt()).sum();
        let pair = |a: usize, b: usize| f64::from(u8::from(players.contains(&a) && players.contains(&b)));
        alone + 3.0 * pair(0, 3) - 2.0 * pair(1, 2) + 0.5 * pair(2, 4) * alone
    };
    (0..=order.len()).map(|many| worth(&order[..many].iter().copied().collect())).collect()
}

fn every_order(players: &[usize]) -> Vec<Vec<usize>> {
    if players.is_empty() {
        return vec![Vec::new()];
    }
    let first = |&first: &usize| {
        let others: Vec<usize> = players.iter().copied().filter(|&other| other != first).collect();
        every_order(&others).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    players.iter().flat_map(first).collect()
}

#[test]
fn shapley_shares_add_up_and_come_to_those_of_all_orders() {
    const PLAYERS: usize = 5;
    let all = every_order(&[0, 1, 2, 3, 4]);
    let mut exact = [0f64; PLAYERS];
    for order in &all {
        let gains = game(order);
        order.iter().enumerate().for_each(|(at, &player)| exact[player] += gains[at + 1] - gains[at]);
    }
    let exact = exact.map(|sum| sum / all.len() as f64);
    let gains = game(&[0, 1, 2, 3, 4]);
    let whole = gains[PLAYERS] - gains[0];
    for pairs in [1, 2, 8, 2000] {
        let mut rng = seed::rng(1, "test");
        let shares = shapley::sampled(PLAYERS, pairs, &mut rng, |order| Ok(game(order))).unwrap();
        let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
        assert!((sum - whole).abs() < 1e-5, "{pairs} pairs: {sum} instead of {whole}");
        for (share, exact) in shares.iter().zip(exact).filter(|_| pairs == 2000) {
            assert!((f64::from(*share) - exact).abs() < 0.05, "{share} instead of {exact}");
        }
    }
}

#[test]
fn a_network_learns_by_the_slopes_of_differences() {
    let features = [0.3f32, -1.2, 0.8, 0.1, 0.9, -0.4];
    let by_logit = [0.7f32, -1.3];
    let mut network = Network::new(3, &mut seed::rng(3, "test"));
    let said = network.say(&features);
    let mut gradient = vec![0f32; network.weights().len()];
    network.add_gradient(&features, &said, &by_logit, &mut gradient);
    let mut loss = |at: usize, by: f32| {
        network.weights()[at] += by;
        let said = network.say(&features).logits;
        network.weights()[at] -= by;
        said.iter().zip(by_logit).map(|(said, slope)| said * slope).sum::<f32>()
    };
    for (at, &slope) in gradient.iter().enumerate() {
        let slow = (loss(at, 2e-3) - loss(at, -2e-3)) / 4e-3;
        assert!((slope - slow).abs() < 2e-3, "weight {at}: {slope}, slowly {slow}");
    }
}

#[test]
fn lxr_goes_down_its_loss() {
    const POSITIVE: f64 = 11.6;
    const NEGATIVE: f64 = 0.14;
    const SIZE: f64 = 5.0;
    let logits = [0.4, -1.1, 0.2, 2.0];
    for (seed, lore) in (0..8).flat_map(|seed| [(seed, Lore::Needed), (seed, Lore::Enough)]) {
        let dense = Dense::new(seed, lore == Lore::Needed);
        let share = |weights: &[f64]| {
            let scores = dense.scores(weights);
            scores[1] - scores.iter().map(|score| score.exp()).sum::<f64>().ln()
        };
        // Whether it is taken away or put back, what the mask has is there in the one, and what it has not in the other.
        let loss = |logits: &[f64]| {
            let mask = masks(logits);
            let rest: Vec<f64> = mask.iter().map(|m| 1.0 - m).collect();
            let size = mask.iter().sum::<f64>() / OWN as f64;
            -POSITIVE * share(&mask) + NEGATIVE * share(&rest) + SIZE * size
        };
        let mut weighing = weighing(&dense, lore == Lore::Enough, (1, 1, 1.0));
        let found = lxr::slopes(&mut weighing, lore, &logits.map(|logit| logit as f32)).unwrap();
        for (found, slow) in found.iter().zip(differences(&logits, loss)) {
            assert!((f64::from(*found) - slow).abs() < 2e-3, "{lore:?}: {found}, slowly {slow}");
        }
    }
}

#[test]
fn pgexplainer_goes_down_its_loss() {
    let (gains, said) = ([0.4, -0.1, 0.9, 0.2], [0.1, 0.5, -0.7, 0.3]);
    let softmax = |values: &[f64]| {
        let all: f64 = values.iter().map(|value| value.exp()).sum();
        values.iter().map(|value| value.exp() / all).collect::<Vec<f64>>()
    };
    let mean = gains.iter().sum::<f64>() / 4.0;
    let deviation = (gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / 4.0).sqrt();
    let parts = softmax(&gains.map(|gain| 2.0 * gain / deviation));
    let loss =
        |said: &[f64]| -parts.iter().zip(softmax(said)).map(|(part, said)| part * said.ln()).sum::<f64>();
    let taught = pgexplainer::parts(&gains.map(|gain| gain as f32)).unwrap();
    let found = pgexplainer::slopes(&taught, &said.map(|said| said as f32));
    for (found, slow) in found.iter().zip(differences(&said, loss)) {
        assert!((f64::from(*found) - slow).abs() < 1e-4, "{found}, slowly {slow}");
    }
    assert!(pgexplainer::parts(&[0.3, 0.3]).is_none(), "there is nothing to tell these apart by");
}
