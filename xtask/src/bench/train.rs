//! `cargo xtask bench train`: seconds an epoch of training takes, ours against plain PyTorch, in one run.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{DataSet, DataSets, Kind, bench, build, figure, median, report, table};
use crate::args::{Chosen, count, one_or_all};
use crate::failure::Failure;
use crate::process;
use crate::python;

const ROUNDS: usize = 2;
const THREADS: u32 = 2;
const EPOCHS: u32 = 3;
const STEPS: u32 = 40;
const WARM_UP_STEPS: u32 = 5;
/// Two busy threads of an idle machine use nearly two processor seconds a second; below this something else ran.
const TRUSTED_CPU_PER_WALL: f64 = 1.7;

/// Time an epoch of training against plain PyTorch, side by side
///
/// The same data, the same batch size, two threads each, taking turns in one run with bench/torch_reference.py. PyTorch runs in two
/// styles: `plain`, as published codes are written, and `tuned`, with all we know to make it faster. Figures are medians. The first run
/// installs PyTorch under target/python-torch. The table is also written to target/bench/train.md and, with every run, to train.json
/// there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataSets,
    /// A kind of model
    #[arg(long, default_value = "all", value_parser = one_or_all::<Kind>())]
    kind: Chosen<Kind>,
    /// Whole epochs to time in each turn [default: 3 for lastfm; for yelp2018, whose epochs are long, 40 steps after 5 to warm up,
    /// scaled to an epoch]
    #[arg(long, value_name = "N", value_parser = count())]
    epochs_timed: Option<u32>,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let present = options.data.present();
    if present.is_empty() {
        return Ok(());
    }
    build("grease-models", "train_epoch")?;
    let python = python::TORCH.interpreter()?;

    let mut rows = Vec::new();
    for (data, folder) in &present {
        for kind in &options.kind.0 {
            let length = Length::of(*data, options.epochs_timed);
            rows.extend(compare(&python, *data, folder, *kind, length)?);
        }
    }
    publish(&rows)
}

/// How much of the training each turn times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Epochs(u32),
    /// So many steps after the warm-up; the program scales what they took to an epoch.
    Steps(u32),
}

impl Length {
    fn of(data: DataSet, epochs: Option<u32>) -> Self {
        match (epochs, data) {
            (Some(epochs), _) => Self::Epochs(epochs),
            (None, DataSet::LastFm) => Self::Epochs(EPOCHS),
            (None, DataSet::Yelp2018) => Self::Steps(STEPS),
        }
    }
}

/// Options both programs take, spelt the same.
fn configure<'a>(command: &'a mut Command, folder: &Path, kind: Kind, length: Length) -> &'a mut Command {
    let (epochs, steps) = match length {
        Length::Epochs(epochs) => (epochs, 0),
        Length::Steps(steps) => (1, steps),
    };
    command
        .arg("--data")
        .arg(folder)
        .args(["--kind", kind.name(), "--batch", "4096", "--dim", "64", "--layers", "3"])
        .args([
            "--threads",
            &THREADS.to_string(),
            "--epochs",
            &epochs.to_string(),
            "--steps",
            &steps.to_string(),
        ])
}

/// The ways PyTorch is asked to propagate.
const STYLES: [&str; 2] = ["plain", "tuned"];

fn compare(
    python: &Path,
    data: DataSet,
    folder: &Path,
    kind: Kind,
    length: Length,
) -> Result<Vec<Row>, Failure> {
    let reference = process::workspace_root().join("bench/torch_reference.py");
    let mut ours = Vec::new();
    let mut torch = STYLES.map(|style| (style, Vec::new()));
    for round in 1..=ROUNDS {
        println!("{} {}, turn {round} of {ROUNDS}: ours", data.name(), kind.name());
        ours.push(report(configure(&mut bench("grease-models", "train_epoch"), folder, kind, length))?);
        for (style, reports) in &mut torch {
            println!("{} {}, turn {round} of {ROUNDS}: PyTorch, {style}", data.name(), kind.name());
            let mut command = Command::new(python);
            command.arg(&reference).args(["--style", style, "--warmup", &WARM_UP_STEPS.to_string()]);
            reports.push(report(configure(&mut command, folder, kind, length))?);
        }
    }
    torch
        .into_iter()
        .map(|(style, reports)| Row::new(data, kind, style, length, ours.clone(), reports))
        .collect()
}

