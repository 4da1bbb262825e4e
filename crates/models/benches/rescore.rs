//! Exact re-scoring of one user on edited graphs, against propagating all embeddings of the edited graph with the same kernel.
//!
//! `cargo bench -p grease-models --bench rescore -- --data FOLDER [--kind lightgcn] [--users 12] [--threads 2]`. The edited graph
//! is built before the clock starts, so the slow path is timed at its best. Relative error: max |difference| / max |score|.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::sync::Arc;

use grease_graph::{Edge, Edit, Profile, Recommender, UserId};
use grease_models::{Architecture, Kind, Model};
use grease_testing::bench::{
    argument, data_folder, leave_one_out, median, scores_of_all, some_users, timed, training_graph,
    use_threads,
};
use grease_testing::slow::{Network, Slow};

fn main() {
    use_threads();
    let folder = data_folder();
    let (graph, _) = training_graph(&folder);
    let kind: Kind = argument("--kind", Kind::LightGcn);
    let architecture = Architecture::new(kind, argument("--layers", 3), argument("--dim", 64));
    let weights = architecture.initial_weights(&graph, 1);
    let model = Model::new(architecture, Arc::clone(&graph), weights.clone()).expect("fresh weights fit");
    let users = some_users(&graph, argument("--users", 12) + 1, "rescore bench");

    let (mut slow, mut single, mut batched, mut error) = (Vec::new(), Vec::new(), Vec::new(), 0f64);
    let mut histories = Vec::new();
    // The first user warms up.
    for (at, &user) in users.iter().enumerate() {
        let edits = leave_one_out(&graph, user);
        let (seconds, all) = timed(|| scores_of_all(&model, user, &edits));
        let batch = seconds / edits.len() as f64;
        for (k, edit) in edits.iter().enumerate().take(3) {
            let (one, scores) = timed(|| model.scores_after(user, Profile::Kept, edit).expect("sound edit"));
            let rebuilt = Arc::new(graph.rebuilt(edit).expect("sound edit"));
            let other = Model::new(architecture, rebuilt, weights.clone()).expect("same shapes");
            let (full, reference) = timed(|| scores_by_embeddings(&other, user));
            error = error.max(relative_error(&scores, &reference));
            error = error.max(relative_error(&all[k * graph.items()..][..graph.items()], &reference));
            if at > 0 {
                single.push(one);
                slow.push(full);
            }
        }
        if at > 0 {
            batched.push(batch);
            histories.push(edits.len() as f64);
        }
    }
    let (slow, single, batched) = (median(slow), median(single), median(batched));
    let local = local(&model, argument("--people", 200));
    let data = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let json = serde_json::json!({
        "data": data, "kind": kind.to_string(), "median_history": median(histories),
        "repropagate_ms": slow * 1e3, "one_edit_ms": single * 1e3, "batched_edit_ms": batched * 1e3,
        "one_edit_times_faster": slow / single, "batched_edit_times_faster": slow / batched,
        "relative_error": error, "local_one_us": local.one, "local_set_of_10_us": local.ten, "local_keep_6_us": local.six,
        "batched_over_local": batched * 1e6 / local.one, "local_error_median": local.median_error,
        "local_error_worst": local.worst_error,
    });
    println!("{json}");
}

/// Scores of 300 contenders, looked at closely, on one thread.
#[derive(Default)]
struct LocalFigures {
    /// Microseconds an edit of a leave-one-out pass, preparing the person included: the median person's.
    one: f64,
    /// A set of ten taken away, after that.
    ten: f64,
    /// Six kept, profile neutral, preparing that included.
    six: f64,
    /// Against double precision, of the largest score.
    median_error: f64,
    worst_error: f64,
}

fn local(model: &Model, people: usize) -> LocalFigures {
    let graph = model.graph();
    if model.closely(UserId(0), &vec![true; graph.items()]).is_none() {
        return LocalFigures::default();
    }
    let (mut one, mut ten, mut six, mut errors) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, &user) in some_users(graph, people + 1, "local bench").iter().enumerate() {
        let checked = (1..=argument("--checked", 6)).contains(&at);
        let figures = of_person(model, user, checked);
        // The first warms up.
        if at > 0 {
            one.push(figures.0[0]);
            ten.push(figures.0[1]);
            six.push(figures.0[2]);
            errors.extend(figures.1);
        }
    }
    let worst_error = errors.iter().copied().fold(0.0, f64::max);
    LocalFigures {
        one: median(one),
        ten: median(ten),
        six: median(six),
        median_error: median(errors),
        worst_error,
    }
}

