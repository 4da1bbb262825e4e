//! Compares methods on the lists of some users of a trained model: how often an explanation is found and verified, how many edges it
//! has, what it costs, and how it compares with the last method named on the pairs both solve.
//!
//! ```console
//! cargo run --release -p grease-explain --example compare_methods -- \
//!     --model DIR --users 60 --goal counterfactual --scope own --methods leave-one-out,grease,exact
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use grease_explain::{
    Candidates, Evicted, ExplainError, Explainer, Explanation, Goal, Items, Method, ProfileChoice, Scope,
    Status, Task, Who,
};
use grease_graph::{Edge, Edit, ItemId, Recommender, UserId, recommend, seed};
use grease_models::folder::ModelFolder;
use grease_models::{Kind, Model, Variant};
use grease_testing::slow::{Network, Slow};
use rayon::prelude::*;

/// What to compare.
struct Options {
    model: PathBuf,
    users: usize,
    /// Only users with at most this many interactions.
    max_user_degree: usize,
    /// Only items with at most this many interactions.
    max_item_degree: usize,
    k: usize,
    goal: Goal,
    scope: Scope,
    profile: ProfileChoice,
    methods: Vec<Method>,
    seed: u64,
    /// Re-check every verified explanation: graph rebuilt, everything propagated in `f64`.
    check: bool,
}