/// One data set and model: the figures of the table and the reports they come from.
#[derive(Debug)]
struct Row {
    data: DataSet,
    kind: Kind,
    style: &'static str,
    length: Length,
    torch_seconds: f64,
    torch_cpu_per_wall: f64,
    our_seconds: f64,
    torch_rss_mb: Option<f64>,
    our_rss_mb: Option<f64>,
    steps_per_epoch: (u64, u64),
    ours: Vec<Value>,
    torch: Vec<Value>,
}

impl Row {
    fn new(
        data: DataSet,
        kind: Kind,
        style: &'static str,
        length: Length,
        ours: Vec<Value>,
        torch: Vec<Value>,
    ) -> Result<Self, Failure> {
        let missing = |field: &str| {
            Failure::work(format!("a report of {} {} lacks `{field}`", data.name(), kind.name()))
        };
        let seconds =
            |reports: &[Value]| median(&numbers(reports, "epoch_seconds")).ok_or(missing("epoch_seconds"));
        let steps = |reports: &[Value]| {
            let first = reports.iter().find_map(|report| report["steps_per_epoch"].as_u64());
            first.ok_or(missing("steps_per_epoch"))
        };
        let peak = |reports: &[Value], field: &str| numbers(reports, field).into_iter().reduce(f64::max);
        let total = |field: &str| numbers(&torch, field).into_iter().sum::<f64>();
        Ok(Self {
            data,
            kind,
            style,
            length,
            torch_seconds: seconds(&torch)?,
            torch_cpu_per_wall: total("cpu_seconds") / total("wall_seconds"),
            our_seconds: seconds(&ours)?,
            torch_rss_mb: peak(&torch, "peak_rss_mb"),
            our_rss_mb: peak(&ours, "rss_mb"),
            steps_per_epoch: (steps(&torch)?, steps(&ours)?),
            ours,
            torch,
        })
    }

    /// How many times faster ours is.
    fn ratio(&self) -> f64 {
        self.torch_seconds / self.our_seconds
    }

    fn trustworthy(&self) -> bool {
        self.torch_cpu_per_wall >= TRUSTED_CPU_PER_WALL
    }

    fn cells(&self) -> Vec<String> {
        let megabytes = |mb: Option<f64>| mb.map_or("-".to_owned(), |mb| format!("{mb:.0}"));
        vec![
            self.data.name().to_owned(),
            self.kind.name().to_owned(),
            self.style.to_owned(),
            figure(self.torch_seconds),
            format!("{:.2}", self.torch_cpu_per_wall),
            figure(self.our_seconds),
            format!("{:.2}", self.ratio()),
            megabytes(self.torch_rss_mb),
            megabytes(self.our_rss_mb),
        ]
    }

    /// What a reader of the row has to know.
    fn notes(&self) -> Vec<String> {
        let name = format!("{} {} ({})", self.data.name(), self.kind.name(), self.style);
        let mut notes = Vec::new();
        if let Length::Steps(steps) = self.length {
            notes.push(format!(
                "{name}: {steps} steps were timed in each turn after {WARM_UP_STEPS} to warm up, and scaled to an epoch \
                 of {} steps",
                self.steps_per_epoch.0
            ));
        }
        if !self.trustworthy() {
            notes.push(format!(
                "WARNING {name}: PyTorch kept {:.2} of {THREADS} processors busy: either the machine was not idle, and the \
                 figure is not trustworthy, or PyTorch does part of this on one thread (as it does the backward pass of a \
                 plain sparse product); other rows of the same run tell which",
                self.torch_cpu_per_wall
            ));
        }
        let (torch, ours) = self.steps_per_epoch;
        if torch != ours {
            notes.push(format!(
                "WARNING {name}: an epoch is {torch} steps in PyTorch and {ours} in ours: not comparable"
            ));
        }
        notes
    }

