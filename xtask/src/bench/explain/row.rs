//! One model's figures beside PyTorch's, and the bars they are held against.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Options, Subject};
use crate::bench::{DataSet, IDLE_LOAD, Kind, bench, median, report};
use crate::failure::Failure;
use crate::process;

/// The ways PyTorch is asked to sum messages, and the threads it gets.
const OPPONENTS: [(&str, u32); 4] = [("plain", 1), ("plain", 2), ("tuned", 1), ("tuned", 2)];
/// The distinct ones of these.
pub(super) const STYLES: [&str; 2] = ["plain", "tuned"];
/// Our methods they are set beside.
pub(super) const METHODS: [&str; 2] = ["grease", "paper"];

/// One model's figures, ours and PyTorch's.
pub(super) struct Row {
    data: DataSet,
    kind: Kind,
    list_bar_ms: Option<f64>,
    /// Processes that ran or waited before anything was timed, where the system says.
    load: Option<f64>,
    ours: Value,
    torch: Vec<Value>,
}

impl Row {
    pub(super) fn measure(
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

    pub(super) fn name(&self) -> [String; 2] {
        [self.data.name().to_owned(), self.kind.name().to_owned()]
    }

    /// A figure of ours, by its path.
    pub(super) fn ours(&self, pointer: &str) -> f64 {
        self.ours.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }

    /// Seconds a pair takes PyTorch in a style, with the number of threads it is faster with.
    pub(super) fn torch(&self, style: &str) -> Option<(f64, u64)> {
        let of_style = self.torch.iter().filter(|report| report["style"] == style);
        let medians = of_style.filter_map(|report| {
            let pairs = report["pairs"].as_array()?.iter();
            let seconds: Vec<f64> = pairs.filter_map(|pair| pair["seconds"].as_f64()).collect();
            Some((median(&seconds)?, report["threads"].as_u64()?))
        });
        medians.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Seconds a pair takes us, of those PyTorch explains too: by method `grease`, or by the paper's own.
    pub(super) fn ours_shown(&self, method: &str) -> Option<f64> {
        let at = if method == "paper" { "/paper_shown_seconds" } else { "/hops/shown_seconds" };
        let seconds = self.ours.pointer(at)?.as_array()?.iter().filter_map(Value::as_f64);
        median(&seconds.collect::<Vec<_>>())
    }

    /// How many times longer PyTorch takes than a method of ours on the same pairs.
    pub(super) fn ratio(&self, style: &str, method: &str) -> Option<f64> {
        Some(self.torch(style)?.0 / self.ours_shown(method)?)
    }

    pub(super) fn torch_peak_mb(&self) -> Option<f64> {
        self.torch.iter().filter_map(|report| report["peak_rss_mb"].as_f64()).reduce(f64::max)
    }

    /// Each bar that applies: what it asks, the figure, and whether that is enough.
    pub(super) fn bars(&self) -> Vec<(String, f64, bool)> {
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

    pub(super) fn warnings(&self) -> Vec<String> {
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

    pub(super) fn json(&self) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
