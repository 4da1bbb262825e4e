//! Seconds an epoch of training takes, and how near SpMM comes to the machine's memory bandwidth.
//!
//! `cargo bench -p grease-models --bench train_epoch -- --data FOLDER [--kind lightgcn] [--batch 4096] [--dim 64]
//! [--layers 3] [--threads 2] [--epochs 3] [--steps 0]`; `cargo xtask bench train` sets it beside PyTorch.
//! With `--steps N`, N steps after five for warming up are timed and scaled to an epoch.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::sync::Arc;
use std::time::Instant;

use grease_graph::Graph;
use grease_kernels::Spmm;
use grease_models::Kind;
use grease_models::train::{BatchProgress, EpochRecord, Loss, Observer, TrainOptions, Trainer};
use grease_testing::bench::{
    argument, data_folder, median, memory_bandwidth, peak_rss_mb, timed, training_graph, use_threads,
};

const WARM_UP: u64 = 5;

/// Notes when batches and epochs end, and stops when enough is known.
struct Clock {
    start: Instant,
    /// Steps to time after warming up; 0 for whole epochs.
    steps: u64,
    batches: u64,
    done: u64,
    warm: f64,
    first: f64,
    last: f64,
    epochs: Vec<f64>,
}

impl Observer for Clock {
    fn batch_done(&mut self, progress: BatchProgress) {
        let now = self.start.elapsed().as_secs_f64();
        self.batches = progress.batches;
        self.done += 1;
        match self.done {
            1 => self.first = now,
            n if n == WARM_UP => self.warm = now,
            _ => {}
        }
        self.last = now;
    }

    fn epoch_done(&mut self, _: &EpochRecord) {
        self.epochs.push(self.start.elapsed().as_secs_f64());
    }

    fn cancelled(&mut self) -> bool {
        self.steps > 0 && self.done >= WARM_UP + self.steps
    }
}

fn main() {
    use_threads();
    let folder = data_folder();
    let (graph, _) = training_graph(&folder);
    let kind: Kind = argument("--kind", Kind::LightGcn);
    let (steps, epochs): (u64, u64) = (argument("--steps", 0), argument("--epochs", 3));
    let options = TrainOptions {
        kind,
        loss: argument("--loss", Loss::Bce),
        batch: argument("--batch", 4096),
        dim: argument("--dim", 64),
        layers: argument("--layers", 3),
        // The first epoch warms up.
        epochs: epochs + 1,
        evaluate_every: 0,
        ..TrainOptions::default()
    };
    let mut trainer = Trainer::new(Arc::clone(&graph), Vec::new(), options).expect("sound options");
    let mut clock = Clock {
        start: Instant::now(),
        steps,
        batches: 0,
        done: 0,
        warm: 0.0,
        first: 0.0,
        last: 0.0,
        epochs: Vec::new(),
    };
    trainer.run(&mut clock).expect("training runs");
    let epoch_seconds: Vec<f64> = if steps > 0 {
        let step = (clock.last - clock.warm) / (clock.done - WARM_UP) as f64;
        // Shuffling and drawing negatives comes before the first step.
        vec![clock.first - step + step * clock.batches as f64]
    } else {
        clock.epochs.windows(2).map(|w| w[1] - w[0]).collect()
    };
    let rss = peak_rss_mb();
    drop(trainer);

    let spmm = spmm_bandwidth(&graph, options.dim);
    let memory = memory_bandwidth();
    let data = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let json = serde_json::json!({
        "kind": kind.to_string(), "data": data, "epoch_seconds": epoch_seconds, "steps_per_epoch": clock.batches,
        "rss_mb": rss, "spmm_gb_per_s": spmm / 1e9, "memory_gb_per_s": memory / 1e9, "spmm_share": spmm / memory,
    });
    println!("{json}");
}

/// Bytes a second SpMM reads of its dense input, over both directions of the graph.
fn spmm_bandwidth(graph: &Graph, width: usize) -> f64 {
    let (users, items) = (vec![0.5f32; graph.users() * width], vec![0.5f32; graph.items() * width]);
    let (mut to_users, mut to_items) = (users.clone(), items.clone());
    let runs = (0..9).map(|_| {
        let (seconds, ()) = timed(|| {
            Spmm::new(graph.by_user()).apply(&items, width, &mut to_users);
            Spmm::new(graph.by_item()).apply(&users, width, &mut to_items);
        });
        (2 * graph.len() * width * 4) as f64 / seconds
    });
    median(runs.collect())
}