/// Microseconds an edit of each kind for one person, and how far scores are off where that is checked.
fn of_person(model: &Model, user: UserId, checked: bool) -> ([f64; 3], Vec<f64>) {
    const CONTENDERS: usize = 300;
    let graph = model.graph();
    let singles = leave_one_out(graph, user);
    let own: Vec<Edge> = singles.iter().map(|edit| edit.removed()[0]).collect();
    let candidates: Vec<bool> =
        (0..graph.items() as u32).map(|item| !graph.has(Edge::new(user.0, item))).collect();
    let scores = model.scores(user).expect("a known user");
    let best = grease_kernels::top_k(&scores, CONTENDERS, |item| candidates[item as usize]);
    let contenders: Vec<u32> = best.iter().map(|ranked| ranked.index).collect();
    let mut out = vec![0f32; contenders.len()];
    let tens: Vec<Edit> = (0..8)
        .map(|first| Edit::removing(own.iter().copied().cycle().skip(first).take(10.min(own.len()))))
        .collect();
    let all_but = |first: usize| {
        let places = own.iter().copied().enumerate();
        Edit::removing(places.filter(|(at, _)| !(first..first + 6).contains(at)).map(|(_, edge)| edge))
    };
    let sixes: Vec<Edit> = (0..8).map(all_but).collect();
    let (prepared, (mut close, panel)) = timed(|| {
        let mut close = model.closely(user, &candidates).expect("asked before");
        let panel = close.choose(&contenders).expect("items there are");
        (close, panel)
    });
    let mut ask = |profile: Profile, edits: &[Edit]| {
        let (seconds, ()) = timed(|| {
            edits.iter().for_each(|edit| close.score(profile, edit, panel, &mut out).expect("a sound edit"));
        });
        let mut errors = Vec::new();
        if checked {
            close.score(profile, &edits[0], panel, &mut out).expect("a sound edit");
            errors = errors_in_double(model, user, profile, &edits[0], &contenders, &out);
        }
        (seconds, errors)
    };
    let [one, ten, six] = [(Profile::Kept, &singles), (Profile::Kept, &tens), (Profile::Neutral, &sixes)]
        .map(|(profile, edits)| ask(profile, edits));
    let each = |seconds: f64, edits: &[Edit]| seconds / edits.len() as f64 * 1e6;
    let times = [each(prepared + one.0, &singles), each(ten.0, &tens), each(six.0, &sixes)];
    (times, [one.1, ten.1, six.1].concat())
}

/// How far each score is from that in double precision, as a share of the largest.
fn errors_in_double(
    model: &Model,
    user: UserId,
    profile: Profile,
    edit: &Edit,
    items: &[u32],
    got: &[f32],
) -> Vec<f64> {
    let architecture = model.architecture();
    let weights = model.weights().0.iter().map(|tensor| &tensor.data[..]);
    let network = Network::LightGcn(architecture.layers);
    let want = Slow::new(network, architecture.dim, model.graph(), weights).scores(user, profile, edit);
    let largest = want.iter().fold(0f64, |most, score| most.max(score.abs()));
    let error = |(&item, &got): (&u32, &f32)| (f64::from(got) - want[item as usize]).abs() / largest;
    items.iter().zip(got).map(error).collect()
}

/// All embeddings of the model's graph, then one user's scores.
fn scores_by_embeddings(model: &Model, user: UserId) -> Vec<f32> {
    let embeddings = model.output();
    let own = &embeddings.users[user.row() * embeddings.width..][..embeddings.width];
    embeddings
        .items
        .chunks_exact(embeddings.width)
        .map(|item| grease_kernels::dense::dot(own, item))
        .collect()
}

fn relative_error(got: &[f32], want: &[f32]) -> f64 {
    let largest = want.iter().fold(0f64, |m, v| m.max(f64::from(v.abs())));
    let difference = got.iter().zip(want).fold(0f64, |m, (g, w)| m.max(f64::from((g - w).abs())));
    difference / largest
}
