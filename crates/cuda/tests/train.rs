//! Training on a card beside training on the processor. `cargo xtask test --device cuda` runs it where there is one.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use grease_cuda::{Card, CardSteps};
use grease_graph::{Edge, Graph, SampleOptions, UserId, sample};
use grease_models::Kind;
use grease_models::ranking::evaluate;
use grease_models::train::{
    BatchProgress, EarlyStopping, Ending, Loss, Observer, Steps as _, TrainOptions, Trainer, WATCH_K,
};

const KINDS: [Kind; 2] = [Kind::LightGcn, Kind::Ngcf];

/// A graph to train on, and what is held out of it.
fn data() -> (Arc<Graph>, Vec<Edge>) {
    let data = sample(&SampleOptions { users: 300, artists: 200, ..SampleOptions::default() }).interactions;
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (at, &edge) in data.edges.iter().enumerate() {
        if at % 6 == 5 { test.push(edge) } else { train.push(edge) }
    }
    (Arc::new(Graph::new(data.users.len(), data.items.len(), &train).unwrap()), test)
}

/// Stops after so many batches.
struct Impatient(u64);

impl Observer for Impatient {
    fn batch_done(&mut self, _: BatchProgress) {
        self.0 = self.0.saturating_sub(1);
    }
    fn cancelled(&mut self) -> bool {
        self.0 == 0
    }
}

fn options(graph: &Graph, layers: impl Iterator<Item = usize> + Clone) -> Vec<TrainOptions> {
    let shapes = [(64, Loss::Bpr, 0.1), (20, Loss::Bce, 0.0), (7, Loss::Bpr, 0.3), (132, Loss::Bce, 0.1)];
    let mut all = Vec::new();
    for kind in KINDS {
        for layers in layers.clone() {
            for (dim, loss, dropout) in shapes {
                all.push(TrainOptions {
                    kind,
                    layers,
                    dim,
                    loss,
                    dropout,
                    batch: graph.len().div_ceil(5),
                    epochs: 1,
                    l2: 1e-2,
                    evaluate_every: 0,
                    ..TrainOptions::default()
                });
            }
        }
    }
    all
}

fn what(options: &TrainOptions) -> String {
    let TrainOptions { kind, layers, dim, loss, dropout, .. } = options;
    format!("{kind}, {layers} layers, width {dim}, {loss}, dropout {dropout}")
}

fn trained_on(
    card: &Arc<Card>,
    graph: &Arc<Graph>,
    watched: &[Edge],
    options: TrainOptions,
    observer: &mut dyn Observer,
) -> Trainer {
    let mut trainer = Trainer::new(Arc::clone(graph), watched.to_vec(), options).unwrap();
    let mut steps = CardSteps::new(Arc::clone(card), graph, trainer.state()).unwrap();
    trainer.run_by(&mut steps, observer).unwrap();
    trainer
}

#[test]
#[ignore = "needs a card"]
fn a_card_takes_the_steps_the_processor_takes() {
    let (card, (graph, _)) = (Arc::new(Card::open(0).unwrap()), data());
    for options in options(&graph, 0..5) {
        let mut here = Trainer::new(Arc::clone(&graph), Vec::new(), options).unwrap();
        here.run(&mut ()).unwrap();
        let there = trained_on(&card, &graph, &[], options, &mut ());
        let what = what(&options);
        let (a, b) = (&here.state().position, &there.state().position);
        assert_eq!((a.epoch, a.step), (b.epoch, b.step), "{what}");
        for (a, b) in a.log.iter().zip(&b.log) {
            assert!((a.loss - b.loss).abs() < 1e-5, "{what}: loss {} against {}", a.loss, b.loss);
        }
        for (a, b) in here.state().weights.0.iter().zip(&there.state().weights.0) {
            // Where a gradient is all but nothing, its last digits decide where Adam goes, and it never goes further than its rate.
            let apart: Vec<f32> = a.data.iter().zip(&b.data).map(|(a, b)| (a - b).abs()).collect();
            let worst = apart.iter().copied().fold(0.0, f32::max);
            let far = apart.iter().filter(|&&apart| apart > 1e-4).count();
            assert!(worst < 5e-3, "{what}: `{}` differs by {worst}", a.name);
            assert!(100 * far <= apart.len(), "{what}: {far} values of `{}` differ by {worst}", a.name);
        }
    }
}

