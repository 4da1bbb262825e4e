//! What the slow twins of steps on a card have in common: a small graph, products in `f64`, the loss, and comparing.

use grease_graph::{Edge, Graph};
use grease_models::train::{Loss, TrainOptions, draw};

use crate::train::plan::Plan;

pub(crate) type Table = Vec<Vec<f64>>;

/// The last person and the last item are in no interaction, and person 0 has all other items.
pub(crate) fn graph() -> Graph {
    let some = (0..40u32).flat_map(|u| (0..1 + u % 7).map(move |k| Edge::new(u, (u * 3 + k * 11) % 25)));
    let edges: Vec<Edge> = some.chain((0..25).map(|item| Edge::new(0, item))).collect();
    Graph::new(41, 26, &edges).unwrap()
}

fn neighbours(graph: &Graph, node: usize) -> Vec<usize> {
    let users = graph.users();
    match node.checked_sub(users) {
        None => graph.by_user().row(node).iter().map(|&item| users + item as usize).collect(),
        Some(item) => graph.by_item().row(item).iter().map(|&user| user as usize).collect(),
    }
}

/// `1 / sqrt(degree)`, or 0.
pub(crate) fn root(graph: &Graph, node: usize) -> f64 {
    let degree = neighbours(graph, node).len();
    if degree == 0 { 0.0 } else { 1.0 / (degree as f64).sqrt() }
}

/// `S W S x`.
pub(crate) fn through_graph(graph: &Graph, x: &Table) -> Table {
    let row = |node: usize| {
        let mut sum = vec![0.0; x[node].len()];
        for other in neighbours(graph, node) {
            let weight = root(graph, node) * root(graph, other);
            sum.iter_mut().zip(&x[other]).for_each(|(s, v)| *s += weight * v);
        }
        sum
    };
    (0..x.len()).map(row).collect()
}

pub(crate) fn add(to: &mut Table, other: &Table) {
    to.iter_mut().flatten().zip(other.iter().flatten()).for_each(|(t, o)| *t += o);
}

/// The first batch of the first epoch: the node of every slot, and triples by nodes.
pub(crate) fn first_batch(graph: &Graph, options: &TrainOptions) -> (Vec<usize>, Vec<[usize; 3]>) {
    let plan = Plan::of(graph, &draw(graph, options.seed, 0), options.batch);
    let nodes: Vec<usize> =
        plan.nodes[..plan.steps[0].slots as usize].iter().map(|&node| node as usize).collect();
    let triples = plan.triples[..3 * plan.steps[0].triples as usize].chunks_exact(3);
    let triples = triples.map(|slots| [0, 1, 2].map(|role| nodes[slots[role] as usize])).collect();
    (nodes, triples)
}

/// The gradient of the loss by the output rows of all nodes, where a score is `gain` times a dot product.
pub(crate) fn slopes(output: &Table, triples: &[[usize; 3]], loss: Loss, gain: f64) -> Table {
    let mut slopes: Table = output.iter().map(|row| vec![0.0; row.len()]).collect();
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    for &[user, positive, negative] in triples {
        let dot = |item: usize| output[user].iter().zip(&output[item]).map(|(a, b)| a * b).sum::<f64>();
        let (p, n) = (gain * dot(positive), gain * dot(negative));
        let (by_p, by_n) = match loss {
            Loss::Bpr => (-sigmoid(n - p), sigmoid(n - p)),
            Loss::Bce => (-sigmoid(-p), sigmoid(n)),
        };
        for (item, slope) in [(positive, by_p), (negative, by_n)] {
            let slope = slope * gain / triples.len() as f64;
            for j in 0..output[user].len() {
                slopes[user][j] += slope * output[item][j];
                slopes[item][j] += slope * output[user][j];
            }
        }
    }
    slopes
}

/// The penalty's gradient by the table of embeddings.
pub(crate) fn penalty(table: &Table, triples: &[[usize; 3]], l2: f32) -> Table {
    let mut penalty: Table = table.iter().map(|row| vec![0.0; row.len()]).collect();
    for &node in triples.iter().flatten() {
        let share = f64::from(l2) / triples.len() as f64;
        penalty[node].iter_mut().zip(&table[node]).for_each(|(p, v)| *p += share * v);
    }
    penalty
}

/// Panics with the table's name where it is not what the twin says. Rows have `padded` values, zeros beyond those that are wanted.
pub(crate) fn assert_same(what: &str, got: &[f32], want: &Table, padded: usize) {
    let largest = want.iter().flatten().fold(1e-6f64, |most, v| most.max(v.abs()));
    assert!(got.len() >= want.len() * padded, "{what}: {} values", got.len());
    for (row, (got, want)) in got.chunks(padded).zip(want).enumerate() {
        for (column, &value) in got.iter().enumerate() {
            let wanted = want.get(column).copied().unwrap_or(0.0);
            let error = (f64::from(value) - wanted).abs() / largest;
            assert!(error < 1e-4, "{what}, row {row}, column {column}: {value} where {wanted} is wanted");
        }
    }
}
