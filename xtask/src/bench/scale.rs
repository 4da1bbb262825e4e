//! `cargo xtask bench scale`: explaining through Ray and Spark beside `grease batch`, and everybody's lists.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::batch::{Run, spread_out, timed};
use super::{figure, grease, median, publish, report, table, work_folder};
use crate::args::count;
use crate::failure::Failure;
use crate::process;
use crate::python::ENGINES;

/// Time the same people through Ray, Spark and `grease batch`, and everybody's lists
///
/// Of each engine and of `grease batch`, with as many threads as workers: people a second of a long job, a short one taken off, so that
/// starting and loading do not count; of each worker the memory beside the same worker at rest; of the driver its memory over a million
/// rows. Then `grease recommend --users all` of each model, a short run taken off. Runs are one after another. The tables are also
/// written to target/bench/scale.md and, with every figure, to scale.json there.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A model folder whose people are explained, say of Yelp2018
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// Model folders whose everybody's lists are timed; may be repeated
    #[arg(long, value_name = "DIR")]
    lists: Vec<PathBuf>,
    /// How many people are explained: a minute's work or more
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count())]
    people: u32,
    /// Workers of an engine, threads of `grease batch`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count())]
    workers: u32,
    /// Turns of the lists
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count())]
    rounds: u32,
}

/// The least an engine may do of what `grease batch` does.
const LEAST: f64 = 0.9;
/// The most megabytes a worker may take beside the model and the same worker at rest.
const BESIDE_MB: f64 = 60.0;
/// The least lists a second a core.
const LISTS: f64 = 10_000.0;
/// The length of lists that makes a million rows of the people there are.
const LONG: &str = "40";

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let bench = Bench {
        grease: grease(None)?,
        python: ENGINES.with_package()?,
        folder: work_folder("scale")?,
        workers: options.workers,
    };
    let model = fs::canonicalize(&options.model).map_err(Failure::file(&options.model))?;
    let engines = bench.engines(&model, options.people as usize)?;
    let many = bench.many_rows(&model)?;
    let lists = options.lists.iter().map(|model| bench.lists(model, options.rounds));
    let lists = lists.collect::<Result<Vec<_>, _>>()?;
    let text = [told_of_engines(&engines), told_of_rows(&many), told_of_lists(&lists)].join("\n");
    publish("scale", &text, &[json!({ "engines": engines, "many_rows": many, "lists": lists })])
}

struct Bench {
    grease: PathBuf,
    python: PathBuf,
    folder: PathBuf,
    workers: u32,
}

impl Bench {
    fn users(&self, name: &str, model: &Path, people: usize) -> Result<PathBuf, Failure> {
        let path = self.folder.join(name);
        // Without a last line that is empty: to an engine it would be somebody.
        let text = spread_out(model, people)?;
        fs::write(&path, text.trim_end()).map_err(Failure::file(&path))?;
        Ok(path)
    }

    /// People a second of `grease batch` and of each engine.
    fn engines(&self, model: &Path, people: usize) -> Result<Vec<Value>, Failure> {
        let users = self.users("people.txt", model, people)?;
        let few = self.users("few.txt", model, people / 100)?;
        println!("grease batch: {people} people");
        let whole = self.alone(self.workers, "batch", model, &users)?;
        let seconds = whole.seconds - self.alone(self.workers, "batch", model, &few)?.seconds;
        let done = people - people / 100;
        let mut rows = vec![json!({
            "who": "grease batch", "people": done, "seconds": seconds, "peak": whole.peak_mb,
        })];
        for engine in ["ray", "spark"] {
            println!("{engine}: {people} people");
            let mut row = self.through(engine, "explain", model, &users, "10")?;
            row["who"] = json!(engine);
            rows.push(row);
        }
        Ok(rows)
    }

    /// Long lists of everybody: a million rows.
    fn many_rows(&self, model: &Path) -> Result<Vec<Value>, Failure> {
        let users = self.users("everybody.txt", model, usize::MAX)?;
        let each = |engine: &str| {
            println!("{engine}: everybody's lists of {LONG}");
            let mut row = self.through(engine, "recommend", model, &users, LONG)?;
            row["who"] = json!(engine);
            Ok(row)
        };
        ["ray", "spark"].into_iter().map(each).collect()
    }

    fn through(
        &self,
        engine: &str,
        what: &str,
        model: &Path,
        users: &Path,
        k: &str,
    ) -> Result<Value, Failure> {
        let mut command = Command::new(&self.python);
        command.arg(process::workspace_root().join("bench/scale.py"));
        command.args(["--engine", engine, "--what", what, "-k", k]).arg("--model").arg(model);
        // One thread a worker, as the engine gives it.
        command.arg("--users").arg(users).args(["--workers", &self.workers.to_string()]);
        report(command.env("RAYON_NUM_THREADS", "1"))
    }

