//! What only a card can show. `cargo xtask test --device cuda` runs it where there is one.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use grease_cuda::{Card, CardSteps};
use grease_graph::{Edge, Graph, SampleOptions, sample};
use grease_models::train::{Loss, Observer, TrainOptions, Trainer};

fn graph() -> Arc<Graph> {
    let data = sample(&SampleOptions { users: 300, artists: 200, ..SampleOptions::default() }).interactions;
    let edges: Vec<Edge> = data.edges.clone();
    Arc::new(Graph::new(data.users.len(), data.items.len(), &edges).unwrap())
}

/// Stops after so many batches.
struct Some(u64);

impl Observer for Some {
    fn batch_done(&mut self, _: grease_models::train::BatchProgress) {
        self.0 = self.0.saturating_sub(1);
    }
    fn cancelled(&mut self) -> bool {
        self.0 == 0
    }
}

fn options() -> Vec<TrainOptions> {
    let mut all = Vec::new();
    for layers in 0..5 {
        for (dim, loss) in [(64, Loss::Bpr), (20, Loss::Bce), (7, Loss::Bpr), (132, Loss::Bce)] {
            all.push(TrainOptions {
                layers,
                dim,
                loss,
                batch: 500,
                epochs: 2,
                learning_rate: 0.01,
                l2: 1e-2,
                evaluate_every: 0,
                ..TrainOptions::default()
            });
        }
    }
    all
}

fn trained_on(
    card: &Arc<Card>,
    graph: &Arc<Graph>,
    options: TrainOptions,
    observer: &mut dyn Observer,
) -> Trainer {
    let mut trainer = Trainer::new(Arc::clone(graph), Vec::new(), options).unwrap();
    let mut steps = CardSteps::new(Arc::clone(card), graph, trainer.state()).unwrap();
    trainer.run_by(&mut steps, observer).unwrap();
    trainer
}

#[test]
#[ignore = "needs a card"]
fn a_card_takes_the_steps_the_processor_takes() {
    let (card, graph) = (Arc::new(Card::open(0).unwrap()), graph());
    for options in options() {
        let mut here = Trainer::new(Arc::clone(&graph), Vec::new(), options).unwrap();
        here.run(&mut ()).unwrap();
        let there = trained_on(&card, &graph, options, &mut ());
        let what = format!("{} layers, width {}, {}", options.layers, options.dim, options.loss);
        let (a, b) = (&here.state().position, &there.state().position);
        assert_eq!((a.epoch, a.step), (b.epoch, b.step), "{what}");
        for (a, b) in a.log.iter().zip(&b.log) {
            assert!((a.loss - b.loss).abs() < 1e-5, "{what}: {} against {}", a.loss, b.loss);
        }
        for (a, b) in here.state().weights.0.iter().zip(&there.state().weights.0) {
            let worst = a.data.iter().zip(&b.data).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst < 1e-3, "{what}: `{}` differs by {worst}", a.name);
        }
    }
}

#[test]
#[ignore = "needs a card"]
fn the_same_card_gives_the_same_bytes_also_when_interrupted() {
    let (card, graph) = (Arc::new(Card::open(0).unwrap()), graph());
    for options in options() {
        let options = TrainOptions { epochs: 3, batch: 100, ..options };
        let whole = trained_on(&card, &graph, options, &mut ());
        assert_eq!(whole.state(), trained_on(&card, &graph, options, &mut ()).state());
        let cut = trained_on(&card, &graph, options, &mut Some(5));
        let mut resumed =
            Trainer::resume(Arc::clone(&graph), Vec::new(), options, cut.state().clone()).unwrap();
        let mut steps = CardSteps::new(Arc::clone(&card), &graph, resumed.state()).unwrap();
        resumed.run_by(&mut steps, &mut ()).unwrap();
        assert_eq!(whole.state(), resumed.state());
    }
}
