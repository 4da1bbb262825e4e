//! What asking and explaining cost on planted graphs of any size, inside one process: for finding out where time goes.
//!
//! `cargo bench -p grease-explain --bench growth -- [--interactions 1000000] [--people 40] [--heavy 5] [--only KIND] [--threads 2]`, where
//! KIND is `list`, `what-if`, `own`, `target` or `heavy`. `cargo xtask bench growth` measures the command line.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::sync::Arc;

use grease_explain::{Candidates, Explainer, Goal, Items, Method, Scope, Status, Task, Who};
use grease_graph::{Graph, ItemId, Recommender, UserId, recommend, seed, what_if};
use grease_models::{Architecture, Kind, Model, Tensor, Weights};
use grease_testing::bench::{argument, median, peak_rss_mb, quantile, timed, use_threads};
use grease_testing::planted::Planted;
use serde_json::{Value, json};

/// Length of the lists explained.
const K: usize = 10;
/// Width of the embeddings.
const DIM: usize = 64;

fn main() {
    use_threads();
    let (made, model) = timed(|| planted(argument("--interactions", 1_000_000)));
    let graph = model.graph();
    println!(
        "{} users, {} items, {} interactions, made in {made:.1} s",
        graph.users(),
        graph.items(),
        graph.len()
    );
    let popular = (0..graph.items()).map(|item| graph.by_item().degree(item)).max();
    let busy = (0..graph.users()).map(|user| graph.by_user().degree(user)).max();
    println!("most popular {popular:?}, busiest {busy:?}");
    let output = timed(|| _ = model.output()).0;
    let (tables, _) = timed(|| model.closely(UserId(0), &vec![true; graph.items()]).is_some());
    println!("outputs {output:.2} s, tables {tables:.2} s, {:.0} MB", peak_rss_mb().unwrap_or_default());
    let people = people(graph, argument("--people", 40));
    let only: String = argument("--only", String::new());
    let mut figures = serde_json::Map::new();
    let mut measure = |name: &str, run: &dyn Fn() -> Value| {
        if only.is_empty() || only == name {
            let value = run();
            println!("{name}: {value}");
            figures.insert(name.to_owned(), value);
        }
    };
    measure("list", &|| times(&people, |user| _ = listed(&model, user)));
    measure("what-if", &|| times(&people, |user| imagined(&model, user)));
    measure("own", &|| explained(&model, &people, Scope::Own));
    measure("target", &|| {
        explained(&model, &people[..people.len().min(argument("--target", 8))], Scope::Target)
    });
    measure("heavy", &|| explained(&model, &busiest(graph, argument("--heavy", 5)), Scope::Own));
    figures.insert("peak_mb".into(), json!(peak_rss_mb()));
    println!("{}", Value::Object(figures));
}

fn planted(interactions: usize) -> Arc<Model> {
    let Planted { graph, users, items } = Planted::of(interactions, DIM, 1);
    let tensor = |name: &str, data: Vec<f32>| Tensor {
        name: name.into(),
        shape: [data.len() / DIM, DIM],
        data: data.into(),
    };
    let weights = Weights(vec![tensor("user_embedding", users), tensor("item_embedding", items)]);
    let architecture = Architecture::new(Kind::LightGcn, 3, DIM);
    Arc::new(Model::new(architecture, Arc::new(graph), weights).expect("tables of the graph's size"))
}

/// Some of those who have a few interactions.
fn people(graph: &Graph, many: usize) -> Vec<UserId> {
    let mut rng = seed::rng(1, "growth");
    let draw = || UserId(seed::below(&mut rng, graph.users() as u64) as u32);
    std::iter::repeat_with(draw).filter(|&user| graph.items_of(user).len() >= 5).take(many).collect()
}

/// Those who have most.
fn busiest(graph: &Graph, many: usize) -> Vec<UserId> {
    let mut all: Vec<UserId> = (0..graph.users() as u32).map(UserId).collect();
    all.sort_by_key(|&user| std::cmp::Reverse(graph.items_of(user).len()));
    all.truncate(many);
    all
}

fn listed(model: &Arc<Model>, user: UserId) -> Vec<ItemId> {
    let list = recommend(&**model, &Who::Known(user), K, &Candidates::default()).expect("a list");
    list.into_iter().map(|listed| listed.item).collect()
}

fn imagined(model: &Arc<Model>, user: UserId) {
    let first = ItemId(model.graph().items_of(user)[0]);
    what_if(&**model, &Who::Known(user), &[first], &[], K, &Candidates::default()).expect("an answer");
}

fn times(people: &[UserId], mut work: impl FnMut(UserId)) -> Value {
    work(people[0]);
    let before = busy_seconds();
    let seconds: Vec<f64> = people.iter().map(|&user| timed(|| work(user)).0).collect();
    let busy = (busy_seconds() - before) / people.len() as f64;
    json!({ "mean_busy_ms": busy * 1e3, "ms": median(seconds.clone()) * 1e3, "p95_ms": quantile(seconds.clone(), 0.95) * 1e3, "most_ms": quantile(seconds, 1.0) * 1e3 })
}

/// Seconds all threads have computed so far, where the system says: on a machine that does something else, too, more than a clock tells.
fn busy_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let ran = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    tasks.filter_map(ran).sum::<f64>() / 1e9
}

/// Everybody's list both ways.
fn explained(model: &Arc<Model>, people: &[UserId], scope: Scope) -> Value {
    let explainer = Explainer::new(model.clone(), Method::Grease);
    let (mut all, mut verified, mut history) = (0, 0, Vec::new());
    let work = || model.work().unwrap_or_default();
    let before = work();
    let mut times = times(people, |user| {
        let task = Task { scope, ..Task::new(Who::Known(user), K) };
        let goals = [Goal::Factual, Goal::Counterfactual];
        let found = explainer.explain(&task, &Items::List, &goals).expect("an explanation");
        all += found.len();
        verified += found.iter().filter(|found| found.status() == Status::Verified).count();
        history.push(model.graph().items_of(user).len() as f64);
        if argument("--each", false) {
            println!("{} {}", history[history.len() - 1], found.len());
        }
    });
    let after = work();
    times["verified"] = json!(verified as f64 / all as f64);
    times["history"] = json!([median(history.clone()), quantile(history, 1.0)]);
    times["work"] =
        json!([after.local - before.local, after.products - before.products, after.whole - before.whole]);
    times
}
