//! `cargo xtask bench explain`: what explaining costs, against the re-scoring it consists of and against plain PyTorch.

mod row;
mod tables;

use std::path::{Path, PathBuf};
use std::process::Command;

use self::row::Row;
use super::against::{AgainstOnly, Comparison, Work, seconds};
use super::{DataSet, DataSets, Kind, build, load_average};
use crate::args::count;
use crate::failure::Failure;
use crate::process::{self, cargo};
use crate::python;

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
    #[command(flatten)]
    against: AgainstOnly,
}

/// Where trained models are kept between runs.
#[derive(Debug, clap::Args)]
pub(super) struct Models {
    /// Holds the trained models as DATA-KIND, or will [default: target/bench-models]
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(comparison) = options.against.asked()? {
        return compare(&comparison);
    }
    let present = options.data.present();
    if present.is_empty() {
        return Ok(());
    }
    let load = load_average();
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
    super::publish("explain", &tables::text(&rows), &rows.iter().map(Row::json).collect::<Vec<_>>())
}

/// Lists as the command line explains them, and some from a scope that asks much more.
fn compare(comparison: &Comparison<'_>) -> Result<(), Failure> {
    let explain = |people: &'static str, scope: &'static str| -> Work<'_> {
        let turn = move |grease: &Path| {
            let mut command = Command::new(grease);
            command.args(["--quiet", "explain", "--sample-users", people, "--scope", scope, "--model"]);
            seconds(command.arg(&comparison.model))
        };
        (format!("scope {scope}, {people} lists"), Box::new(turn))
    };
    comparison.run("explain", &[explain("20", "own"), explain("2", "target")])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    #[test]
    fn everything_is_timed_unless_told_otherwise() {
        let read = |line| parsed::<Options>(line).map(|o| (o.data.data.0.len(), o.pairs, o.steps_timed));
        assert_eq!(read("").unwrap(), (2, 3, None));
        let some = read("--data lastfm --pairs 1 --steps-timed=30 --models m").unwrap();
        assert_eq!(some, (1, 1, Some(30)));
        assert!(read("--pears 3").is_err());
    }
}
