//! `cargo xtask bench cuda`: what a card is worth, beside PyTorch on the same card and beside the bars.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{DataSet, Kind, figure, median, report, table};
use crate::args::count;
use crate::card::Card;
use crate::failure::Failure;
use crate::process::{self, cargo};
use crate::python;

const ROUNDS: usize = 2;

/// Time training and asking on a card, beside PyTorch on the same card
///
/// The same data and batches, taking turns in one run with bench/torch_reference.py, in its tuned style: sparse CSR with 32-bit indices, a
/// symmetric backward, fused Adam, negatives drawn on the card. Figures are medians of epochs after a warm-up. NGCF is then asked about
/// all edits that take away one interaction of a person, and explains lists both ways. The first run installs PyTorch under
/// target/python-torch, unless --python names one that has it. The table is also written to target/bench/cuda.md and, with every
/// run, to cuda.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The card: cuda or cuda:N; the numbers are nvidia-smi's
    #[arg(long, value_name = "CARD", default_value = "cuda")]
    device: Card,
    /// A Python that has PyTorch
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
    /// Epochs to time in each turn
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count())]
    epochs: u32,
    /// Time nothing: make the table of what both programs said elsewhere, one JSON object a line
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

/// A model in training, and how fast that has to be.
struct Training {
    data: DataSet,
    kind: Kind,
    batch: u32,
    /// Seconds an epoch, at most.
    seconds: f64,
    /// Times faster than PyTorch, at least.
    times: f64,
}

const TRAININGS: [Training; 3] = [
    Training { data: DataSet::Yelp2018, kind: Kind::LightGcn, batch: 8192, seconds: 0.12, times: 5.0 },
    Training { data: DataSet::Yelp2018, kind: Kind::Ngcf, batch: 8192, seconds: 0.35, times: 4.0 },
    Training { data: DataSet::LastFm, kind: Kind::LightGcn, batch: 4096, seconds: 0.012, times: 4.0 },
];

/// NGCF on some data, and the most milliseconds an edit and a list may take.
struct Asking {
    data: DataSet,
    edit: f64,
    list: f64,
}

const ASKINGS: [Asking; 2] = [
    Asking { data: DataSet::LastFm, edit: 0.1, list: 50.0 },
    Asking { data: DataSet::Yelp2018, edit: 1.5, list: 400.0 },
];

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let (about, said) = match &options.from {
        Some(file) => (String::new(), read(file)?),
        None => (options.device.described(), measured(options)?),
    };
    if said.is_empty() {
        println!("nothing to time");
        return Ok(());
    }
    super::publish("cuda", &format!("{about}\n{}", text(&said)), &said)
}

/// What was said elsewhere.
fn read(file: &Path) -> Result<Vec<Value>, Failure> {
    let text = fs::read_to_string(file).map_err(Failure::file(file))?;
    let reports = text.lines().filter(|line| line.starts_with('{'));
    reports
        .map(|line| {
            serde_json::from_str(line)
                .map_err(|error| Failure::work(format!("{}: {error}: {line}", file.display())))
        })
        .collect()
}

/// Every report of both programs, in turns.
fn measured(options: &Options) -> Result<Vec<Value>, Failure> {
    let epochs = options.epochs.to_string();
    let python = options.python.clone().map_or_else(|| python::TORCH.interpreter(), Ok)?;
    let ours = program()?;
    let mut said = Vec::new();
    for training in &TRAININGS {
        let Some(folder) = training.data.folder() else { continue };
        let (kind, batch) = (training.kind.name(), training.batch.to_string());
        let common = ["--kind", kind, "--batch", &batch, "--epochs", &epochs];
        for round in 1..=ROUNDS {
            println!("{} {kind}, turn {round} of {ROUNDS}", training.data.name());
            let mut command = Command::new(&ours);
            command.args(["--what", "train", "--data"]).arg(&folder).args(common);
            said.push(report(options.device.alone(&mut command))?);
            let mut command = Command::new(&python);
            command.arg(process::workspace_root().join("bench/torch_reference.py")).args(TORCH).arg("--data");
            said.push(report(options.device.alone(command.arg(&folder).args(common)))?);
        }
    }
    for asking in &ASKINGS {
        let Some(folder) = asking.data.folder() else { continue };
        println!("{} ngcf, asked", asking.data.name());
        let mut command = Command::new(&ours);
        command.args(["--what", "ask", "--kind", "ngcf", "--data"]).arg(folder);
        said.push(report(options.device.alone(&mut command))?);
    }
    Ok(said)
}

/// How PyTorch is run: as fast as we know, with 30 steps to warm up.
const TORCH: [&str; 8] = ["--device", "cuda", "--style", "tuned", "--loss", "bpr", "--warmup", "30"];