    fn alone(&self, threads: u32, verb: &str, model: &Path, users: &Path) -> Result<Run, Failure> {
        let mut command = Command::new(&self.grease);
        command.args(["--threads", &threads.to_string(), verb, "--model"]).arg(model);
        command.arg("--users").arg(users).arg("--force").arg("--out").arg(self.folder.join("out.parquet"));
        timed(&mut command)
    }

    /// Lists a second of one model, on one thread.
    fn lists(&self, model: &Path, rounds: u32) -> Result<Value, Failure> {
        let users = self.users("everybody.txt", model, usize::MAX)?;
        let half = self.users("half.txt", model, count_of(&users)? / 2)?;
        let few = self.users("few.txt", model, 1)?;
        let (mut seconds, mut peaks) = (Vec::new(), (0.0f64, 0.0f64));
        for _ in 0..rounds {
            let whole = self.alone(1, "recommend", model, &users)?;
            seconds.push(whole.seconds - self.alone(1, "recommend", model, &few)?.seconds);
            let of_half = self.alone(1, "recommend", model, &half)?;
            peaks = (peaks.0.max(of_half.peak_mb.unwrap_or(0.0)), peaks.1.max(whole.peak_mb.unwrap_or(0.0)));
        }
        let people = count_of(&users)? - 1;
        let name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let seconds = median(&seconds).unwrap_or(f64::NAN);
        Ok(json!({
            "model": name, "people": people, "seconds": seconds, "a_second": people as f64 / seconds,
            "peak_of_half": peaks.0, "peak": peaks.1,
        }))
    }
}

fn count_of(users: &Path) -> Result<usize, Failure> {
    Ok(fs::read_to_string(users).map_err(Failure::file(users))?.lines().count())
}

fn number(row: &Value, path: &str) -> f64 {
    row.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

fn told_of_engines(rows: &[Value]) -> String {
    let rate = |row: &Value| number(row, "/people") / number(row, "/seconds");
    let alone = rate(&rows[0]);
    let cells = rows.iter().map(|row| {
        let ratio = rate(row) / alone;
        let beside = number(row, "/worker/peak") - number(row, "/idle") - number(row, "/model");
        let is_engine = row.get("worker").is_some();
        let or = |text: String| if is_engine { text } else { "-".to_owned() };
        vec![
            row["who"].as_str().unwrap_or_default().to_owned(),
            figure(number(row, "/seconds")),
            figure(rate(row)),
            or(figure(ratio)),
            or(format!("{LEAST}, {}", verdict(ratio >= LEAST))),
            or(format!("{:.0}", number(row, "/idle"))),
            or(format!("{:.0}", number(row, "/model"))),
            or(format!("{beside:.0}")),
            or(format!("{BESIDE_MB}, {}", verdict(beside <= BESIDE_MB))),
            or(format!("{:.0} / {:.0}", number(row, "/worker/early"), number(row, "/worker/late"))),
        ]
    });
    "Explaining, first row to last:\n\n".to_owned()
        + &table(
            &[
                "by",
                "s",
                "people/s",
                "beside batch",
                "bar",
                "idle, MB",
                "model, MB",
                "more, MB",
                "bar",
                "early / late, MB",
            ],
            &cells.collect::<Vec<_>>(),
        )
}

fn told_of_rows(rows: &[Value]) -> String {
    let cells = rows.iter().map(|row| {
        vec![
            row["who"].as_str().unwrap_or_default().to_owned(),
            format!("{}", number(row, "/people") * LONG.parse::<f64>().unwrap_or(f64::NAN)),
            format!("{:.0} / {:.0}", number(row, "/driver/early"), number(row, "/driver/late")),
            format!("{:.0} / {:.0}", number(row, "/worker/early"), number(row, "/worker/late")),
        ]
    });
    "Many rows, memory early / late in MB:\n\n".to_owned()
        + &table(&["by", "rows", "driver", "worker"], &cells.collect::<Vec<_>>())
}

fn told_of_lists(rows: &[Value]) -> String {
    let cells = rows.iter().map(|row| {
        let a_second = number(row, "/a_second");
        vec![
            row["model"].as_str().unwrap_or_default().to_owned(),
            row["people"].to_string(),
            format!("{a_second:.0}"),
            // The bar is that of LastFM: a list takes as long as there are items.
            format!("{LISTS}, {}", if a_second >= LISTS { "met" } else { "below" }),
            format!("{:.0} / {:.0}", number(row, "/peak_of_half"), number(row, "/peak")),
        ]
    });
    "Everybody's lists, one thread:\n\n".to_owned()
        + &table(
            &["model", "people", "lists/s", "bar of LastFM", "half / all, MB"],
            &cells.collect::<Vec<_>>(),
        )
}
