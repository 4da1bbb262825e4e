//! Predictions and slopes after edits.

use grease_graph::{ItemId, Profile, UserId};
use proptest::prelude::*;

use super::{Shows, Twin};
use crate::surrogate::Neighbourhood;
use crate::surrogate::weights::Weights;
use crate::surrogate::{Anchored, FeatureChoice, Inputs, Lesson, Shown, Surrogate};

fn case() -> impl Strategy<Value = (Vec<(u32, u32)>, u64)> {
    (proptest::collection::vec((0u32..5, 0u32..6), 3..20), any::<u64>())
}

/// The person is user 0, the target item 5; a contender without any edge and not within reach is item 6.
fn around(shows: &Shows) -> Neighbourhood {
    Neighbourhood::around(&shows.graph, UserId(0), shows.graph.items_of(UserId(0)), &[ItemId(5)], 2, 100)
}

fn surrogate(inputs: &Inputs<'_>, seed: u64) -> Surrogate {
    Surrogate { weights: Weights::random(inputs.shown.feature_width(), 4, inputs.shown.output_width(), seed) }
}

/// Margin of item 5 by its definition, threshold from the scores at `threshold`.
fn margin(scores: &[f64], at: usize, threshold: Option<usize>) -> f64 {
    scores[at] - threshold.map_or(0.0, |t| scores[t])
}

