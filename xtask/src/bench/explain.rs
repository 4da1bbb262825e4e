//! `cargo xtask bench explain`: what explaining costs, against the re-scoring it consists of and against plain PyTorch.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{DataSet, DataSets, Kind, bench, build, figure, median, report, table};
use crate::args::count;
use crate::failure::Failure;
use crate::process::{self, cargo};
use crate::python;

/// The ways PyTorch is asked to sum messages, and the threads it gets.
const OPPONENTS: [(&str, u32); 4] = [("plain", 1), ("plain", 2), ("tuned", 1), ("tuned", 2)];
/// The distinct ones of these.
const STYLES: [&str; 2] = ["plain", "tuned"];
/// Our methods they are set beside.
const METHODS: [&str; 2] = ["grease", "paper"];
/// Above this many waiting processes, somebody else is at work.
const IDLE_LOAD: f64 = 0.7;

/// What is explained: a model and how it is trained.
pub(super) struct Subject {
    pub(super) data: DataSet,
    pub(super) kind: Kind,
    training: &'static [&'static str],
    /// Milliseconds a list may take at the median, where there is a bar.
    list_bar_ms: Option<f64>,
}

pub(super) const SUBJECTS: [Subject; 3] = [
    Subject {
        data: DataSet::LastFm,
        kind: Kind::LightGcn,
        training: &["--epochs", "200"],
        list_bar_ms: Some(100.0),
    },
    Subject {
        data: DataSet::LastFm,
        kind: Kind::Ngcf,
        training: &["--epochs", "400"],
        list_bar_ms: Some(1000.0),
    },
    Subject {
        data: DataSet::Yelp2018,
        kind: Kind::LightGcn,
        training: &["--epochs", "10", "--batch", "8192", "--lr", "0.002"],
        list_bar_ms: None,
    },
];

/// Time explaining lists and pairs, beside plain PyTorch
///
/// Explanations of trained models: whole lists from a person's own interactions, against the re-scoring they consist of; and pairs from
/// the neighbourhood of person and item, against the paper's algorithm written in PyTorch (bench/torch_explain.py) on some of the same
/// pairs. GREASE runs on one thread; PyTorch on one and on two, of which the faster counts. The first run trains the models (minutes;
/// Yelp2018 for a few epochs only, enough to time explanations) and installs PyTorch under target/python-torch. The tables are also
/// written to target/bench/explain.md and, with every figure, to explain.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataSets,
    /// Pairs PyTorch explains
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count())]
    pairs: u32,
    /// Time so many of PyTorch's fitting and search steps and scale them [default: all of them]
    #[arg(long, value_name = "N", value_parser = count())]
    steps_timed: Option<u32>,
    #[command(flatten)]
    models: Models,
}

/// Where trained models are kept between runs.
#[derive(Debug, clap::Args)]
pub(super) struct Models {
    /// Holds the trained models as DATA-KIND, or will [default: target/bench-models]
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let present = options.data.present();
    if present.is_empty() {
        return Ok(());
    }
    let load = load();
    let python = python::TORCH.interpreter()?;
    let mut subjects = Vec::new();
    for (data, folder) in &present {
        for subject in SUBJECTS.iter().filter(|subject| subject.data == *data) {
            subjects.push((subject, options.models.trained(subject, folder)?));
        }
    }
    build("grease-explain", "explain")?;
    let rows: Result<Vec<Row>, Failure> = subjects
        .iter()
        .map(|(subject, model)| Row::measure(subject, model, &python, options, load))
        .collect();
    let rows = rows?;
    super::publish("explain", &text(&rows), &rows.iter().map(Row::json).collect::<Vec<_>>())
}

impl Models {
    /// The folder of the trained model, which is trained first where it is not there. In a process of its own: the memory training takes
    /// is not that of explaining.
    pub(super) fn trained(&self, subject: &Subject, data: &Path) -> Result<PathBuf, Failure> {
        let models =
            self.models.clone().unwrap_or_else(|| process::workspace_root().join("target/bench-models"));
        let folder = models.join(format!("{}-{}", subject.data.name(), subject.kind.name()));
        if !folder.join("model.json").exists() {
            println!("training {}", folder.display());
            let mut train =
                cargo(["run", "--quiet", "--release", "--package", "grease-cli", "--", "train", "--resume"]);
            train.arg("--data").arg(data).arg("--out").arg(&folder).args(["--kind", subject.kind.name()]);
            process::succeed(train.args(subject.training))?;
        }
        Ok(folder)
    }
}