/// The program that is timed, built.
fn program() -> Result<PathBuf, Failure> {
    process::succeed(&mut cargo(["build", "--release", "--package", "grease", "--example", "cuda_bench"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| process::workspace_root().join("target"), PathBuf::from);
    Ok(target.join("release/examples/cuda_bench"))
}

/// Whether a report is of this program and data.
fn is_of(report: &Value, by: &str, what: &str, data: DataSet) -> bool {
    let folder = report["data"].as_str().map(Path::new).and_then(Path::file_name);
    // What was timed in the plain style, too, is another comparison.
    report["by"] == by
        && report["what"] == what
        && report["style"] != "plain"
        && folder.is_some_and(|name| name == data.name())
}

fn text(said: &[Value]) -> String {
    let header =
        ["data", "model", "batch", "PyTorch s/epoch", "GREASE s/epoch", "bar", "times faster", "bar", "held"];
    let rows: Vec<_> = TRAININGS.iter().map(|training| training.row(said)).collect();
    let asked = ["NGCF on", "what", "processor, ms", "ms", "bar", "held"];
    let askings: Vec<_> = ASKINGS.iter().flat_map(|asking| asking.rows(said)).collect();
    format!("{}\n{}\n{}", table(&header, &rows), table(&asked, &askings), notes(said))
}

impl Training {
    fn row(&self, said: &[Value]) -> Vec<String> {
        let seconds = |by: &str| {
            let of = |report: &&Value| {
                is_of(report, by, "train", self.data)
                    && report["kind"] == self.kind.name()
                    && report["batch"] == self.batch
            };
            let epochs =
                said.iter().filter(of).filter_map(|report| report["epoch_seconds"].as_array()).flatten();
            median(&epochs.filter_map(Value::as_f64).collect::<Vec<_>>())
        };
        let (torch, ours) = (seconds("torch"), seconds("grease"));
        let times = torch.zip(ours).map(|(torch, ours)| torch / ours);
        let held = ours.zip(times).map(|(ours, times)| ours <= self.seconds && times >= self.times);
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), figure);
        vec![
            self.data.name().to_owned(),
            self.kind.name().to_owned(),
            self.batch.to_string(),
            shown(torch),
            shown(ours),
            format!("at most {}", self.seconds),
            shown(times),
            format!("at least {}", self.times),
            verdict(held),
        ]
    }
}

impl Asking {
    fn rows(&self, said: &[Value]) -> [Vec<String>; 2] {
        let report = said.iter().find(|report| is_of(report, "grease", "ask", self.data));
        let number = |field: &str| report.and_then(|report| report[field].as_f64());
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), figure);
        let row = |what: &str, processor: Option<f64>, value: Option<f64>, bar: f64| {
            let held = verdict(value.map(|value| value <= bar));
            let (data, what) = (self.data.name().to_owned(), what.to_owned());
            vec![data, what, shown(processor), shown(value), format!("at most {bar}"), held]
        };
        [
            row(
                "an edit of all that take one interaction away",
                number("processor_edit_ms"),
                number("edit_ms"),
                self.edit,
            ),
            row("finding a top-10 list both ways", None, number("list_finding_ms"), self.list),
        ]
    }
}

fn verdict(held: Option<bool>) -> String {
    match held {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not measured",
    }
    .to_owned()
}

/// What a reader of the table has to know.
fn notes(said: &[Value]) -> String {
    let mut devices: Vec<&str> = said.iter().filter_map(|report| report["device"].as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    let versions = said.iter().find_map(|report| report["torch"].as_str()).unwrap_or("-");
    let mut text =
        format!("- on {}; PyTorch {versions}, tuned; medians; d = 64, 3 layers\n", devices.join(", "));
    for report in said.iter().filter(|report| report["what"] == "ask") {
        let number = |field: &str| report[field].as_f64().map_or("-".to_owned(), figure);
        text += &format!(
            "- {}: histories of {} interactions, answers within {} of the processor's; a list waits {} ms for the card, and certifying it takes the processor {} ms more\n",
            report["data"].as_str().unwrap_or("-"),
            number("median_history"),
            number("relative_error"),
            number("list_waiting_ms"),
            number("list_certifying_ms"),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::args::parsed;

    fn trained(by: &str, data: &str, seconds: [f64; 3]) -> Value {
        json!({"by": by, "what": "train", "data": data, "kind": "lightgcn", "batch": 8192, "epoch_seconds": seconds,
            "device": "NVIDIA H200", "torch": "2.11"})
    }

    #[test]
    fn a_bar_is_of_seconds_and_of_times() {
        let said = |ours: f64| {
            [
                trained("torch", "somewhere/yelp2018", [0.7, 0.6, 0.8]),
                trained("grease", "yelp2018", [ours, 9.0, ours]),
                trained("grease", "yelp2018", [ours; 3]),
            ]
        };
        let row = TRAININGS[0].row(&said(0.1));
        assert_eq!(row[3..], ["0.700", "0.100", "at most 0.12", "7.00", "at least 5", "yes"]);
        assert_eq!(TRAININGS[0].row(&said(0.15)).last().unwrap(), "no");
        assert_eq!(TRAININGS[2].row(&said(0.1)).last().unwrap(), "not measured", "another data set");
    }

    #[test]
    fn an_edit_is_held_against_its_bar() {
        let said = |ms: f64| {
            [json!({"by": "grease", "what": "ask", "data": "lastfm", "edit_ms": ms, "processor_edit_ms": 2.0,
            "list_finding_ms": 60.0, "list_waiting_ms": 20.0, "list_certifying_ms": 70.0, "relative_error": 1e-6, "median_history": 33.0})]
        };
        let [edit, list] = ASKINGS[0].rows(&said(0.08));
        assert_eq!((edit[2..].join(" "), list[5].as_str()), ("2.00 0.080 at most 0.1 yes".to_owned(), "no"));
        assert_eq!(ASKINGS[0].rows(&said(0.2))[0][5], "no");
        assert!(
            text(&said(0.08)).contains("answers within 1.0e-6 of the processor's"),
            "{}",
            text(&said(0.08))
        );
    }

    #[test]
    fn a_table_is_made_of_what_was_said_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("said");
        fs::write(&file, "epoch 1\n{\"by\": \"grease\"}\n").unwrap();
        assert_eq!(read(&file).unwrap(), [json!({"by": "grease"})]);
        fs::write(&file, "{\"by\": \n").unwrap();
        assert!(read(&file).is_err());
        assert_eq!(parsed::<Options>("--from said").unwrap().epochs, 20);
    }
}
