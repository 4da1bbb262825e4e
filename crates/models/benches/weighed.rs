//! One step of whoever follows the gradient by interactions' weights: scores and gradient, for a person's own interactions and for those
//! and the best item's.
//!
//! `cargo bench -p grease-models --bench weighed -- --data FOLDER [--people 40 | --longest N] [--items 300] [--threads 2]`.
//! Medians over people of the median step; preparing a person for some items is timed beside it. Of the first few people (`--checked 2`)
//! scores and slopes are held to the formulas in double precision: the largest error, of the largest score and of the steepest slope.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::sync::Arc;

use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, UserId};
use grease_kernels::top_k;
use grease_models::{Architecture, Kind, Model};
use grease_testing::bench::{
    argument, data_folder, median, quantile, some_users, timed, training_graph, use_threads,
};
use grease_testing::slow::{Network, Slow};

/// Steps timed for one person.
const STEPS: usize = 25;

/// What one person's steps took, in microseconds.
struct Figures {
    prepare: f64,
    step: f64,
    interactions: f64,
    /// Of scores and slopes, where they are checked.
    errors: Option<[f64; 2]>,
}

fn main() {
    use_threads();
    let folder = data_folder();
    let (graph, _) = training_graph(&folder);
    let mut report = serde_json::Map::new();
    for kind in [Kind::LightGcn, Kind::Ngcf] {
        let architecture = Architecture::new(kind, argument("--layers", 3), argument("--dim", 64));
        let weights = architecture.initial_weights(&graph, 1);
        let model = Model::new(architecture, Arc::clone(&graph), weights).expect("fresh weights fit");
        let [own, target] = of_people(&model, &graph);
        for (scope, figures) in [("own", own), ("own_and_target", target)] {
            tell(&format!("weighed_{kind}_{scope}"), &figures, &mut report);
        }
    }
    println!("{}", serde_json::Value::Object(report));
}

/// Of each person's own interactions, and of those and their best item's.
fn of_people(model: &Model, graph: &Graph) -> [Vec<Figures>; 2] {
    let count = argument("--items", 300);
    let mut all = [Vec::new(), Vec::new()];
    for (at, &user) in people(graph).iter().enumerate() {
        let scores = model.scores(user).expect("a known user");
        let best = top_k(&scores, count, |item| !graph.has(Edge::new(user.0, item)));
        let items: Vec<ItemId> = best.iter().map(|ranked| ItemId(ranked.index)).collect();
        let own: Vec<Edge> = graph.items_of(user).iter().map(|&i| Edge::new(user.0, i)).collect();
        let both = with_target(graph, own.clone(), items[0]);
        for (edges, all) in [own, both].iter().zip(&mut all) {
            let mut figures = of_person(model, user, edges, &items);
            if (1..=argument("--checked", 2)).contains(&at) {
                figures.errors = Some(errors(model, user, edges, &items));
            }
            // The first warms up.
            if at > 0 {
                all.push(figures);
            }
        }
    }
    all
}

/// Some with a history of usual length, or those with the longest.
fn people(graph: &Graph) -> Vec<UserId> {
    let longest = argument("--longest", 0);
    if longest == 0 {
        return some_users(graph, argument("--people", 40) + 1, "weighed bench");
    }
    let mut people: Vec<UserId> = (0..graph.users() as u32).map(UserId).collect();
    people.sort_by_key(|&user| std::cmp::Reverse(graph.items_of(user).len()));
    people.truncate(longest + 1);
    people
}

/// Other people's interactions with an item, too.
fn with_target(graph: &Graph, mut edges: Vec<Edge>, item: ItemId) -> Vec<Edge> {
    edges.extend(graph.users_of(item).iter().map(|&user| Edge::new(user, item.0)));
    edges
}

fn weights_to_begin_with(edges: &[Edge]) -> Vec<f32> {
    (0..edges.len()).map(|at| 0.4 + 0.5 * (at % 7) as f32 / 7.0).collect()
}

