//! What a card is worth: one figure a call, which `cargo xtask bench cuda` puts beside PyTorch's and beside its bar.
//!
//! ```console
//! cuda_bench --what train --data FOLDER [--kind lightgcn] [--batch 8192] [--epochs 20] [--device cuda]
//! cuda_bench --what ask --data FOLDER [--model DIR] [--kind ngcf] [--people 20] [--lists 10] [--device cuda]
//! ```
//!
//! FOLDER is a data set as `grease train` reads it. Without a model to ask, one is trained first, for `--epochs`. It goes the way
//! `grease train` and `grease explain` go. The last line is one JSON object.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use grease::graph::read::{ReadOptions, read};
use grease::graph::{Recommender as _, Who};
use grease::models::Kind;
use grease::models::folder::ModelFolder;
use grease::models::train::{EpochRecord, Loss, Observer, TrainOptions};
use grease::{Device, Opened, Question, Subject, TrainRequest, prepare};
use grease_testing::bench::{argument, data_folder, leave_one_out, median, scores_of_all, some_users, timed};
use serde_json::{Value, json};

/// Epochs before the clock counts.
const WARM_UP: u64 = 3;
/// People whose answers are compared with the processor's, and whom it is timed on.
const COMPARED: usize = 3;

fn main() {
    let what: String = argument("--what", "train".to_owned());
    let figures = match what.as_str() {
        "train" => training(),
        "ask" => asking(),
        _ => panic!("--what is train or ask, not `{what}`"),
    };
    let data = data_folder().file_name().map(|name| name.to_string_lossy().into_owned());
    let mut line = json!({ "by": "grease", "what": what, "data": data });
    if let (Value::Object(line), Value::Object(figures)) = (&mut line, figures) {
        line.extend(figures);
    }
    println!("{line}");
}

fn device() -> Device {
    argument("--device", Device::Cuda(0))
}

/// Seconds an epoch takes.
fn training() -> Value {
    let kind = argument("--kind", Kind::LightGcn);
    let device = Opened::to_train(device(), kind).expect("a card");
    let folder = tempfile::tempdir().expect("a folder");
    let batch = argument("--batch", 8192);
    let (model, clock) = train(&device, kind, batch, WARM_UP + argument("--epochs", 20), folder.path());
    json!({
        "kind": kind.to_string(), "batch": batch, "device": device.to_string(),
        "steps_per_epoch": model.data.train.len().div_ceil(batch),
        "epoch_seconds": clock.epochs[WARM_UP as usize..], "loss_per_epoch": clock.losses[WARM_UP as usize..],
    })
}

/// Notes when epochs end.
struct Clock {
    since: Instant,
    epochs: Vec<f64>,
    losses: Vec<f64>,
}

impl Observer for Clock {
    fn epoch_done(&mut self, record: &EpochRecord) {
        self.epochs.push(self.since.elapsed().as_secs_f64());
        self.losses.push(record.loss);
        self.since = Instant::now();
    }

    /// Nobody looks at the weights before the end.
    fn checkpoint_due(&self, _: u64) -> bool {
        false
    }
}

/// Trains on all there is to learn from, looking at nothing on the way.
fn train(device: &Opened, kind: Kind, batch: usize, epochs: u64, out: &Path) -> (ModelFolder, Clock) {
    let (interactions, _) = read(&data_folder(), &ReadOptions::default()).expect("readable data");
    let mut data = prepare(&interactions, 0.8, 1, None);
    data.test.clear();
    let options =
        TrainOptions { kind, batch, epochs, loss: Loss::Bpr, evaluate_every: 0, ..TrainOptions::default() };
    let mut clock = Clock { since: Instant::now(), epochs: Vec::new(), losses: Vec::new() };
    let (model, _) = TrainRequest::new(data, options, out).run_on(device, &mut clock).expect("training runs");
    (model, clock)
}

/// Milliseconds an edit takes where all single interactions of a person are asked about, and milliseconds a list takes.
fn asking() -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let given: String = argument("--model", String::new());
    let model = if given.is_empty() {
        let kind = argument("--kind", Kind::Ngcf);
        let device = Opened::to_train(device(), kind).expect("a card");
        train(&device, kind, argument("--batch", 8192), argument("--epochs", 20), folder.path()).0
    } else {
        ModelFolder::load(Path::new(&given)).expect("a model")
    };
    let (kind, model) = (model.manifest.kind, Arc::new(model));
    let device = Opened::to_ask(device(), kind).expect("a card");
    let here = Subject::from(Arc::clone(&model));
    let there = Subject::from(model).on(&device).expect("room on the card");
    let mut figures = json!({ "kind": kind.to_string(), "device": device.to_string() });
    for (name, figure) in edits(&here, &there).into_iter().chain(lists(&there)) {
        figures[name] = figure.into();
    }
    figures
}

type Figures = Vec<(&'static str, f64)>;

/// All edits that take one interaction away, a person at a time.
fn edits(here: &Subject, there: &Subject) -> Figures {
    let graph = here.recommender().graph();
    let people = some_users(graph, argument("--people", 20) + 1, "rescore bench");
    let (mut on_card, mut on_processor, mut histories, mut error) =
        (Vec::new(), Vec::new(), Vec::new(), 0f32);
    // The first person warms up.
    for (at, &user) in people.iter().enumerate() {
        let edits = leave_one_out(graph, user);
        let an_edit = |seconds: f64| seconds / edits.len() as f64 * 1e3;
        let (seconds, answers) = timed(|| scores_of_all(&**there.recommender(), user, &edits));
        if at > 0 {
            on_card.push(an_edit(seconds));
            histories.push(edits.len() as f64);
        }
        if at <= COMPARED {
            let (seconds, expected) = timed(|| scores_of_all(&**here.recommender(), user, &edits));
            error = error.max(relative_error(&expected, &answers));
            if at > 0 {
                on_processor.push(an_edit(seconds));
            }
        }
    }
    vec![
        ("edit_ms", median(on_card)),
        ("processor_edit_ms", median(on_processor)),
        ("median_history", median(histories)),
        ("relative_error", error.into()),
    ]
}

/// The largest difference, as a share of the largest score.
fn relative_error(expected: &[f32], answers: &[f32]) -> f32 {
    let largest = expected.iter().map(|score| score.abs()).fold(0.0, f32::max);
    let pairs = expected.iter().zip(answers);
    pairs.map(|(expected, answer)| (expected - answer).abs()).fold(0.0, f32::max) / largest
}

/// Lists of ten explained both ways, a person at a time: finding, how much of that is waiting for the card, and certifying.
fn lists(there: &Subject) -> Figures {
    let recommender = there.recommender();
    let work = || recommender.work().unwrap_or_default().card;
    let resolved = there.resolve(&Question::default()).expect("a usual question");
    let (mut finding, mut waiting, mut certifying) = (Vec::new(), Vec::new(), Vec::new());
    let people = some_users(recommender.graph(), argument("--lists", 10) + 1, "explain bench");
    for (at, user) in people.into_iter().enumerate() {
        let before = work();
        let (seconds, records) = timed(|| resolved.records(&Who::Known(user)).expect("a known user"));
        assert!(!records.is_empty(), "a list has items");
        if at > 0 {
            let checking = (work().checking - before.checking).as_secs_f64();
            finding.push((seconds - checking) * 1e3);
            waiting.push((work().answering - before.answering).as_secs_f64() * 1e3);
            certifying.push(checking * 1e3);
        }
    }
    vec![
        ("list_finding_ms", median(finding)),
        ("list_waiting_ms", median(waiting)),
        ("list_certifying_ms", median(certifying)),
    ]
}
