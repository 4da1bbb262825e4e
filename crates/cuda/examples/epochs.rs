//! Seconds an epoch on a card: `epochs FILE BATCH EPOCHS`, FILE with two numbers a line, person and item.
use std::sync::Arc;
use std::time::Instant;

use grease_cuda::{Card, CardSteps, devices};
use grease_graph::{Edge, Graph};
use grease_models::train::{EpochRecord, Loss, Observer, TrainOptions, Trainer};

struct Clock(Instant, Vec<f64>);
impl Observer for Clock {
    fn epoch_done(&mut self, record: &EpochRecord) {
        self.1.push(self.0.elapsed().as_secs_f64());
        self.0 = Instant::now();
        println!("epoch {} loss {:.5} {:.4} s", record.epoch, record.loss, self.1.last().unwrap());
    }
    fn checkpoint_due(&self, _: u64) -> bool {
        false
    }
}

fn main() {
    println!("{:?}", devices());
    let words: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&words[1]).unwrap();
    let mut edges = Vec::new();
    for line in text.lines() {
        let mut numbers = line.split_whitespace().map(|n| n.parse::<u32>().unwrap());
        let user = numbers.next().unwrap();
        edges.extend(numbers.map(|item| Edge::new(user, item)));
    }
    let users = edges.iter().map(|e| e.user.0).max().unwrap() as usize + 1;
    let items = edges.iter().map(|e| e.item.0).max().unwrap() as usize + 1;
    let graph = Arc::new(Graph::new(users, items, &edges).unwrap());
    println!("{users} x {items}, {} interactions", graph.len());
    let options = TrainOptions {
        batch: words[2].parse().unwrap(),
        epochs: words[3].parse().unwrap(),
        loss: Loss::Bpr,
        evaluate_every: 0,
        ..TrainOptions::default()
    };
    let start = Instant::now();
    let card = Arc::new(Card::open(0).unwrap());
    println!("{} opened in {:.2} s, {:?}", card.name(), start.elapsed().as_secs_f64(), card.code());
    let t = Instant::now();
    let triples = grease_models::train::draw(&graph, 1, 0);
    println!("draw {:.4} s ({} triples)", t.elapsed().as_secs_f64(), triples.users.len());
    let mut trainer = Trainer::new(Arc::clone(&graph), Vec::new(), options).unwrap();
    let start = Instant::now();
    let mut steps = CardSteps::new(card, &graph, trainer.state()).unwrap();
    println!("brought there in {:.2} s", start.elapsed().as_secs_f64());
    let mut clock = Clock(Instant::now(), Vec::new());
    trainer.run_by(&mut steps, &mut clock).unwrap();
}