fn of_person(model: &Model, user: UserId, edges: &[Edge], items: &[ItemId]) -> Figures {
    let none = Edit::none();
    let (prepare, weighed) = timed(|| model.weighed(user, Profile::Kept, &none, edges, items));
    let mut weighed = weighed.expect("a sound question").expect("models have gradients");
    let (mut scores, mut gradient) = (vec![0f32; items.len()], vec![0f32; edges.len()]);
    let mut weights = weights_to_begin_with(edges);
    let steps = (0..STEPS).map(|_| {
        let (seconds, ()) = timed(|| {
            weighed.score(&weights, &mut scores).expect("sound weights");
            weighed.gradient(&scores, &mut gradient).expect("asked before");
        });
        weights.iter_mut().zip(&gradient).for_each(|(w, g)| *w = (*w - 0.01 * g.signum()).clamp(0.05, 1.0));
        seconds * 1e6
    });
    let (step, interactions) = (median(steps.collect()), edges.len() as f64);
    Figures { step, prepare: prepare * 1e6, interactions, errors: None }
}

/// How far scores, and slopes by a few of the weights, are from those in double precision.
fn errors(model: &Model, user: UserId, edges: &[Edge], items: &[ItemId]) -> [f64; 2] {
    const H: f64 = 1e-4;
    let (none, profile) = (Edit::none(), Profile::Kept);
    let weighed = model.weighed(user, profile, &none, edges, items).expect("a sound question");
    let mut weighed = weighed.expect("models have gradients");
    let weights = weights_to_begin_with(edges);
    let (mut scores, mut gradient) = (vec![0f32; items.len()], vec![0f32; edges.len()]);
    weighed.score(&weights, &mut scores).expect("sound weights");
    // Slopes of both signs.
    let slopes: Vec<f32> = (0..items.len()).map(|at| if at % 3 == 0 { 1.0 } else { -0.4 }).collect();
    weighed.gradient(&slopes, &mut gradient).expect("asked before");
    let architecture = model.architecture();
    let network = match architecture.kind {
        Kind::LightGcn => Network::LightGcn(architecture.layers),
        _ => Network::Ngcf,
    };
    let tensors = || model.weights().0.iter().map(|tensor| &tensor.data[..]);
    let in_double = |moved: Option<(usize, f64)>| -> Vec<f64> {
        let mut weighed: Vec<(Edge, f64)> =
            edges.iter().copied().zip(weights.iter().map(|&w| f64::from(w))).collect();
        if let Some((at, by)) = moved {
            weighed[at].1 += by;
        }
        let slow = Slow::new(network, architecture.dim, model.graph(), tensors());
        let all = slow.weighed_scores(user, profile, &none, &weighed);
        items.iter().map(|item| all[item.row()]).collect()
    };
    let want = in_double(None);
    let far = want.iter().zip(&scores).map(|(want, &got)| (want - f64::from(got)).abs());
    let of_scores = far.fold(0.0, f64::max) / largest(want.iter().copied());
    let sum = |scores: Vec<f64>| -> f64 {
        scores.iter().zip(&slopes).map(|(score, &slope)| score * f64::from(slope)).sum()
    };
    let far = (0..edges.len()).step_by(edges.len().div_ceil(5)).map(|at| {
        let slope = (sum(in_double(Some((at, H)))) - sum(in_double(Some((at, -H))))) / (2.0 * H);
        (slope - f64::from(gradient[at])).abs()
    });
    [of_scores, far.fold(0.0, f64::max) / largest(gradient.iter().map(|&slope| f64::from(slope)))]
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| most.max(value.abs()))
}

fn tell(name: &str, figures: &[Figures], report: &mut serde_json::Map<String, serde_json::Value>) {
    let mut tell = |what: &str, share: f64, value: fn(&Figures) -> f64| {
        let all = figures.iter().map(value).collect();
        report.insert(format!("{name}_{what}"), quantile(all, share).into());
    };
    tell("interactions", 0.5, |f| f.interactions);
    tell("step_us", 0.5, |f| f.step);
    tell("step_us_p95", 0.95, |f| f.step);
    tell("prepare_us", 0.5, |f| f.prepare);
    tell("prepare_us_p95", 0.95, |f| f.prepare);
    for (at, what) in ["score_error", "slope_error"].into_iter().enumerate() {
        let of_checked = figures.iter().filter_map(|figures| figures.errors);
        report.insert(format!("{name}_{what}"), largest(of_checked.map(|errors| errors[at])).into());
    }
}
