//! Searches against what can be found by trying everything.

mod rivals;

use grease_graph::{ItemId, Profile, UserId};
use proptest::prelude::*;

use super::frozen::order;
use super::paper::{Question, algorithm_1};
use crate::paper_options::{PaperLoss, PaperOptions};
use crate::surrogate::tests::{Shows, Twin};
use crate::surrogate::{
    Anchored, FeatureChoice, FitOptions, Inputs, Lessons, Neighbourhood, Shown, Surrogate,
};
use crate::task::Direction;

const PAIRS: [(u32, u32); 17] = [
    (0, 0),
    (0, 1),
    (0, 2),
    (0, 3),
    (1, 0),
    (1, 5),
    (1, 6),
    (2, 1),
    (2, 5),
    (2, 7),
    (3, 2),
    (3, 6),
    (3, 5),
    (4, 3),
    (4, 7),
    (4, 4),
    (4, 6),
];

/// Runs `check` on a surrogate around user 0 and item 5, fitted a little so that its outputs mean something.
fn with_surrogate(seed: u64, check: impl FnOnce(&Inputs<'_>, &Surrogate)) {
    let shows = Shows::new(5, 8, &PAIRS, true, true, seed);
    let own = shows.graph.items_of(UserId(0));
    let neighbourhood = Neighbourhood::around(&shows.graph, UserId(0), own, &[ItemId(5)], 2, 100);
    let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, seed), Profile::Kept);
    let options = FitOptions { steps: 30, hidden: 6, seed, ..FitOptions::default() };
    let surrogate = Surrogate::fit(&inputs, Lessons::default(), &options, None).unwrap();
    check(&inputs, &surrogate);
}

fn candidates() -> Vec<ItemId> {
    [4, 5, 6, 7].map(ItemId).to_vec()
}

fn itself<'a>(inputs: &'a Inputs<'a>, surrogate: &'a Surrogate, absent: &[u32]) -> Anchored<'a> {
    Anchored::unanchored(inputs, surrogate, &surrogate.on(inputs), candidates(), absent)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_begins_with_the_best_single_edge_and_tells_its_margins(seed: u64, put_back: bool, k in 1usize..4) {
        with_surrogate(seed, |inputs, surrogate| {
            let own = inputs.neighbourhood().own_edges();
            let (direction, absent) = if put_back { (Direction::In, own.clone()) } else { (Direction::Out, Vec::new()) };
            let mut anchored = itself(inputs, surrogate, &absent);
            let start = anchored.scores().to_vec();
            let steps = order(&mut anchored, ItemId(5), k, direction, &own, 3);
            assert_eq!(anchored.scores(), &start[..], "given back as it was");
            assert_eq!(steps.len(), 3);
            // All four are on the shortlist, so the first is the best there is.
            let margins: Vec<f32> = own.iter().map(|&edge| {
                anchored.flip(&[edge]);
                let margin = anchored.standing(ItemId(5), k).unwrap().margin;
                anchored.flip(&[edge]);
                margin
            }).collect();
            let best = margins.iter().copied().map(|m| direction.gain(m)).fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(direction.gain(steps[0].margin), best);
            for step in steps {
                anchored.flip(&[step.edge]);
                assert_eq!(anchored.standing(ItemId(5), k).unwrap().margin, step.margin);
            }
        });
    }

    #[test]
    fn what_algorithm_1_finds_is_valid_within_the_cap_and_allowed(seed: u64, factual: bool, printed: bool, cap in 0usize..5, k in 1usize..4) {
        with_surrogate(seed, |inputs, surrogate| {
            let neighbourhood = inputs.neighbourhood();
            let mut target = neighbourhood.own_edges();
            target.extend(neighbourhood.edges_of_item(neighbourhood.targets()[0]));
            target.sort_unstable();
            let everything: Vec<u32> = (0..neighbourhood.len() as u32).collect();
            let (direction, evicted, allowed) = if factual { (Direction::In, target.clone(), target) } else { (Direction::Out, Vec::new(), everything) };
            let mut anchored = itself(inputs, surrogate, &evicted);
            let start = anchored.scores().to_vec();
            let loss = if printed { PaperLoss::Printed } else { PaperLoss::Margin };
            let options = &PaperOptions { loss, ..PaperOptions::default() };
            let question = Question { item: ItemId(5), k, direction, allowed: &allowed, cap, options };
            let rank_at_start = anchored.standing(ItemId(5), k).unwrap().rank;
            let answer = algorithm_1(&mut anchored, &question).unwrap();
            assert_eq!(anchored.scores(), &start[..], "given back as it was");
            assert_eq!(answer.edges.is_some(), answer.rank_after.is_some());
            if (rank_at_start <= k) == factual {
                assert_eq!(answer.edges.as_deref(), Some(&[][..]), "nothing is needed");
            }
            if let Some(edges) = answer.edges {
                assert!(edges.len() <= cap && edges.iter().all(|edge| allowed.contains(edge)));
                anchored.flip(&edges);
                let rank = anchored.standing(ItemId(5), k).unwrap().rank;
                assert_eq!(Some(rank), answer.rank_after);
                assert_eq!(rank <= k, factual);
            }
        });
    }
}

