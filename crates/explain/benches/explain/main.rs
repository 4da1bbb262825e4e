//! How long explaining takes: whole lists from a person's own interactions, and pairs from a neighbourhood with the surrogate.
//!
//! `cargo bench -p grease-explain --bench explain -- --model FOLDER [--users 24] [--hop-users 8] [--hubs 5] [--pairs 3] [--dump FOLDER]`;
//! `cargo xtask bench explain` trains the models and sets the figures beside PyTorch. Everything is timed on one thread, lists on two
//! as well. With `--dump`,
//! what `bench/torch_explain.py` needs to explain the first `--pairs` pairs itself is written there.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

mod dump;

use std::path::PathBuf;
use std::sync::Arc;

use grease_explain::{
    Candidates, Explainer, Explanation, Goal, Items, Method, Minimum, Scope, Status, Task, Who,
};
use grease_graph::doubles::{Counted, FromAfar};
use grease_graph::{Graph, ItemId, Profile, Recommender, UserId};
use grease_models::Model;
use grease_models::folder::ModelFolder;
use grease_testing::bench::{
    argument, leave_one_out, median, peak_rss_mb, quantile, scores_of_all, some_users, timed,
};
use serde_json::{Value, json};

/// Length of the lists explained.
const K: usize = 10;
/// Places of a list whose items are explained by pairs; the first comes first for all users, then the second.
const PLACES: [usize; 3] = [5, 10, 1];
/// Single edits of each user that are timed alone.
const ALONE: usize = 5;

