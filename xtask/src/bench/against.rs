//! `--against BINARY`: this build of `grease` beside an earlier one, taking turns, so that a busy hour is busy for both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::{IDLE_LOAD, figure, grease, load_average, median, publish, table};
use crate::args::count;
use crate::failure::Failure;
use crate::process;

/// Whom to take turns with.
#[derive(Debug, clap::Args)]
pub(super) struct Against {
    /// In place of all else, take turns with this build of grease, of an earlier commit: fails where this one is slower
    #[arg(long, value_name = "BINARY")]
    against: Option<PathBuf>,
    /// Turns of each
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count(), requires = "against")]
    rounds: u32,
    /// Per cent that count as no slower
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, requires = "against")]
    allow: f64,
}

/// What takes turns, where nothing but a comparison needs it.
#[derive(Debug, clap::Args)]
pub(super) struct AgainstOnly {
    #[command(flatten)]
    turns: Against,
    /// Compare this build of grease, in place of building the one that is here
    #[arg(long, value_name = "FILE", requires = "against")]
    grease: Option<PathBuf>,
    /// Compare on this model [default: LightGCN on LastFM of `bench explain`, else that of `grease demo`]
    #[arg(long, value_name = "DIR", requires = "against")]
    model: Option<PathBuf>,
}

/// The two builds, and the model they are asked about.
pub(super) struct Comparison<'a> {
    options: &'a Against,
    earlier: PathBuf,
    now: PathBuf,
    pub(super) model: PathBuf,
}

/// Something that is timed: what it is called, and one turn of it with a build, in seconds.
pub(super) type Work<'a> = (String, Box<dyn Fn(&Path) -> Result<f64, Failure> + 'a>);

impl AgainstOnly {
    pub(super) fn asked(&self) -> Result<Option<Comparison<'_>>, Failure> {
        self.turns.asked(self.grease.as_deref(), self.model.as_deref())
    }
}

impl Against {
    /// The comparison, where one is asked for.
    pub(super) fn asked(
        &self,
        now: Option<&Path>,
        model: Option<&Path>,
    ) -> Result<Option<Comparison<'_>>, Failure> {
        let Some(earlier) = &self.against else { return Ok(None) };
        let earlier = fs::canonicalize(earlier).map_err(Failure::file(earlier))?;
        let model = match model {
            Some(model) => fs::canonicalize(model).map_err(Failure::file(model))?,
            None => usual_model(&earlier)?,
        };
        Ok(Some(Comparison { options: self, earlier, now: grease(now)?, model }))
    }
}

/// The benches' own where it was trained, else the demo's, which is made here.
fn usual_model(grease: &Path) -> Result<PathBuf, Failure> {
    let target = process::workspace_root().join("target");
    let trained = target.join("bench-models/lastfm-lightgcn");
    if trained.join("model.json").exists() {
        return Ok(trained);
    }
    let demo = target.join("bench-models/demo");
    if !demo.join("model/model.json").exists() {
        process::succeed(
            Command::new(grease).args(["--quiet", "demo", "--keep"]).arg(&demo).stdout(Stdio::null()),
        )?;
    }
    Ok(demo.join("model"))
}

impl Comparison<'_> {
    /// Times each work with both builds; a build that is slower than allowed is a failure.
    pub(super) fn run(&self, bench: &str, works: &[Work<'_>]) -> Result<(), Failure> {
        let busy = load_average().filter(|load| *load > IDLE_LOAD);
        println!("on {}", self.model.display());
        let mut rows = Vec::new();
        for (name, turn) in works {
            rows.push(Row { name, turns: self.turns(name, turn)? });
        }
        let allowed = 1.0 + self.options.allow / 100.0;
        let mut text = text(&rows, allowed);
        if let Some(load) = busy {
            text += &format!(
                "WARNING: the load was {load} at the start: the machine was not idle, no ratio is trustworthy\n"
            );
        }
        publish(&format!("{bench}-against"), &text, &rows.iter().map(Row::json).collect::<Vec<_>>())?;
        match rows.iter().filter(|row| !row.is_met(allowed)).count() {
            0 => Ok(()),
            slower => Err(Failure::work(format!("{slower} of {} are slower than before", rows.len()))),
        }
    }

    /// Seconds of each turn: earlier, and now.
    fn turns(
        &self,
        name: &str,
        turn: &dyn Fn(&Path) -> Result<f64, Failure>,
    ) -> Result<Vec<(f64, f64)>, Failure> {
        // Once each untimed: files are read from the disk but once.
        turn(&self.earlier)?;
        turn(&self.now)?;
        let rounds = self.options.rounds;
        let mut turns = Vec::new();
        for round in 1..=rounds {
            // Who comes second may find the processor warm: so each comes second as often.
            let (earlier, now) = if round % 2 == 1 {
                let earlier = turn(&self.earlier)?;
                (earlier, turn(&self.now)?)
            } else {
                let now = turn(&self.now)?;
                (turn(&self.earlier)?, now)
            };
            println!("{name}, {round} of {rounds}: {} s, now {} s", figure(earlier), figure(now));
            turns.push((earlier, now));
        }
        Ok(turns)
    }
}