impl Options {
    fn parse() -> Result<Self, String> {
        let mut options = Self {
            model: PathBuf::new(),
            users: 60,
            max_user_degree: usize::MAX,
            max_item_degree: usize::MAX,
            k: 10,
            goal: Goal::Counterfactual,
            scope: Scope::Own,
            profile: ProfileChoice::Auto,
            methods: vec![Method::LeaveOneOut, Method::Grease],
            seed: 1,
            check: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(flag) = arguments.next() {
            if flag == "--check" {
                options.check = true;
                continue;
            }
            let value = arguments.next().ok_or(format!("{flag} needs a value"))?;
            let number = || value.parse::<usize>().map_err(|_| format!("{flag}: {value} is not a number"));
            let word = |words: &[&str]| {
                let place = words.iter().position(|word| *word == value);
                place.ok_or(format!("{flag}: expected one of {}", words.join(", ")))
            };
            match flag.as_str() {
                "--model" => options.model = PathBuf::from(&value),
                "--users" => options.users = number()?,
                "--max-user-degree" => options.max_user_degree = number()?,
                "--max-item-degree" => options.max_item_degree = number()?,
                "-k" => options.k = number()?,
                "--seed" => options.seed = number()? as u64,
                "--goal" => {
                    options.goal =
                        [Goal::Factual, Goal::Counterfactual][word(&["factual", "counterfactual"])?];
                }
                "--scope" => {
                    options.scope =
                        [Scope::Own, Scope::Target, Scope::Hops][word(&["own", "target", "hops"])?];
                }
                "--profile" => {
                    let choices = [ProfileChoice::Auto, ProfileChoice::Kept, ProfileChoice::Neutral];
                    options.profile = choices[word(&["auto", "kept", "neutral"])?];
                }
                "--methods" => {
                    let methods = value.split(',').map(str::parse);
                    options.methods = methods.collect::<Result<_, _>>().map_err(|e| format!("{e}"))?;
                }
                _ => return Err(format!("there is no option {flag}")),
            }
        }
        Ok(options)
    }
}

/// One pair as one method left it.
type Row = Result<Explanation, ExplainError>;

fn main() -> ExitCode {
    let result = Options::parse().and_then(|options| run(&options));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let folder = ModelFolder::load(&options.model).map_err(|error| error.to_string())?;
    let model = &Arc::new(folder.model);
    let users = people(options, model)?;
    println!(
        "{:>14} {:>9} {:>8} {:>6} {:>8} {:>8} {:>13} {:>12}",
        "method", "attempted", "verified", "share", "EC", "queries", "ms a list", "trivial"
    );
    let mut all: Vec<Vec<Explanation>> = Vec::new();
    for &method in &options.methods {
        let explainer = Explainer::new(model.clone(), method);
        let timed: Vec<(Vec<Row>, Duration)> = users
            .par_iter()
            .map(|(user, items)| {
                let task = Task {
                    scope: options.scope,
                    profile: options.profile,
                    seed: options.seed,
                    ..Task::new(Who::Known(*user), options.k)
                };
                let started = Instant::now();
                let rows = match explainer.explain(&task, &Items::These(items.clone()), &[options.goal]) {
                    Ok(found) => found.into_iter().map(Ok).collect(),
                    Err(error) => vec![Err(error)],
                };
                (rows, started.elapsed())
            })
            .collect();
        let mut times: Vec<Duration> = timed.iter().map(|(_, time)| *time).collect();
        times.sort();
        let rows: Result<Vec<Explanation>, ExplainError> =
            timed.into_iter().flat_map(|(rows, _)| rows).collect();
        let rows = rows.map_err(|error| error.to_string())?;
        report(method, &rows, times.get(times.len() / 2).copied().unwrap_or_default());
        if options.check {
            check(model, &rows);
        }
        all.push(rows);
    }
    compare(options, &all);
    Ok(())
}

/// Users at random, each with the items of their list that are wanted; users without any are passed over.
fn people(options: &Options, model: &dyn Recommender) -> Result<Vec<(UserId, Vec<ItemId>)>, String> {
    let graph = model.graph();
    let mut users: Vec<UserId> = (0..graph.users() as u32).map(UserId).collect();
    seed::shuffle(&mut seed::rng(options.seed, "users to compare on"), &mut users);
    let mut people = Vec::new();
    for user in users.into_iter().filter(|&user| graph.items_of(user).len() <= options.max_user_degree) {
        if people.len() == options.users {
            break;
        }
        let list = recommend(model, &Who::Known(user), options.k, &Candidates::default());
        let listed = list.map_err(|error| error.to_string())?.into_iter().map(|listed| listed.item);
        let wanted: Vec<ItemId> =
            listed.filter(|&item| graph.users_of(item).len() <= options.max_item_degree).collect();
        if !wanted.is_empty() {
            people.push((user, wanted));
        }
    }
    Ok(people)
}

fn report(method: Method, rows: &[Explanation], median: Duration) {
    let attempted = rows.len().max(1) as f32;
    let verified = || rows.iter().filter(|e| e.status() == Status::Verified);
    let edges: usize = verified().map(|e| e.edges().len()).sum();
    let trivial = rows.iter().filter(|e| e.status() == Status::Trivial).count();
    println!(
        "{method:>14} {:>9} {:>8} {:>6.3} {:>8.3} {:>8.1} {:>13.1} {trivial:>12}",
        rows.len(),
        verified().count(),
        verified().count() as f32 / attempted,
        edges as f32 / verified().count().max(1) as f32,
        rows.iter().map(|e| e.queries).sum::<f32>() / attempted,
        median.as_secs_f64() * 1e3
    );
    let judged = rows.iter().filter(|e| e.status() == Status::Refuted).count();
    if judged > 0 {
        println!("{:>14} found by its own judgement: {}", "", judged + verified().count());
    }
    let fidelities: Vec<f32> = rows.iter().filter_map(|e| e.surrogate?.fidelity).collect();
    if !fidelities.is_empty() {
        let mean = fidelities.iter().sum::<f32>() / fidelities.len() as f32;
        println!("{:>14} mean fidelity of the surrogate: {mean:.2}", "");
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().filter_map(|e| e.reason()).for_each(|r| *reasons.entry(r.code().as_str()).or_default() += 1);
    for (reason, count) in reasons {
        println!("{:>14} {count} {reason}", "");
    }
}

/// Counts the verified that hold by definition: rebuild, propagate, count who is ahead.
fn check(model: &Model, rows: &[Explanation]) {
    let graph = model.graph();
    let slow = slow(model);
    let verified: Vec<&Explanation> = rows.iter().filter(|e| e.status() == Status::Verified).collect();
    let holds = |e: &&&Explanation| {
        let cited: BTreeSet<Edge> = e.edges().iter().map(|cited| cited.edge).collect();
        let own = graph.items_of(e.user).iter().map(|&item| Edge::new(e.user.0, item));
        let of_item = graph.users_of(e.item).iter().map(|&user| Edge::new(user, e.item.0));
        let edit = match e.evicted {
            None => Edit::removing(cited),
            Some(Evicted::Own) => Edit::removing(own.filter(|edge| !cited.contains(edge))),
            Some(Evicted::Target) => Edit::removing(own.chain(of_item).filter(|edge| !cited.contains(edge))),
        };
        let scores = slow.clone().scores(e.user, e.profile, &edit);
        let candidate = |item: usize| graph.items_of(e.user).binary_search(&(item as u32)).is_err();
        let score = scores[e.item.row()];
        let ahead = (0..scores.len()).filter(|&item| candidate(item) && scores[item] > score).count();
        (ahead < e.k) == (e.goal == Goal::Factual)
    };
    let held = verified.par_iter().filter(holds).count();
    println!("{:>14} re-checked in f64: {held} of {} hold", "", verified.len());
}

/// The model straight from its formulas.
fn slow(model: &Model) -> Slow {
    let architecture = model.architecture();
    let network = match (architecture.kind, architecture.variant) {
        (Kind::LightGcn, _) => Network::LightGcn(architecture.layers),
        (Kind::Ngcf, Variant::NormalisedLayers) => Network::NgcfNormalised,
        (Kind::Ngcf, _) => Network::Ngcf,
        (Kind::Frozen, _) => unreachable!("nothing is computed for frozen embeddings"),
    };
    Slow::new(
        network,
        architecture.dim,
        model.graph(),
        model.weights().0.iter().map(|tensor| &tensor.data[..]),
    )
}

/// Edges on the pairs both solve: a weak method solves only easy pairs and looks cheap otherwise.
fn compare(options: &Options, all: &[Vec<Explanation>]) {
    let Some((last, others)) = all.split_last() else { return };
    let name = options.methods[others.len()];
    for (method, rows) in options.methods.iter().zip(others) {
        let (mut both, mut here, mut there) = (0, 0, 0);
        for (a, b) in rows.iter().zip(last) {
            if a.status() == Status::Verified && b.status() == Status::Verified {
                both += 1;
                here += a.edges().len();
                there += b.edges().len();
            }
        }
        let mean = |edges: usize| edges as f32 / both.max(1) as f32;
        println!(
            "{both} pairs both solve: {method} {:.3} edges, {name} {:.3}: {:.3}x",
            mean(here),
            mean(there),
            here as f32 / there.max(1) as f32
        );
    }
}