#[test]
fn algorithm_1_finds_most_of_what_there_is() {
    // Against every subset of the four own edges.
    let (mut there, mut found) = (0, 0);
    for seed in 0..40 {
        with_surrogate(seed, |inputs, surrogate| {
            let own = inputs.neighbourhood().own_edges();
            let mut anchored = itself(inputs, surrogate, &[]);
            if anchored.standing(ItemId(5), 2).unwrap().rank > 2 {
                return;
            }
            let exists = (1u32..16).any(|subset| {
                let subset: Vec<u32> =
                    own.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1).map(|(_, &e)| e).collect();
                anchored.flip(&subset);
                let out = anchored.standing(ItemId(5), 2).unwrap().rank > 2;
                anchored.flip(&subset);
                out
            });
            let (allowed, options) = (&own[..], &PaperOptions::default());
            let question =
                Question { item: ItemId(5), k: 2, direction: Direction::Out, allowed, cap: 10, options };
            let answer = algorithm_1(&mut anchored, &question).unwrap();
            assert!(exists || answer.edges.is_none());
            there += usize::from(exists);
            found += usize::from(answer.edges.is_some());
        });
    }
    assert!(there >= 5 && found * 10 >= there * 7, "{found} of {there}");
}

#[test]
fn the_papers_own_factual_loss_has_no_gradient_where_the_search_starts() {
    // L_FA = -y ReLU(y - t + eps) as printed, by central differences over every evicted edge, against the hinge
    // ReLU(t - y + eps) that is minimised instead; t is the k-th best score of the others.
    let mut compared = 0;
    for seed in 0..20 {
        with_surrogate(seed, |inputs, surrogate| {
            let neighbourhood = inputs.neighbourhood();
            let mut evicted = neighbourhood.own_edges();
            evicted.extend(neighbourhood.edges_of_item(neighbourhood.targets()[0]));
            let edges = |nudged: u32, by: f64| -> Vec<f64> {
                let weight = |edge: u32| f64::from(u8::from(!evicted.contains(&edge)));
                (0..neighbourhood.len() as u32)
                    .map(|edge| weight(edge) + if edge == nudged { by } else { 0.0 })
                    .collect()
            };
            let twin = Twin::new(inputs, &surrogate.weights);
            let losses = |weights: &[f64]| {
                let scores = twin.scores(weights);
                let score =
                    |item: ItemId| scores[inputs.item_node(neighbourhood.item(item).unwrap()) as usize];
                let y = score(ItemId(5));
                let t = f64::max(score(ItemId(6)), score(ItemId(7)));
                let epsilon = 0.05 * t.abs().max(1e-9);
                (-y * (y - t + epsilon).max(0.0), (t - y + epsilon).max(0.0))
            };
            let (literal, hinge) = losses(&edges(0, 0.0));
            if hinge < 1e-3 || literal != 0.0 {
                return; // On the list even so: nothing to search for.
            }
            compared += 1;
            let slopes: Vec<(f64, f64)> = evicted
                .iter()
                .map(|&edge| {
                    let (up, down) = (losses(&edges(edge, 1e-4)), losses(&edges(edge, -1e-4)));
                    (up.0 - down.0, up.1 - down.1)
                })
                .collect();
            assert!(slopes.iter().all(|slope| slope.0 == 0.0));
            assert!(slopes.iter().any(|slope| slope.1 != 0.0));
            let mut anchored = itself(inputs, surrogate, &evicted);
            assert!(anchored.slopes(ItemId(5), 1, &evicted).iter().any(|slope| *slope != 0.0));
        });
    }
    assert!(compared >= 5, "{compared}");
}
