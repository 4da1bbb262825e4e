//! What training and models refuse, and that they say why.

use std::sync::Arc;

use grease_graph::Graph;

use super::training::{Witness, data, options, train};
use crate::architecture::Kind;
use crate::model::Model;
use crate::train::{Checkpoint, EarlyStopping, Observer, TrainError, TrainOptions, Trainer};
use crate::weights::{Weights, WeightsError};

#[test]
fn options_that_make_no_sense_are_refused_with_a_reason() {
    let (graph, _) = data();
    let good = options(Kind::Ngcf);
    let stop = |share, patience| Some(EarlyStopping { share, patience });
    let cases = [
        (TrainOptions { dim: 0, ..good }, "dimension"),
        (TrainOptions { dim: 1 << 20, ..good }, "dimension"),
        (TrainOptions { batch: 0, ..good }, "batch"),
        (TrainOptions { layers: 17, ..good }, "16 layers"),
        (TrainOptions { learning_rate: 0.0, ..good }, "learning rate"),
        (TrainOptions { learning_rate: -1.0, ..good }, "learning rate"),
        (TrainOptions { learning_rate: f32::NAN, ..good }, "learning rate"),
        (TrainOptions { learning_rate: f32::INFINITY, ..good }, "learning rate"),
        (TrainOptions { l2: -0.1, ..good }, "L2"),
        (TrainOptions { l2: f32::NAN, ..good }, "L2"),
        (TrainOptions { dropout: 1.0, ..good }, "dropout"),
        (TrainOptions { dropout: -0.1, ..good }, "dropout"),
        (TrainOptions { dropout: f32::NAN, ..good }, "dropout"),
        (TrainOptions { early_stopping: stop(0.0, 3), ..good }, "share"),
        (TrainOptions { early_stopping: stop(1.0, 3), ..good }, "share"),
        (TrainOptions { early_stopping: stop(f64::NAN, 3), ..good }, "share"),
        (TrainOptions { early_stopping: stop(0.1, 0), ..good }, "patience"),
        (TrainOptions { early_stopping: stop(0.1, 3), evaluate_every: 0, ..good }, "interval"),
    ];
    for (options, word) in cases {
        let error = Trainer::new(Arc::clone(&graph), Vec::new(), options).err().unwrap();
        assert!(matches!(&error, TrainError::Options(said) if said.contains(word)), "{options:?}: {error}");
    }
    let nothing = Arc::new(Graph::new(3, 3, &[]).unwrap());
    assert_eq!(Trainer::new(nothing, Vec::new(), good).err(), Some(TrainError::NoInteractions));
}

#[test]
fn early_stopping_with_nothing_to_look_at_is_refused() {
    let (graph, _) = data();
    let early_stopping = Some(EarlyStopping { share: 0.1, patience: 2 });
    let options = TrainOptions { early_stopping, ..options(Kind::LightGcn) };
    let error = Trainer::new(graph, Vec::new(), options).err();
    assert_eq!(error, Some(TrainError::NothingHeldOut));
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let (graph, test) = data();
    let good = options(Kind::Ngcf);
    let (trainer, _) = train(TrainOptions { epochs: 1, ..good }, &mut Witness::default());
    let checkpoint = trainer.state().clone();
    let resume = |options, checkpoint| {
        Trainer::resume(Arc::clone(&graph), test.clone(), options, checkpoint).err().map(|e| e.to_string())
    };
    assert_eq!(resume(good, checkpoint.clone()), None);
    assert_eq!(resume(TrainOptions { evaluate_every: 3, ..good }, checkpoint.clone()), None);
    for (options, name) in [
        (TrainOptions { kind: Kind::LightGcn, ..good }, "kind"),
        (TrainOptions { layers: 1, ..good }, "layers"),
        (TrainOptions { dim: 4, ..good }, "dim"),
        (TrainOptions { batch: 301, ..good }, "batch"),
        (TrainOptions { learning_rate: 0.02, ..good }, "learning_rate"),
        (TrainOptions { l2: 0.02, ..good }, "l2"),
        (TrainOptions { dropout: 0.2, ..good }, "dropout"),
        (TrainOptions { seed: 2, ..good }, "seed"),
        (TrainOptions { early_stopping: Some(EarlyStopping { share: 0.1, patience: 1 }), ..good }, "early"),
    ] {
        let said = resume(options, checkpoint.clone()).unwrap_or_default();
        assert!(said.contains(name), "{name}: {said}");
    }

    let larger = Arc::new(Graph::new(61, 40, &graph.edges().collect::<Vec<_>>()).unwrap());
    let error = Trainer::resume(larger, Vec::new(), good, checkpoint.clone()).err();
    assert!(matches!(error, Some(TrainError::Checkpoint(WeightsError::Shape { .. }))), "{error:?}");
    let damaged = [
        |c: &mut Checkpoint| c.weights.0[2].data[0] = f32::NAN,
        |c: &mut Checkpoint| drop(c.moments.pop()),
        |c: &mut Checkpoint| c.moments[1].square.truncate(1),
        |c: &mut Checkpoint| c.moments[1].mean[3] = f32::NAN,
        |c: &mut Checkpoint| c.best_weights = Some(Weights(Vec::new())),
    ];
    for (at, damage) in damaged.into_iter().enumerate() {
        let mut checkpoint = checkpoint.clone();
        damage(&mut checkpoint);
        assert!(resume(good, checkpoint).is_some(), "damage {at} was not noticed");
    }
}