/// One model's figures, ours and PyTorch's.
struct Row {
    data: DataSet,
    kind: Kind,
    list_bar_ms: Option<f64>,
    /// Processes that ran or waited before anything was timed, where the system says.
    load: Option<f64>,
    ours: Value,
    torch: Vec<Value>,
}

impl Row {
    fn measure(
        subject: &Subject,
        model: &Path,
        python: &Path,
        options: &Options,
        load: Option<f64>,
    ) -> Result<Self, Failure> {
        let name = format!("{} {}", subject.data.name(), subject.kind.name());
        println!("{name}: ours");
        let shown =
            process::workspace_root().join(format!("target/bench/explain-{}", name.replace(' ', "-")));
        let pairs = options.pairs.to_string();
        let mut command = bench("grease-explain", "explain");
        command.arg("--model").arg(model).arg("--dump").arg(&shown).args(["--pairs", &pairs]);
        let ours = report(&mut command)?;
        let mut torch = Vec::new();
        for (style, threads) in OPPONENTS {
            println!("{name}: PyTorch, {style}, {threads} threads");
            let mut command = Command::new(python);
            command.arg(process::workspace_root().join("bench/torch_explain.py")).arg("--task").arg(&shown);
            command.args(["--style", style, "--threads", &threads.to_string()]);
            torch.push(report(
                command.args(["--steps-timed", &options.steps_timed.unwrap_or(0).to_string()]),
            )?);
        }
        fs::remove_dir_all(&shown).map_err(Failure::file(&shown))?;
        Ok(Self {
            data: subject.data,
            kind: subject.kind,
            list_bar_ms: subject.list_bar_ms,
            load,
            ours,
            torch,
        })
    }

    fn name(&self) -> [String; 2] {
        [self.data.name().to_owned(), self.kind.name().to_owned()]
    }

    /// A figure of ours, by its path.
    fn ours(&self, pointer: &str) -> f64 {
        self.ours.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }

