//! A step of LightGCN on a card against the same formulas in `f64`.

use grease_graph::Edge;
use grease_models::train::{Loss, Trainer, draw};

use super::*;
use crate::train::epochs::Epochs;
use crate::train::plan::Plan;

type Table = Vec<Vec<f64>>;

/// The last person and the last item are in no interaction, and person 0 has all others.
fn graph() -> Graph {
    let some = (0..40u32).flat_map(|u| (0..1 + u % 7).map(move |k| Edge::new(u, (u * 3 + k * 11) % 25)));
    let edges: Vec<Edge> = some.chain((0..25).map(|item| Edge::new(0, item))).collect();
    Graph::new(41, 26, &edges).unwrap()
}

/// `x + A x + ... + A^layers x`.
fn all_layers(graph: &Graph, x: &Table, layers: usize) -> Table {
    let users = graph.users();
    let neighbours = |node: usize| -> Vec<usize> {
        match node.checked_sub(users) {
            None => graph.by_user().row(node).iter().map(|&item| users + item as usize).collect(),
            Some(item) => graph.by_item().row(item).iter().map(|&user| user as usize).collect(),
        }
    };
    let (mut sum, mut layer) = (x.clone(), x.clone());
    for _ in 0..layers {
        let row = |node: usize| {
            let mut row = vec![0.0; x[node].len()];
            for other in neighbours(node) {
                let weight = 1.0 / ((neighbours(node).len() * neighbours(other).len()) as f64).sqrt();
                row.iter_mut().zip(&layer[other]).for_each(|(r, v)| *r += weight * v);
            }
            row
        };
        layer = (0..x.len()).map(row).collect();
        sum.iter_mut().flatten().zip(layer.iter().flatten()).for_each(|(s, v)| *s += v);
    }
    sum
}

/// The gradient by the sum of layers, and the penalty's by the table itself.
fn slopes(output: &Table, table: &Table, triples: &[[usize; 3]], options: &TrainOptions) -> (Table, Table) {
    let gain = 1.0 / ((options.layers + 1) * (options.layers + 1)) as f64;
    let share = 1.0 / triples.len() as f64;
    let zeros = || -> Table { table.iter().map(|row| vec![0.0; row.len()]).collect() };
    let (mut slopes, mut penalty) = (zeros(), zeros());
    for &[user, positive, negative] in triples {
        let score =
            |item: usize| gain * output[user].iter().zip(&output[item]).map(|(a, b)| a * b).sum::<f64>();
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let (p, n) = (score(positive), score(negative));
        let (by_p, by_n) = match options.loss {
            Loss::Bpr => (-sigmoid(n - p), sigmoid(n - p)),
            Loss::Bce => (-sigmoid(-p), sigmoid(n)),
        };
        for (item, slope) in [(positive, by_p * share * gain), (negative, by_n * share * gain)] {
            for j in 0..output[user].len() {
                slopes[user][j] += slope * output[item][j];
                slopes[item][j] += slope * output[user][j];
            }
        }
        for node in [user, positive, negative] {
            let each = penalty[node].iter_mut().zip(&table[node]);
            each.for_each(|(p, v)| *p += f64::from(options.l2) * share * v);
        }
    }
    (slopes, penalty)
}

fn same(what: &str, got: &[f32], want: &Table, padded: usize) {
    let largest = want.iter().flatten().fold(1e-6f64, |most, v| most.max(v.abs()));
    for (row, (got, want)) in got.chunks(padded).zip(want).enumerate() {
        for (column, &value) in got.iter().enumerate() {
            let wanted = want.get(column).copied().unwrap_or(0.0);
            let error = (f64::from(value) - wanted).abs() / largest;
            assert!(error < 1e-4, "{what}, row {row}, column {column}: {value} where {wanted} is wanted");
        }
    }
}

/// The first step of an epoch on the card, against the formulas.
fn compare(card: &Arc<Card>, options: TrainOptions) {
    let graph = Arc::new(graph());
    let state = Trainer::new(Arc::clone(&graph), Vec::new(), options).unwrap().state().clone();
    let lightgcn = LightGcn::new(card, &graph, &state).unwrap();
    let mut epochs = Epochs::new(card, &graph, options).unwrap();
    epochs.begin(card, 0).unwrap();
    epochs.take(card, 1, &(0..1), lightgcn.gain(), |planned| lightgcn.launch_step(planned)).unwrap();

    let plan = Plan::of(&graph, &draw(&graph, options.seed, 0), options.batch);
    let nodes = &plan.nodes[..plan.steps[0].slots as usize];
    let triples: Vec<[usize; 3]> = plan.triples[..3 * plan.steps[0].triples as usize]
        .chunks_exact(3)
        .map(|slots| [0, 1, 2].map(|role| nodes[slots[role] as usize] as usize))
        .collect();
    let rows = state.weights.0.iter().flat_map(|tensor| tensor.data.chunks(options.dim));
    let table: Table = rows.map(|row| row.iter().map(|&v| f64::from(v)).collect()).collect();
    let what = |table: &str| format!("{table} with {} layers of {}", options.layers, options.dim);
    let output = all_layers(&graph, &table, options.layers);
    let at_slots: Table = nodes.iter().map(|&node| output[node as usize].clone()).collect();
    let got = card.download(&lightgcn.tables.output).unwrap();
    same(&what("output"), &got, &at_slots, lightgcn.width.padded());

    let (slopes, penalty) = slopes(&output, &table, &triples, &options);
    let mut grad = all_layers(&graph, &slopes, options.layers);
    grad.iter_mut().flatten().zip(penalty.iter().flatten()).for_each(|(g, p)| *g += p);
    // After the first step from nothing Adam's mean is a tenth of the gradient.
    let means = card.download(&lightgcn.table.means).unwrap();
    let tenfold: Vec<f32> = means.iter().map(|m| 10.0 * m).collect();
    same(&what("gradient"), &tenfold, &grad, lightgcn.width.padded());
    let scaled = |node: usize, value: f64| {
        let degree = match node.checked_sub(graph.users()) {
            None => graph.by_user().row(node).len(),
            Some(item) => graph.by_item().row(item).len(),
        };
        if degree == 0 { 0.0 } else { value / (degree as f64).sqrt() }
    };
    let after = card.download(&lightgcn.table.values).unwrap();
    let row = |(node, row): (usize, &[f32])| row.iter().map(|&v| scaled(node, f64::from(v))).collect();
    let base: Table = after.chunks(lightgcn.width.padded()).enumerate().map(row).collect();
    same(&what("base"), &card.download(&lightgcn.tables.base).unwrap(), &base, lightgcn.width.padded());
}

#[test]
#[ignore = "needs a card"]
fn every_table_of_a_step_equals_its_twin() {
    let card = Arc::new(Card::open(0).unwrap());
    for layers in 0..5 {
        for (dim, loss) in
            [(4, Loss::Bpr), (7, Loss::Bce), (20, Loss::Bpr), (64, Loss::Bce), (132, Loss::Bpr)]
        {
            let options =
                TrainOptions { layers, dim, loss, batch: 60, l2: 0.05, epochs: 1, ..TrainOptions::default() };
            compare(&card, options);
        }
    }
}