#[test]
#[ignore = "needs a card"]
fn the_same_card_gives_the_same_bytes_also_when_interrupted() {
    let (card, (graph, test)) = (Arc::new(Card::open(0).unwrap()), data());
    for options in options(&graph, [0, 1, 3].into_iter()) {
        let options = TrainOptions { epochs: 3, batch: graph.len() / 40, evaluate_every: 2, ..options };
        let what = what(&options);
        let whole = trained_on(&card, &graph, &test, options, &mut ());
        assert_eq!(whole.state(), trained_on(&card, &graph, &test, options, &mut ()).state(), "{what}");
        // How often somebody looks is how often they can stop: within the first epoch.
        let cut = trained_on(&card, &graph, &test, options, &mut Impatient(5));
        assert_eq!(cut.state().position.epoch, 0, "{what}");
        let mut resumed =
            Trainer::resume(Arc::clone(&graph), test.clone(), options, cut.state().clone()).unwrap();
        let mut steps = CardSteps::new(Arc::clone(&card), &graph, resumed.state()).unwrap();
        resumed.run_by(&mut steps, &mut ()).unwrap();
        assert_eq!(whole.state(), resumed.state(), "{what}");
    }
}

#[test]
#[ignore = "needs a card"]
fn what_is_watched_on_a_card_is_what_the_processor_sees() {
    let (card, (graph, test)) = (Arc::new(Card::open(0).unwrap()), data());
    for options in options(&graph, [0, 1, 2, 3].into_iter()) {
        let options = TrainOptions { epochs: 2, learning_rate: 0.01, ..options };
        let (there, what) = (trained_on(&card, &graph, &test, options, &mut ()), what(&options));
        let model = there.model();
        let here = evaluate(model.output(), &graph, &test, &[WATCH_K])[0];
        let record = there.state().position.log.last().unwrap();
        let (recall, ndcg) = (record.recall.unwrap(), record.ndcg.unwrap());
        assert!(recall > 0.0 && (recall - here.recall).abs() < 1e-3, "{what}: {recall}, {}", here.recall);
        assert!((ndcg - here.ndcg).abs() < 1e-3, "{what}: {ndcg}, {}", here.ndcg);

        let mut steps = CardSteps::new(Arc::clone(&card), &graph, there.state()).unwrap();
        let people: Vec<u32> = (0..graph.users() as u32).collect();
        let lists = steps.best(&people, WATCH_K).unwrap().unwrap();
        let width = model.output().width;
        for (&person, list) in people.iter().zip(&lists) {
            let row = |rows: &[f32], at: u32| rows[at as usize * width..][..width].to_vec();
            let own = row(model.output().users, person);
            let score = |item: u32| -> f32 {
                own.iter().zip(row(model.output().items, item)).map(|(a, b)| a * b).sum()
            };
            let touched = graph.items_of(UserId(person));
            let left = (0..graph.items() as u32).filter(|item| touched.binary_search(item).is_err());
            let mut scores: Vec<f32> = left.map(score).collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(list.len(), scores.len().min(WATCH_K), "{what}: person {person}");
            for (place, &item) in list.iter().enumerate() {
                assert!(touched.binary_search(&item).is_err(), "{what}: person {person} has item {item}");
                let apart = (score(item) - scores[place]).abs();
                assert!(apart < 1e-4, "{what}: person {person}, place {place}: {apart} from the best");
            }
        }
    }
}

#[test]
#[ignore = "needs a card"]
fn stopping_early_keeps_the_weights_that_did_best() {
    let (card, (graph, test)) = (Arc::new(Card::open(0).unwrap()), data());
    for kind in KINDS {
        let options = TrainOptions {
            kind,
            dim: 16,
            batch: graph.len().div_ceil(5),
            epochs: 200,
            learning_rate: 0.05,
            evaluate_every: 1,
            early_stopping: Some(EarlyStopping { share: 0.1, patience: 3 }),
            ..TrainOptions::default()
        };
        let mut trainer = Trainer::new(Arc::clone(&graph), test.clone(), options).unwrap();
        let mut steps = CardSteps::new(Arc::clone(&card), &graph, trainer.state()).unwrap();
        assert_eq!(trainer.run_by(&mut steps, &mut ()).unwrap(), Ending::Early, "{kind}");
        let (_, best) = trainer.state().position.best.unwrap();
        let here = evaluate(trainer.model().output(), &graph, &test, &[WATCH_K])[0].recall;
        assert!((best - here).abs() < 1e-3, "{kind}: {best} was seen, and {here} is there");
    }
}