    /// Seconds a pair takes PyTorch in a style, with the number of threads it is faster with.
    fn torch(&self, style: &str) -> Option<(f64, u64)> {
        let of_style = self.torch.iter().filter(|report| report["style"] == style);
        let medians = of_style.filter_map(|report| {
            let pairs = report["pairs"].as_array()?.iter();
            let seconds: Vec<f64> = pairs.filter_map(|pair| pair["seconds"].as_f64()).collect();
            Some((median(&seconds)?, report["threads"].as_u64()?))
        });
        medians.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Seconds a pair takes us, of those PyTorch explains too: by method `grease`, or by the paper's own.
    fn ours_shown(&self, method: &str) -> Option<f64> {
        let at = if method == "paper" { "/paper_shown_seconds" } else { "/hops/shown_seconds" };
        let seconds = self.ours.pointer(at)?.as_array()?.iter().filter_map(Value::as_f64);
        median(&seconds.collect::<Vec<_>>())
    }

    /// How many times longer PyTorch takes than a method of ours on the same pairs.
    fn ratio(&self, style: &str, method: &str) -> Option<f64> {
        Some(self.torch(style)?.0 / self.ours_shown(method)?)
    }

    fn torch_peak_mb(&self) -> Option<f64> {
        self.torch.iter().filter_map(|report| report["peak_rss_mb"].as_f64()).reduce(f64::max)
    }

    /// Each bar that applies: what it asks, the figure, and whether that is enough.
    fn bars(&self) -> Vec<(String, f64, bool)> {
        let mut bars = Vec::new();
        let mut below =
            |what: &str, value: f64, most: f64| bars.push((what.to_owned(), value, value <= most));
        let (alone, batched) =
            (self.ours("/own/total_to_queries_alone"), self.ours("/own/total_to_queries_batched"));
        below("own: total / (queries x one edit alone), at most 3", alone, 3.0);
        below("own: total / (queries x an edit of a batch), at most 3", batched, 3.0);
        if let Some(most) = self.list_bar_ms {
            let what = format!("own: ms a list on one thread, at most {most}");
            below(&what, self.ours("/own/list_ms"), most);
        }
        if self.data == DataSet::Yelp2018 {
            below("hops: seconds a pair, median at most 1", self.ours("/hops/pair_seconds"), 1.0);
            below(
                "hops: seconds the worst hub pair takes, at most 10",
                self.ours("/hops/hub_worst_seconds"),
                10.0,
            );
            below("hops: peak memory in MB, at most 300", self.ours("/hops_peak_mb"), 300.0);
        }
        if let Some(ratio) = self.ratio("plain", "grease") {
            bars.push((
                "hops: times faster than plain PyTorch, at least 30".to_owned(),
                ratio,
                ratio >= 30.0,
            ));
        }
        bars
    }

    fn warnings(&self) -> Vec<String> {
        let name = self.name().join(" ");
        let mut warnings = Vec::new();
        if let Some(load) = self.load.filter(|&load| load > IDLE_LOAD) {
            warnings.push(format!(
                "WARNING {name}: the load was {load:.1} at the start: the machine was not idle, no time is trustworthy, and PyTorch's \
                 two threads wait for each other"
            ));
        }
        if self.ours("/hops/with_surrogate") < self.ours("/hops/explanations") {
            warnings.push(format!(
                "WARNING {name}: {} of {} pairs were explained with a surrogate: what is set beside PyTorch is not the same algorithm",
                self.ours("/hops/with_surrogate"),
                self.ours("/hops/explanations"),
            ));
        }
        let scaled =
            self.torch.iter().find_map(|report| report["steps_timed"].as_u64().filter(|&steps| steps > 0));
        if let Some(steps) = scaled {
            warnings.push(format!(
                "{name}: PyTorch's steps were scaled from {steps} of each loop after 2 to warm up"
            ));
        }
        warnings
    }

    fn json(&self) -> Value {
        let bars: Vec<_> = self
            .bars()
            .iter()
            .map(|(bar, value, met)| json!({ "bar": bar, "value": value, "met": met }))
            .collect();
        json!({
            "data": self.data.name(), "kind": self.kind.name(), "load": self.load, "bars": bars, "warnings": self.warnings(),
            "torch_over_ours": STYLES.map(|style| METHODS.map(|method| {
                json!({ "style": style, "method": method, "ratio": self.ratio(style, method) })
            })),
            "ours": self.ours, "torch": self.torch,
        })
    }
}

/// Processes running or waiting over the last minute, where the system says.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

fn text(rows: &[Row]) -> String {
    let line = |row: &Row, cells: Vec<String>| row.name().into_iter().chain(cells).collect::<Vec<_>>();
    let own = rows.iter().map(|row| {
        let figures = [
            "/own/list_ms",
            "/own/list_p95_ms",
            "/own_list_two_threads_ms",
            "/own/queries_a_list",
            "/own/one_edit_ms",
            "/own/batched_edit_ms",
            "/own/total_to_queries_alone",
            "/own/total_to_queries_batched",
        ];
        line(row, figures.map(|at| figure(row.ours(at))).into())
    });
    let own = table(
        &[
            "data",
            "model",
            "ms/list",
            "p95",
            "two threads",
            "queries/list",
            "ms/edit alone",
            "in a batch",
            "total/alone",
            "total/batch",
        ],
        &own.collect::<Vec<_>>(),
    );
    let hops = rows.iter().map(|row| {
        let at = [
            "/hops/pair_seconds",
            "/hops/pair_worst_seconds",
            "/hops/hub_worst_seconds",
            "/hops/once_seconds",
        ];
        let mut cells: Vec<_> = at.map(|at| figure(row.ours(at))).into();
        cells.push(figure(row.ours("/hops/queries_a_pair")));
        cells.push(figure(row.ours("/hops_peak_mb")));
        line(row, cells)
    });
    let hops = table(
        &["data", "model", "s/pair", "worst", "worst hub", "once", "queries/pair", "MB"],
        &hops.collect::<Vec<_>>(),
    );
    let shown = |value: Option<f64>| value.map_or("-".to_owned(), figure);
    let torch = rows.iter().flat_map(|row| {
        STYLES.map(|style| {
            let (seconds, threads) = row.torch(style).unzip();
            let mut cells = vec![style.to_owned(), shown(seconds)];
            cells.push(threads.map_or("-".to_owned(), |threads| threads.to_string()));
            for method in METHODS {
                cells.extend([shown(row.ours_shown(method)), shown(row.ratio(style, method))]);
            }
            cells.push(shown(row.torch_peak_mb()));
            line(row, cells)
        })
    });
    let torch = table(
        &[
            "data",
            "model",
            "torch style",
            "torch s/pair",
            "threads",
            "grease",
            "torch/grease",
            "paper",
            "torch/paper",
            "torch MB",
        ],
        &torch.collect::<Vec<_>>(),
    );
    let bars = rows.iter().flat_map(|row| {
        let bars = row.bars().into_iter();
        bars.map(|(bar, value, met)| {
            line(row, vec![bar, figure(value), if met { "met" } else { "missed" }.to_owned()])
        })
    });
    let bars = table(&["data", "model", "bar", "figure", ""], &bars.collect::<Vec<_>>());
    let found = rows.iter().map(|row| {
        format!(
            "- {}: {} lists, {} of {} explanations verified; hops: {} of {} pairs verified\n",
            row.name().join(" "),
            row.ours("/own/lists"),
            row.ours("/own/verified"),
            row.ours("/own/explanations"),
            row.ours("/hops/verified"),
            row.ours("/hops/explanations"),
        )
    });
    let warnings = rows.iter().flat_map(Row::warnings).map(|warning| format!("- {warning}\n"));
    format!(
        "Whole top-10 lists from own interactions, factual and counterfactual, one thread:\n\n{own}\n\
         Pairs from the neighbourhood, counterfactual, one thread, seconds:\n\n{hops}\n\
         Some of these pairs in PyTorch, by method grease and by the paper's own algorithm in Rust (method paper):\n\n{torch}\n{bars}\n{}{}",
        found.collect::<String>(),
        warnings.collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    fn row(load: f64) -> Row {
        let torch = |style: &str, threads: u32, seconds: [f64; 3]| {
            let pairs = seconds.map(|seconds| json!({ "seconds": seconds }));
            json!({ "style": style, "threads": threads, "steps_timed": 0, "pairs": pairs, "peak_rss_mb": 700.0 })
        };
        Row {
            data: DataSet::LastFm,
            kind: Kind::Ngcf,
            list_bar_ms: Some(1000.0),
            load: Some(load),
            ours: json!({
                "own": { "list_ms": 900.0, "total_to_queries_alone": 1.0, "total_to_queries_batched": 3.5 },
                "paper_shown_seconds": [0.5],
                "hops": { "shown_seconds": [0.2, 0.1, 0.4], "with_surrogate": 3, "explanations": 3 },
            }),
            torch: vec![
                torch("plain", 1, [8.0, 7.0, 9.0]),
                torch("plain", 2, [80.0, 70.0, 90.0]),
                torch("tuned", 1, [5.0, 5.0, 5.0]),
                torch("tuned", 2, [4.0, 4.0, 4.0]),
            ],
        }
    }

    #[test]
    fn the_opponent_gets_the_threads_it_is_faster_with() {
        let row = row(0.1);
        assert_eq!((row.torch("plain"), row.torch("tuned")), (Some((8.0, 1)), Some((4.0, 2))));
        assert_eq!((row.ratio("plain", "grease"), row.ratio("tuned", "paper")), (Some(40.0), Some(8.0)));
    }

    #[test]
    fn a_missed_bar_and_a_figure_that_is_missing_are_not_met() {
        let met: Vec<bool> = row(0.1).bars().iter().map(|bar| bar.2).collect();
        assert_eq!(met, [true, false, true, true]);
        let yelp = Row { data: DataSet::Yelp2018, ..row(0.1) };
        assert!(yelp.bars().iter().filter(|bar| bar.0.contains("pair")).all(|bar| !bar.2));
    }

    #[test]
    fn a_busy_machine_and_a_missing_surrogate_are_told() {
        assert_eq!(row(0.1).warnings(), Vec::<String>::new());
        let mut busy = row(5.0);
        busy.ours["hops"]["with_surrogate"] = json!(0);
        let warnings = busy.warnings().join("\n");
        assert!(warnings.contains("not idle") && warnings.contains("0 of 3"), "{warnings}");
    }

    #[test]
    fn everything_is_timed_unless_told_otherwise() {
        let read = |line| parsed::<Options>(line).map(|o| (o.data.data.0.len(), o.pairs, o.steps_timed));
        assert_eq!(read("").unwrap(), (2, 3, None));
        let some = read("--data lastfm --pairs 1 --steps-timed=30 --models m").unwrap();
        assert_eq!(some, (1, 1, Some(30)));
        assert!(read("--pears 3").is_err());
    }
}
