//! Training gradients against central differences of the slow path: `(f(w + h) - f(w - h)) / 2h` in `f64`, for every weight.

use std::sync::Arc;

use grease_graph::Graph;
use grease_testing::slow::{Mask, Output, Slow, dot};

use super::{graph, slow, weights};
use crate::architecture::{Architecture, Kind};
use crate::halves::Side;
use crate::lightgcn::training::LightGcnNetwork;
use crate::ngcf::training::NgcfNetwork;
use crate::train::Loss;
use crate::train::batch::{self, Batch, Triples};
use crate::train::network::Network;
use crate::train::objective::Objective;
use crate::weights::Weights;

/// Small enough that the difference is the slope, large enough that `f64` still has digits.
const H: f64 = 1e-5;

/// Of the largest entry of the tensor: what `f32` sums of some dozen terms leave.
const TOLERANCE: f64 = 2e-5;

const LOSSES: [Loss; 2] = [Loss::Bce, Loss::Bpr];

const L2: f32 = 0.05;

const STEP: u64 = 5;

/// Part of an epoch, with a user and an item that come twice.
fn triples(graph: &Graph) -> Triples {
    let Triples { mut users, mut positives, mut negatives } = batch::draw(graph, 3, 0);
    for rows in [&mut users, &mut positives, &mut negatives] {
        rows.truncate(graph.len() / 3);
    }
    users.push(users[0]);
    positives.push(positives[0]);
    negatives.push(positives[1]);
    Triples { users, positives, negatives }
}

/// Weights counted and weights skipped, as the difference straddled a kink of LeakyReLU.
#[derive(Default)]
struct Compared {
    weights: usize,
    skipped: usize,
}

/// A network's gradients of a batch against differences of the slow path, for all weights.
fn compare(
    architecture: Architecture,
    graph: &Graph,
    loss: Loss,
    network: &mut dyn Network,
    mask: Option<Mask<'_>>,
) -> Compared {
    let weights = weights(architecture, graph, graph.users(), 9);
    let triples = triples(graph);
    let objective = Objective { loss, l2: L2 };
    let mut batch = Batch::new(graph);
    let mut grads = weights.zeros_like();
    // Another batch first, so that anything left over from it shows.
    grads.0.iter_mut().for_each(|t| t.data.fill(f32::NAN));
    batch.fill(&batch::draw(graph, 4, 0), 0, graph.len());
    network.gradients(&weights, &batch, &objective, STEP + 1, &mut grads);
    batch.fill(&triples, 0, triples.users.len());
    let value = network.gradients(&weights, &batch, &objective, STEP, &mut grads);

    let slow = slow(architecture, graph, &weights);
    let l2 = f64::from(L2);
    let (want, _, _) = objective_of(&slow, &triples, loss, l2, mask);
    assert!((value - want).abs() < 1e-5 * want, "{architecture:?}, {loss}: loss {value} instead of {want}");

    let mut compared = Compared::default();
    for (at, tensor) in grads.0.iter().enumerate() {
        let wanted: Vec<Option<f64>> = (0..tensor.data.len())
            .map(|k| {
                let moved = |by: f64| {
                    let mut slow = slow.clone();
                    *weight(&mut slow, &weights, at, k) += by;
                    let (loss, penalty, above) = objective_of(&slow, &triples, loss, l2, mask);
                    (loss + penalty, above)
                };
                let ((up, above), (down, below)) = (moved(H), moved(-H));
                (above == below).then_some((up - down) / (2.0 * H))
            })
            .collect();
        let largest = wanted.iter().flatten().fold(0f64, |most, w| most.max(w.abs()));
        for (k, want) in wanted.iter().enumerate() {
            compared.weights += 1;
            let Some(want) = want else {
                compared.skipped += 1;
                continue;
            };
            let got = f64::from(tensor.data[k]);
            assert!(
                (got - want).abs() <= TOLERANCE * largest,
                "{architecture:?}, {loss}, `{}` at {k}: {got} instead of {want} (largest {largest})",
                tensor.name
            );
        }
    }
    compared
}

