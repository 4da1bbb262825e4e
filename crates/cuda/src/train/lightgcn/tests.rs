//! A step of LightGCN on a card against the same formulas in `f64`.

use grease_models::train::{Loss, Trainer};

use super::*;
use crate::train::epochs::Epochs;
use crate::train::twin::{Table, add, assert_same, first_batch, graph, penalty, root, slopes, through_graph};

/// `x + A x + ... + A^layers x`.
fn all_layers(graph: &Graph, x: &Table, layers: usize) -> Table {
    let (mut sum, mut layer) = (x.clone(), x.clone());
    for _ in 0..layers {
        layer = through_graph(graph, &layer);
        add(&mut sum, &layer);
    }
    sum
}

/// The first step of an epoch on the card, against the formulas.
fn compare(card: &Arc<Card>, options: TrainOptions) {
    let graph = Arc::new(graph());
    let state = Trainer::new(Arc::clone(&graph), Vec::new(), options).unwrap().state().clone();
    let lightgcn = LightGcn::new(card, &graph, &state).unwrap();
    let mut epochs = Epochs::new(card, &graph, options).unwrap();
    epochs.begin(card, 0).unwrap();
    epochs.take(card, 1, &(0..1), lightgcn.gain(), |planned| lightgcn.launch_step(planned)).unwrap();

    let (nodes, triples) = first_batch(&graph, &options);
    let rows = state.weights.0.iter().flat_map(|tensor| tensor.data.chunks(options.dim));
    let table: Table = rows.map(|row| row.iter().map(|&v| f64::from(v)).collect()).collect();
    let what = |table: &str| format!("{table} with {} layers of {}", options.layers, options.dim);
    let output = all_layers(&graph, &table, options.layers);
    let at_slots: Table = nodes.iter().map(|&node| output[node].clone()).collect();
    let got = card.download(&lightgcn.tables.output).unwrap();
    assert_same(&what("output"), &got, &at_slots, lightgcn.width.padded());

    let gain = 1.0 / ((options.layers + 1) * (options.layers + 1)) as f64;
    let mut grad = all_layers(&graph, &slopes(&output, &triples, options.loss, gain), options.layers);
    add(&mut grad, &penalty(&table, &triples, options.l2));
    // After the first step from nothing Adam's mean is a tenth of the gradient.
    let means = card.download(&lightgcn.table.means).unwrap();
    let tenfold: Vec<f32> = means.iter().map(|m| 10.0 * m).collect();
    assert_same(&what("gradient"), &tenfold, &grad, lightgcn.width.padded());
    let after = card.download(&lightgcn.table.values).unwrap();
    let row = |(node, row): (usize, &[f32])| row.iter().map(|&v| root(&graph, node) * f64::from(v)).collect();
    let base: Table = after.chunks(lightgcn.width.padded()).enumerate().map(row).collect();
    assert_same(
        &what("base"),
        &card.download(&lightgcn.tables.base).unwrap(),
        &base,
        lightgcn.width.padded(),
    );
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
