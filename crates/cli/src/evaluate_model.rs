//! `grease evaluate-model`

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use grease::graph::{Recommender as _, counted};
use grease::models::Kind;
use grease::models::folder::ModelFolder;
use grease::models::ranking::{Ranking, evaluate};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::failure::{Code, Failure};
use crate::numbers::at_least_one;
use crate::output::{Format, Output};

/// Measure how well a model guesses the interactions that were held out
#[derive(Debug, Args)]
#[command(after_help = "\
What is measured, over all users with held-out interactions:
  recall    share of a user's held-out items that are on their list
  ndcg      the same, counting early places more
  hit rate  share of users with at least one held-out item on their list
  coverage  share of all items that are on anybody's list

Examples:
  grease evaluate-model --model model
  grease evaluate-model --model model -k 5,50 --format json")]
pub(crate) struct EvaluateArguments {
    /// A folder made by `grease train` or `grease import`
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// Lengths of the lists
    #[arg(short, value_name = "N,N,…", default_value = "10,20", value_delimiter = ',', value_parser = at_least_one)]
    k: Vec<usize>,
    /// text or json
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
}

#[derive(Serialize)]
struct Evaluation {
    kind: Kind,
    users: usize,
    metrics: Vec<Metrics>,
    /// `recall@20` and the like, for those who look for one number.
    #[serde(flatten)]
    by_name: Map<String, Value>,
}

#[derive(Serialize)]
struct Metrics {
    k: usize,
    recall: f64,
    ndcg: f64,
    hit_rate: f64,
    coverage: f64,
}

pub(crate) fn run(arguments: &EvaluateArguments, output: &Output) -> Result<Code, Failure> {
    let ModelFolder { data, model, manifest } = ModelFolder::load(&arguments.model)?;
    if data.test.is_empty() {
        let message =
            format_args!("{} has no held-out interactions to measure by", arguments.model.display());
        return Err(Failure::new(Code::Data, message)
            .help("train with a --train-share below 1, or with data that comes with a test part; an import takes one by --test"));
    }
    let mut ks = arguments.k.clone();
    ks.sort_unstable();
    ks.dedup();
    let rankings = evaluate(model.output(), model.graph(), &data.test, &ks);
    let users = rankings.first().map_or(0, |ranking| ranking.users);
    if !manifest.finished {
        output.note("note: this model's training was interrupted");
    }
    match arguments.format {
        Format::Json => output.json(&Evaluation {
            kind: manifest.kind,
            users,
            metrics: rankings.iter().map(Metrics::from).collect(),
            by_name: rankings
                .iter()
                .flat_map(|r| {
                    [(format!("recall@{}", r.k), r.recall.into()), (format!("ndcg@{}", r.k), r.ndcg.into())]
                })
                .collect(),
        })?,
        Format::Text => output.results(|out| {
            let size = match manifest.kind {
                Kind::Frozen => format!("of width {}", manifest.dim),
                _ => format!("with {} of {}", counted(manifest.layers, "layer"), manifest.dim),
            };
            writeln!(out, "{} {size}, over {}\n", manifest.kind, counted(users, "user"))?;
            writeln!(
                out,
                "{:>6}  {:>6}  {:>6}  {:>8}  {:>8}",
                "k", "recall", "ndcg", "hit rate", "coverage"
            )?;
            for Ranking { k, recall, ndcg, hit_rate, coverage, .. } in &rankings {
                writeln!(out, "{k:>6}  {recall:>6.4}  {ndcg:>6.4}  {hit_rate:>8.4}  {coverage:>8.4}")?;
            }
            Ok(())
        })?,
    }
    Ok(Code::Done)
}

impl From<&Ranking> for Metrics {
    fn from(&Ranking { k, recall, ndcg, hit_rate, coverage, .. }: &Ranking) -> Self {
        Self { k, recall, ndcg, hit_rate, coverage }
    }
}