/// How long a command takes whose results nobody reads.
pub(super) fn seconds(command: &mut Command) -> Result<f64, Failure> {
    let began = Instant::now();
    process::succeed(command.stdout(Stdio::null()))?;
    Ok(began.elapsed().as_secs_f64())
}

/// One work's turns.
struct Row<'a> {
    name: &'a str,
    turns: Vec<(f64, f64)>,
}

impl Row<'_> {
    /// The medians, earlier and now.
    fn medians(&self) -> (f64, f64) {
        let of = |which: fn(&(f64, f64)) -> f64| median(&self.turns.iter().map(which).collect::<Vec<_>>());
        (of(|turn| turn.0).unwrap_or(f64::NAN), of(|turn| turn.1).unwrap_or(f64::NAN))
    }

    fn ratio(&self) -> f64 {
        let (earlier, now) = self.medians();
        now / earlier
    }

    fn is_met(&self, allowed: f64) -> bool {
        self.ratio() <= allowed
    }

    /// The least and the greatest ratio of a round.
    fn spread(&self) -> (f64, f64) {
        let ratios = self.turns.iter().map(|(earlier, now)| now / earlier);
        ratios.fold((f64::INFINITY, 0.0), |(least, most), ratio| (ratio.min(least), ratio.max(most)))
    }

    fn cells(&self, allowed: f64) -> Vec<String> {
        let ((earlier, now), (least, most)) = (self.medians(), self.spread());
        vec![
            self.name.to_owned(),
            figure(earlier),
            figure(now),
            figure(self.ratio()),
            format!("{} to {}", figure(least), figure(most)),
            if self.is_met(allowed) { "met" } else { "SLOWER" }.to_owned(),
        ]
    }

    fn json(&self) -> Value {
        let (earlier, now) = self.medians();
        json!({ "what": self.name, "earlier": earlier, "now": now, "ratio": self.ratio(), "turns": self.turns })
    }
}

fn text(rows: &[Row<'_>], allowed: f64) -> String {
    let header = ["", "earlier, s", "now, s", "now / earlier", "of single rounds", "bar"];
    let cells: Vec<_> = rows.iter().map(|row| row.cells(allowed)).collect();
    let rounds = rows.first().map_or(0, |row| row.turns.len());
    format!("{}\nmedians of {rounds} rounds; {} are allowed\n", table(&header, &cells), figure(allowed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    #[test]
    fn the_ratio_is_that_of_the_medians_and_more_than_allowed_is_slower() {
        let row = Row { name: "lists", turns: vec![(1.0, 1.1), (2.0, 1.0), (1.0, 1.2)] };
        assert_eq!(row.cells(1.05), ["lists", "1.00", "1.10", "1.10", "0.500 to 1.20", "SLOWER"]);
        assert!(row.is_met(1.15));
        assert!(!Row { name: "nothing", turns: Vec::new() }.is_met(1.05));
    }

    #[test]
    fn rounds_and_a_model_are_for_a_comparison_only() {
        assert!(parsed::<AgainstOnly>("").unwrap().asked().unwrap().is_none());
        let options = parsed::<AgainstOnly>("--against grease --model m --rounds 3 --allow 2.5").unwrap();
        assert_eq!((options.turns.rounds, options.turns.allow), (3, 2.5));
        for line in ["--rounds 3", "--allow 2", "--model m", "--grease g"] {
            assert!(parsed::<AgainstOnly>(line).is_err(), "{line}");
        }
    }

    #[test]
    fn both_builds_take_as_many_turns() {
        let options = parsed::<Against>("--against grease --rounds 4").unwrap();
        let comparison =
            Comparison { options: &options, earlier: "then".into(), now: "now".into(), model: "m".into() };
        let asked = std::cell::RefCell::new(Vec::new());
        let turn = |build: &Path| {
            asked.borrow_mut().push(build.display().to_string());
            Ok(if build == Path::new("now") { 1.0 } else { 2.0 })
        };
        assert_eq!(comparison.turns("work", &turn).unwrap(), [(2.0, 1.0); 4]);
        let order = ["then", "now", "then", "now", "now", "then", "then", "now", "now", "then"];
        assert_eq!(*asked.borrow(), order);
    }
}