/// The slow path's mean loss of these triples of rows, the penalty, and the sides of the kinks.
fn objective_of(
    slow: &Slow,
    triples: &Triples,
    loss: Loss,
    l2: f64,
    mask: Option<Mask<'_>>,
) -> (f64, f64, Vec<bool>) {
    let Output { width, rows, above } = slow.output(mask);
    let dim = slow.dim;
    let n = triples.users.len();
    let (mut total, mut penalty) = (0.0, 0.0);
    for k in 0..n {
        let user = triples.users[k] as usize;
        let [positive, negative] =
            [triples.positives[k], triples.negatives[k]].map(|item| slow.users + item as usize);
        let score = |item: usize| dot(&rows[user * width..][..width], &rows[item * width..][..width]);
        let minus_log_sigmoid = |x: f64| (1.0 + (-x).exp()).ln();
        total += match loss {
            Loss::Bce => minus_log_sigmoid(score(positive)) + minus_log_sigmoid(-score(negative)),
            Loss::Bpr => minus_log_sigmoid(score(positive) - score(negative)),
        };
        let square = |node: usize| dot(&slow.table[node * dim..][..dim], &slow.table[node * dim..][..dim]);
        penalty += l2 / 2.0 * (square(user) + square(positive) + square(negative));
    }
    (total / n as f64, penalty / n as f64, above)
}

/// Entry `k` of tensor `at`, in the slow path's arrangement.
fn weight<'a>(slow: &'a mut Slow, weights: &Weights, at: usize, k: usize) -> &'a mut f64 {
    match at {
        0 => &mut slow.table[k],
        1 => &mut slow.table[weights.users().len() + k],
        _ => &mut slow.layers[(at - 2) / 4][(at - 2) % 4][k],
    }
}

/// With isolated nodes, and with hubs only.
fn graphs() -> [Graph; 2] {
    [graph(14, 11, 40, 1), graph(6, 5, 60, 2)]
}

#[test]
fn lightgcn() {
    for graph in graphs() {
        for layers in 0..=4 {
            for loss in LOSSES {
                let architecture = Architecture::new(Kind::LightGcn, layers, 5);
                let mut network = LightGcnNetwork::new(Arc::new(graph.clone()), layers, 5);
                compare(architecture, &graph, loss, &mut network, None);
            }
        }
    }
}

fn ngcf(dropout: f32) {
    let mut all = Compared::default();
    for graph in graphs() {
        for (layers, dim) in [(0, 5), (1, 5), (2, 5), (3, 5), (2, 9)] {
            for loss in LOSSES {
                let architecture = Architecture::new(Kind::Ngcf, layers, dim);
                let network = || NgcfNetwork::new(Arc::new(graph.clone()), layers, dim, dropout, 17);
                let (users, like) = (graph.users(), network());
                let masks: Vec<Vec<f32>> = (0..layers)
                    .flat_map(|l| (0..users + graph.items()).map(move |node| (l, node)))
                    .map(|(l, node)| match node.checked_sub(users) {
                        None => like.mask(STEP, l, Side::Users, node as u32),
                        Some(item) => like.mask(STEP, l, Side::Items, item as u32),
                    })
                    .collect();
                let nodes = users + graph.items();
                let mask = |l: usize, node: usize, column: usize| f64::from(masks[l * nodes + node][column]);
                let compared = compare(architecture, &graph, loss, &mut network(), Some(&mask));
                all.weights += compared.weights;
                all.skipped += compared.skipped;
            }
        }
    }
    assert!(all.skipped * 100 < all.weights, "{} of {} weights were skipped", all.skipped, all.weights);
}

#[test]
fn ngcf_without_dropout() {
    ngcf(0.0);
}

#[test]
fn ngcf_with_dropout() {
    ngcf(0.3);
}

#[test]
fn dropout_drops_its_share_anew_in_every_batch_layer_and_half() {
    let graph = graph(14, 11, 40, 1);
    let network = NgcfNetwork::new(Arc::new(graph), 2, 64, 0.3, 17);
    let share = |step, layer, side| {
        let values: Vec<f32> = (0..200).flat_map(|row| network.mask(step, layer, side, row)).collect();
        assert!(values.iter().all(|&v| v == 0.0 || (v - 1.0 / 0.7).abs() < 1e-6));
        let dropped = values.iter().filter(|&&v| v == 0.0).count() as f64 / values.len() as f64;
        assert!((dropped - 0.3).abs() < 0.02, "{dropped}");
        values
    };
    let first = share(1, 0, Side::Users);
    for other in [share(2, 0, Side::Users), share(1, 1, Side::Users), share(1, 0, Side::Items)] {
        assert_ne!(first, other);
    }
}