fn main() {
    let folder: PathBuf = argument("--model", PathBuf::new());
    if folder.as_os_str().is_empty() {
        println!("skipped: --model FOLDER is needed; `cargo xtask bench explain` trains the models");
        return;
    }
    let [one, two] =
        [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool of threads"));
    let ModelFolder { manifest, model, .. } = ModelFolder::load(&folder).expect("a model folder");
    let model = Arc::new(model);
    let loaded = peak_rss_mb();
    let users = some_users(model.graph(), argument("--users", 24), "explain bench");
    // First, so that the peak of memory is that of this scope.
    let pairs = pairs(&model, &users[..users.len().min(argument("--hop-users", 8))]);
    let hops = one.install(|| hops(&model, &pairs));
    let hops_peak = peak_rss_mb();
    let by_paper = one.install(|| by_paper(&model, shown(&pairs)));
    let own = one.install(|| own(&model, &users));
    let close = one.install(|| side_by_side(&model));
    let with_two = two.install(|| {
        let explainer = Explainer::new(model.clone(), Method::Grease);
        users.iter().map(|&user| timed(|| explain_list(&explainer, user)).0).collect()
    });
    let json = json!({
        "kind": manifest.kind.to_string(), "epochs": manifest.hyper_parameters.map(|set| set.epochs), "k": K, "threads": 1,
        "own": own, "close": close, "own_list_two_threads_ms": median(with_two) * 1e3, "hops": hops, "paper_shown_seconds": by_paper, "loaded_mb": loaded,
        "hops_peak_mb": hops_peak, "peak_mb": peak_rss_mb(),
    });
    println!("{json}");
}

/// A whole list from own interactions, both ways.
fn explain_list(explainer: &Explainer, user: UserId) -> Vec<Explanation> {
    let task = Task::new(Who::Known(user), K);
    explainer.explain(&task, &Items::List, &[Goal::Factual, Goal::Counterfactual]).expect("an explanation")
}

/// Whole lists as they are explained, and by a model that cannot be looked at closely: the same people, one after the other.
fn side_by_side(model: &Arc<Model>) -> Value {
    if argument("--people", 60) == 0 {
        return Value::Null;
    }
    let people = some_users(model.graph(), argument("--people", 60), "side by side");
    let [close, afar] = [model.clone() as Arc<dyn Recommender>, Arc::new(FromAfar(model.clone()))]
        .map(|recommender| Explainer::new(recommender, Method::Grease));
    let figures = |explainer: &Explainer, prove: usize, users: &[UserId]| {
        explain_list(explainer, users[0]);
        let mut spent = Spent::default();
        let (mut found, mut named, mut proved, mut factual) = (0, 0, 0, 0);
        for &user in users {
            let list = spent.on(|| {
                let task = Task { prove, ..Task::new(Who::Known(user), K) };
                let goals = [Goal::Factual, Goal::Counterfactual];
                explainer.explain(&task, &Items::List, &goals).expect("an explanation")
            });
            for one in list.iter().filter(|one| one.status() == Status::Verified) {
                match one.goal {
                    Goal::Factual => factual += 1,
                    _ => {
                        found += 1;
                        named += one.edges().len();
                        proved += usize::from(one.minimum == Some(Minimum::Proved));
                    }
                }
            }
        }
        let per = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        json!({
            "list_ms": median(spent.seconds.clone()) * 1e3, "list_p95_ms": quantile(spent.seconds.clone(), 0.95) * 1e3,
            "verified_a_second": spent.verified as f64 / spent.seconds.iter().sum::<f64>(), "factual": factual,
            "counterfactual": found, "ec": per(named, found), "proved": per(proved, found),
        })
    };
    let work = || model.work().unwrap_or_default();
    let before = work();
    let here = figures(&close, 0, &people);
    let after = work();
    json!({
        "close": here, "afar": figures(&afar, 0, &people[..people.len().min(argument("--afar", 60))]),
        "proving": figures(&close, argument("--prove", 10_000), &people),
        "work": { "local": after.local - before.local, "products": after.products - before.products, "whole": after.whole - before.whole },
    })
}

/// Whole lists, and the re-scoring they consist of.
fn own(model: &Arc<Model>, users: &[UserId]) -> Value {
    let counted = Arc::new(Counted::new(FromAfar(model.clone())));
    let explainer = Explainer::new(counted.clone(), Method::Grease);
    // Warms up.
    explain_list(&explainer, users[0]);
    let mut spent = Spent::default();
    let (mut queries, mut asking, mut seconds_alone, mut seconds_batched) = (0, 0.0, 0.0, 0.0);
    let (mut alone, mut batched, mut histories) = (Vec::new(), Vec::new(), Vec::new());
    for &user in users {
        counted.take();
        spent.on(|| explain_list(&explainer, user));
        let asked = counted.take();
        queries += asked.edits;
        asking += asked.took.as_secs_f64();

        let edits = leave_one_out(model.graph(), user);
        let (together, _) = timed(|| scores_of_all(model, user, &edits));
        batched.push(together / edits.len() as f64);
        let single = edits
            .iter()
            .take(ALONE)
            .map(|edit| timed(|| model.scores_after(user, Profile::Kept, edit).expect("a sound edit")).0);
        alone.push(median(single.collect()));
        histories.push(edits.len() as f64);
        seconds_alone += asked.edits as f64 * alone[alone.len() - 1];
        seconds_batched += asked.edits as f64 * batched[batched.len() - 1];
    }
    let total: f64 = spent.seconds.iter().sum();
    json!({
        "lists": users.len(), "median_history": median(histories), "list_ms": median(spent.seconds.clone()) * 1e3,
        "list_p95_ms": quantile(spent.seconds.clone(), 0.95) * 1e3, "total_seconds": total, "queries": queries,
        "queries_a_list": queries as f64 / users.len() as f64, "seconds_asking": asking,
        "one_edit_ms": median(alone) * 1e3, "batched_edit_ms": median(batched) * 1e3,
        "total_to_queries_alone": total / seconds_alone, "total_to_queries_batched": total / seconds_batched,
        "explanations": spent.explanations, "verified": spent.verified,
    })
}

/// Some places of each user's list.
fn pairs(model: &dyn Recommender, users: &[UserId]) -> Vec<(UserId, ItemId)> {
    let lists: Vec<_> = users.iter().map(|&user| (user, list(model, user))).collect();
    let places =
        PLACES.iter().flat_map(|place| lists.iter().map(move |(user, list)| (*user, list.get(place - 1))));
    places.filter_map(|(user, item)| Some((user, *item?))).collect()
}

/// Those that PyTorch explains too.
fn shown(pairs: &[(UserId, ItemId)]) -> &[(UserId, ItemId)] {
    &pairs[..pairs.len().min(argument("--pairs", 3))]
}

/// Seconds these pairs take by the paper's algorithm as it is, for the comparison with itself in another language.
fn by_paper(model: &Arc<Model>, pairs: &[(UserId, ItemId)]) -> Vec<f64> {
    let explainer = Explainer::new(model.clone(), Method::Paper);
    pairs.iter().map(|&pair| timed(|| explain_pair(&explainer, pair)).0).collect()
}

/// One item from the neighbourhood of person and item.
fn explain_pair(explainer: &Explainer, (user, item): (UserId, ItemId)) -> Vec<Explanation> {
    let task = Task { scope: Scope::Hops, ..Task::new(Who::Known(user), K) };
    explainer.explain(&task, &Items::These(vec![item]), &[Goal::Counterfactual]).expect("an explanation")
}

/// Pairs of a person and an item, each explained by itself from the neighbourhood of both.
fn hops(model: &Arc<Model>, pairs: &[(UserId, ItemId)]) -> Value {
    let graph = model.graph();
    let counted = Arc::new(Counted::new(model.clone()));
    let hubs = hub_pairs(model, argument("--hubs", 5));
    let shown = shown(pairs);
    let to: PathBuf = argument("--dump", PathBuf::new());
    if !to.as_os_str().is_empty() {
        dump::write(&to, model, shown, K).expect("a writable folder");
    }

    let explainer = Explainer::new(counted.clone(), Method::Grease);
    let explain = |pair: &(UserId, ItemId)| explain_pair(&explainer, *pair);
    // What is made once for the recommender is made for the first pair; the same pair again shows how much that was.
    let first = timed(|| explain(&pairs[0])).0;
    let again = timed(|| explain(&pairs[0])).0;
    let (mut spent, mut on_hubs) = (Spent::default(), Spent::default());
    counted.take();
    pairs.iter().for_each(|pair| _ = spent.on(|| explain(pair)));
    let asked = counted.take();
    let (queries, asking) = (asked.edits, asked.took.as_secs_f64());
    hubs.iter().for_each(|pair| _ = on_hubs.on(|| explain(pair)));
    let hub = |(&(user, item), &seconds): (&(UserId, ItemId), &f64)| json!({ "history": graph.items_of(user).len(), "degree": graph.users_of(item).len(), "seconds": seconds });
    json!({
        "pairs": pairs.len(), "pair_seconds": median(spent.seconds.clone()),
        "pair_worst_seconds": quantile(spent.seconds.clone(), 1.0), "total_seconds": spent.seconds.iter().sum::<f64>(),
        "once_seconds": (first - again).max(0.0), "queries_a_pair": queries as f64 / pairs.len() as f64,
        "seconds_asking": asking, "explanations": spent.explanations, "verified": spent.verified,
        "with_surrogate": spent.surrogates, "hubs": hubs.iter().zip(&on_hubs.seconds).map(hub).collect::<Vec<_>>(),
        "hub_worst_seconds": quantile(on_hubs.seconds, 1.0),
        "shown_seconds": spent.seconds[..shown.len()],
    })
}

fn list(model: &dyn Recommender, user: UserId) -> Vec<ItemId> {
    let list = grease_graph::recommend(model, &Who::Known(user), K, &Candidates::default()).expect("a list");
    list.iter().map(|listed| listed.item).collect()
}

/// The users with the largest histories, each with the item of their list that most people interacted with.
fn hub_pairs(model: &dyn Recommender, n: usize) -> Vec<(UserId, ItemId)> {
    let graph: &Graph = model.graph();
    let mut users: Vec<UserId> = (0..graph.users() as u32).map(UserId).collect();
    users.sort_by_key(|&user| std::cmp::Reverse(graph.items_of(user).len()));
    let hub = |&user: &UserId| {
        let item = list(model, user).into_iter().max_by_key(|&item| graph.users_of(item).len())?;
        Some((user, item))
    };
    users.iter().take(n).filter_map(hub).collect()
}

/// Times, and what was found in them: a search that gives up is fast.
#[derive(Default)]
struct Spent {
    seconds: Vec<f64>,
    explanations: usize,
    verified: usize,
    /// Explanations a surrogate was fitted for.
    surrogates: usize,
}

impl Spent {
    fn on(&mut self, explain: impl FnOnce() -> Vec<Explanation>) -> Vec<Explanation> {
        let (seconds, found) = timed(explain);
        self.seconds.push(seconds);
        self.explanations += found.len();
        self.verified += found.iter().filter(|found| found.status() == Status::Verified).count();
        self.surrogates += found.iter().filter(|found| found.neighbourhood.is_some()).count();
        found
    }
}