    fn json(&self) -> Value {
        json!({
            "data": self.data.name(),
            "kind": self.kind.name(),
            "torch_style": self.style,
            "scaled_from_steps": match self.length { Length::Steps(steps) => Some(steps), Length::Epochs(_) => None },
            "torch_epoch_seconds": self.torch_seconds,
            "torch_cpu_per_wall": self.torch_cpu_per_wall,
            "epoch_seconds": self.our_seconds,
            "ratio": self.ratio(),
            "torch_peak_rss_mb": self.torch_rss_mb,
            "peak_rss_mb": self.our_rss_mb,
            "trustworthy": self.trustworthy(),
            "notes": self.notes(),
            "runs": { "torch": self.torch, "ours": self.ours },
        })
    }
}

/// All numbers of a field over some reports; a field may be a number or a list of them.
fn numbers(reports: &[Value], field: &str) -> Vec<f64> {
    let values = reports.iter().map(|report| &report[field]);
    values
        .flat_map(|value| match value {
            Value::Array(list) => list.iter().filter_map(Value::as_f64).collect(),
            single => Vec::from_iter(single.as_f64()),
        })
        .collect()
}

/// The table with its notes.
fn publish(rows: &[Row]) -> Result<(), Failure> {
    let header = [
        "data",
        "model",
        "torch style",
        "torch s/epoch",
        "torch cpu/wall",
        "ours s/epoch",
        "torch/ours",
        "torch MB",
        "ours MB",
    ];
    let cells: Vec<_> = rows.iter().map(Row::cells).collect();
    let mut text = table(&header, &cells);
    for note in rows.iter().flat_map(Row::notes) {
        text += &format!("\n- {note}");
    }
    text += &format!(
        "\n- batch 4096, d = 64, 3 layers, {THREADS} threads each; medians over {ROUNDS} turns taken alternately; MB is peak \
         resident memory\n"
    );
    super::publish("train", &text, &rows.iter().map(Row::json).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    fn row(cpu_seconds: f64, our_steps: u64) -> Row {
        let torch = |seconds: [f64; 2]| {
            json!({"epoch_seconds": seconds, "steps_per_epoch": 16, "cpu_seconds": cpu_seconds, "wall_seconds": 1.0,
                "peak_rss_mb": 700.0})
        };
        let ours = json!({"epoch_seconds": [0.1, 0.1, 0.4], "steps_per_epoch": our_steps, "rss_mb": 50});
        let torch = vec![torch([0.4, 0.5]), torch([0.4, 0.9])];
        Row::new(DataSet::LastFm, Kind::Ngcf, "plain", Length::Steps(40), vec![ours], torch).unwrap()
    }

    #[test]
    fn everything_is_timed_unless_told_otherwise() {
        let read = |line| parsed::<Options>(line).map(|o| (o.data.data.0, o.kind.0, o.epochs_timed));
        let all = (vec![DataSet::LastFm, DataSet::Yelp2018], vec![Kind::LightGcn, Kind::Ngcf], None);
        assert_eq!(read("").unwrap(), all);
        let some = (vec![DataSet::LastFm], vec![Kind::Ngcf], Some(7));
        assert_eq!(read("--data lastfm --kind=ngcf --epochs-timed 7").unwrap(), some);
        assert!(read("--kind gcn").is_err());
    }

    #[test]
    fn a_row_is_the_median_of_both_turns() {
        let row = row(1.9, 16);
        assert_eq!(row.cells(), ["lastfm", "ngcf", "plain", "0.450", "1.90", "0.100", "4.50", "700", "50"]);
        assert!(row.trustworthy());
        assert_eq!(row.notes().len(), 1, "{:?}", row.notes());
    }

    #[test]
    fn a_busy_machine_and_an_unlike_epoch_are_told() {
        let notes = row(1.2, 15).notes().join("\n");
        assert!(notes.contains("1.20 of 2 processors busy"), "{notes}");
        assert!(notes.contains("not comparable"), "{notes}");
    }

    #[test]
    fn a_report_without_times_is_a_failure() {
        let failure = Row::new(
            DataSet::LastFm,
            Kind::Ngcf,
            "plain",
            Length::Epochs(1),
            vec![json!({})],
            vec![json!({})],
        )
        .unwrap_err();
        assert!(failure.to_string().contains("epoch_seconds"), "{failure}");
    }
}