#[test]
fn weights_of_another_model_are_refused() {
    let (graph, _) = data();
    let architecture = options(Kind::Ngcf).architecture();
    let good = architecture.initial_weights(&graph, 1);
    let refusal = |spoil: fn(&mut Weights)| {
        let mut weights = good.clone();
        spoil(&mut weights);
        Model::new(architecture, Arc::clone(&graph), weights).err()
    };
    assert_eq!(refusal(|_| ()), None);
    assert!(
        matches!(refusal(|w| w.0.truncate(9)), Some(WeightsError::Missing { name, .. }) if name == "layer.1.b2")
    );
    assert!(matches!(refusal(|w| w.0.swap(0, 1)), Some(WeightsError::Missing { .. })));
    assert!(matches!(refusal(|w| w.0[1].data.to_mut().truncate(7)), Some(WeightsError::Shape { .. })));
    assert!(matches!(refusal(|w| w.0[2].shape = [4, 16]), Some(WeightsError::Shape { .. })));
    let infinite = refusal(|w| w.0[1].data[19] = f32::INFINITY);
    assert!(matches!(infinite, Some(WeightsError::NotFinite { row: 2, column: 3, .. })), "{infinite:?}");
    let deeper = refusal(|w| {
        let mut extra = w.0[2].clone();
        extra.name = "layer.2.w1".into();
        w.0.push(extra);
    });
    assert!(
        matches!(deeper, Some(WeightsError::Unexpected { .. })),
        "weights of three layers are not those of two"
    );
}

#[test]
fn how_often_one_looks_matters_where_training_stops_early() {
    let stop = Some(EarlyStopping { share: 0.1, patience: 3 });
    let options = TrainOptions { early_stopping: stop, epochs: 1, ..options(Kind::LightGcn) };
    let (trainer, _) = train(options, &mut Witness::default());
    let (graph, test) = data();
    let other = TrainOptions { evaluate_every: 2, ..options };
    let error = Trainer::resume(graph, test, other, trainer.state().clone()).err();
    assert!(matches!(error, Some(TrainError::Differs(_))), "{error:?}");
}

#[test]
fn a_checkpoint_that_cannot_be_saved_ends_training() {
    struct Full;
    impl Observer for Full {
        fn checkpoint(&mut self, _: &Checkpoint) -> Result<(), String> {
            Err("the disk is full".into())
        }
    }
    let (graph, test) = data();
    let mut trainer = Trainer::new(graph, test, options(Kind::LightGcn)).unwrap();
    assert_eq!(trainer.run(&mut Full), Err(TrainError::Saving("the disk is full".into())));
}