proptest! {
    #[test]
    fn scores_are_the_real_ones_moved_by_what_the_twin_moves((pairs, seed) in case(), absent: u64, flips: u64) {
        let shows = Shows::new(5, 7, &pairs, true, true, seed);
        let neighbourhood = around(&shows);
        let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, seed), Profile::Kept);
        let surrogate = surrogate(&inputs, seed);
        let edges = 0..neighbourhood.len() as u32;
        let absent: Vec<u32> = edges.clone().filter(|e| absent >> e & 1 == 1).collect();
        let flips: Vec<u32> = edges.clone().filter(|e| flips >> e & 1 == 1).collect();
        let contenders: Vec<(ItemId, f32)> = (0..7).map(|i| (ItemId(i), 0.1 * i as f32)).collect();
        let mut anchored = Anchored::new(&inputs, &surrogate, &surrogate.on(&inputs), &contenders, &absent);
        for (score, (_, real)) in anchored.scores().iter().zip(&contenders) {
            prop_assert!((score - real).abs() < 1e-5);
        }
        let start = anchored.scores().to_vec();
        anchored.flip(&flips);
        let twin = Twin::new(&inputs, &surrogate.weights);
        let weights = |flips: &[u32]| -> Vec<f64> {
            edges.clone().map(|e| if absent.contains(&e) != flips.contains(&e) { 0.0 } else { 1.0 }).collect()
        };
        let (before, after) = (twin.scores(&weights(&[])), twin.scores(&weights(&flips)));
        let outputs = [twin.outputs(&weights(&[])), twin.outputs(&weights(&flips))];
        let unit = f64::from(inputs.shown.score_unit());
        for (at, &(item, real)) in contenders.iter().enumerate() {
            let change = match neighbourhood.item(item) {
                Some(local) => after[inputs.item_node(local) as usize] - before[inputs.item_node(local) as usize],
                None => {
                    let z = inputs.shown.output_of_item(item).unwrap();
                    let product = |o: &Vec<Vec<f64>>| -> f64 { o[neighbourhood.person() as usize].iter().zip(&z).map(|(a, &b)| a * f64::from(b)).sum() };
                    unit * (product(&outputs[1]) - product(&outputs[0]))
                }
            };
            prop_assert!((f64::from(anchored.scores()[at]) - f64::from(real) - change).abs() < 1e-4, "item {}", item.0);
        }
        anchored.flip(&flips);
        prop_assert_eq!(anchored.scores(), &start[..], "flipping back gives the same bits");
    }

    #[test]
    fn an_absent_edge_is_an_edge_that_was_never_there((pairs, seed) in case(), which: u64) {
        // The same scores, to the bit, as on a graph without the edge; nodes it alone reached are left out there.
        let shows = Shows::new(5, 7, &pairs, true, true, seed);
        let neighbourhood = around(&shows);
        if neighbourhood.len() == 0 { return Ok(()); }
        let gone = neighbourhood.edge((which % neighbourhood.len() as u64) as u32);
        let pairs: Vec<(u32, u32)> = pairs.iter().copied().filter(|&(u, i)| (u, i) != (gone.user.0, gone.item.0)).collect();
        let without = Shows::new(5, 7, &pairs, true, true, seed);
        let rest = around(&without);
        if rest.len() + 1 != neighbourhood.len() { return Ok(()); }
        let scores = |shows: &Shows, neighbourhood: &Neighbourhood, absent: &[u32]| {
            let inputs = Inputs::new(neighbourhood, Shown::new(shows, FeatureChoice::Best, seed), Profile::Kept);
            let surrogate = surrogate(&inputs, seed);
            let within = rest.items().iter().map(|&item| ItemId(item));
            Anchored::unanchored(&inputs, &surrogate, &surrogate.on(&inputs), within, absent).scores().to_vec()
        };
        let absent = neighbourhood.find(gone).unwrap();
        prop_assert_eq!(scores(&shows, &neighbourhood, &[absent]), scores(&without, &rest, &[]));
    }

    #[test]
    fn slopes_equal_one_sided_differences((pairs, seed) in case(), absent: u64, emptied: bool, k in 1usize..4) {
        // margin(w) at w = 0/1, by every edge, on the side the edge can go; in f64.
        let shows = Shows::new(5, 7, &pairs, true, true, seed);
        let neighbourhood = around(&shows);
        let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, seed), Profile::Kept);
        let surrogate = surrogate(&inputs, seed);
        let edges: Vec<u32> = (0..neighbourhood.len() as u32).collect();
        let own = neighbourhood.own_edges();
        let absent: Vec<u32> = edges.iter().copied().filter(|&e| absent >> e & 1 == 1 || (emptied && own.contains(&e))).collect();
        let contenders: Vec<ItemId> = neighbourhood.items().iter().map(|&item| ItemId(item)).collect();
        let mut anchored = Anchored::unanchored(&inputs, &surrogate, &surrogate.on(&inputs), contenders.iter().copied(), &absent);
        let slopes = anchored.slopes(ItemId(5), k, &edges);
        let node = |item: ItemId| inputs.item_node(neighbourhood.item(item).unwrap()) as usize;
        let mut others: Vec<(ItemId, f32)> = contenders.iter().copied().zip(anchored.scores().iter().copied()).filter(|c| c.0 != ItemId(5)).collect();
        others.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let threshold = others.get(k - 1).map(|c| node(c.0));
        let twin = Twin::new(&inputs, &surrogate.weights);
        let mut weights: Vec<f64> = edges.iter().map(|e| if absent.contains(e) { 0.0 } else { 1.0 }).collect();
        let at_start = margin(&twin.scores(&weights), node(ItemId(5)), threshold);
        for &edge in &edges {
            let h = if absent.contains(&edge) { 1e-6 } else { -1e-6 };
            let mut moved = |by: f64| { weights[edge as usize] += by; let m = margin(&twin.scores(&weights), node(ItemId(5)), threshold); weights[edge as usize] -= by; m };
            let (near, far) = (moved(h), moved(2.0 * h));
            // A ReLU that bends right here has no slope to compare with.
            if (far - 2.0 * near + at_start).abs() > 1e-9 * (1.0 + at_start.abs()) { continue; }
            let want = (near - at_start) / h;
            let got = f64::from(slopes[edge as usize]);
            prop_assert!((got - want).abs() < 1e-3 * (1.0 + want.abs()), "edge {edge}: {got} against {want}");
        }
        if let Some(standing) = anchored.standing(ItemId(5), k) {
            let threshold = others.get(k - 1).map_or(f32::NEG_INFINITY, |c| c.1);
            prop_assert_eq!(standing.margin, standing.score - threshold);
            let better = others.iter().filter(|c| c.1 > standing.score || (c.1 == standing.score && c.0 < ItemId(5))).count();
            prop_assert_eq!(standing.rank, better + 1);
        }
    }
}

#[test]
fn fidelity_is_one_where_the_answers_are_the_surrogates_own() {
    let pairs = [(0, 0), (0, 1), (1, 0), (1, 5), (2, 1), (2, 5), (2, 3)];
    let shows = Shows::new(5, 7, &pairs, true, true, 8);
    let neighbourhood = around(&shows);
    let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, 8), Profile::Kept);
    let surrogate = surrogate(&inputs, 8);
    let activations = surrogate.on(&inputs);
    let contenders = [3, 5].map(|item| (ItemId(item), 0.0));
    let mut anchored = Anchored::new(&inputs, &surrogate, &activations, &contenders, &[]);
    let answers: Vec<Lesson> = (0..4)
        .map(|edge| {
            anchored.flip(&[edge]);
            let changes = contenders.iter().map(|c| c.0).zip(anchored.scores().to_vec()).collect();
            anchored.flip(&[edge]);
            Lesson { before: vec![], after: vec![edge], changes }
        })
        .collect();
    assert!(anchored.fidelity(&answers).unwrap() > 0.999);
    assert_eq!(anchored.fidelity(&[]), None);
}
