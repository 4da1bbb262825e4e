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
    const CONTENDERS: usize = 300;
    let graph = model.graph();
    if model.closely(UserId(0), &vec![true; graph.items()]).is_none() {
        return LocalFigures::default();
    }
    let (mut one, mut ten, mut six, mut errors) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, &user) in some_users(graph, people + 1, "local bench").iter().enumerate() {
        let edits = leave_one_out(graph, user);
        let own: Vec<Edge> = edits.iter().map(|edit| edit.removed()[0]).collect();
        let candidates: Vec<bool> =
            (0..graph.items() as u32).map(|item| !graph.has(Edge::new(user.0, item))).collect();
        let scores = model.scores(user).expect("a known user");
        let best = grease_kernels::top_k(&scores, CONTENDERS, |item| candidates[item as usize]);
        let contenders: Vec<u32> = best.iter().map(|ranked| ranked.index).collect();
        let mut out = vec![0f32; contenders.len()];
        let mut close = model.closely(user, &candidates).expect("asked above");
        let (seconds, panel) = timed(|| {
            // Prepared anew: the first was not on the clock.
            close = model.closely(user, &candidates).expect("asked above");
            let panel = close.choose(&contenders).expect("items there are");
            for edit in &edits {
                close.score(Profile::Kept, edit, panel, &mut out).expect("a sound edit");
            }
            panel
        });
        let sets: Vec<Edit> = (0..8)
            .map(|first| Edit::removing(own.iter().copied().cycle().skip(first).take(10.min(own.len()))))
            .collect();
        let (of_ten, ()) = timed(|| {
            sets.iter()
                .for_each(|edit| close.score(Profile::Kept, edit, panel, &mut out).expect("a sound edit"));
        });
        let kept: Vec<Edit> = (0..8)
            .map(|first| {
                Edit::removing(
                    own.iter()
                        .copied()
                        .enumerate()
                        .filter(|(k, _)| !(first..first + 6).contains(k))
                        .map(|(_, e)| e),
                )
            })
            .collect();
        let (of_six, ()) = timed(|| {
            kept.iter()
                .for_each(|edit| close.score(Profile::Neutral, edit, panel, &mut out).expect("a sound edit"));
        });
        if at == 0 {
            continue;
        }
        one.push(seconds / edits.len() as f64 * 1e6);
        ten.push(of_ten / sets.len() as f64 * 1e6);
        six.push(of_six / kept.len() as f64 * 1e6);
        if at <= argument("--checked", 6) {
            let asked = [(Profile::Kept, &edits[0]), (Profile::Kept, &sets[0]), (Profile::Neutral, &kept[0])];
            for (profile, edit) in asked {
                close.score(profile, edit, panel, &mut out).expect("a sound edit");
                errors.extend(errors_in_double(model, user, profile, edit, &contenders, &out));
            }
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
