//! Exact re-scoring of one user on edited graphs, against propagating all embeddings of the edited graph with the same kernel.
//!
//! `cargo bench -p grease-models --bench rescore -- --data FOLDER [--kind lightgcn] [--users 12] [--threads 2]`. The edited graph
//! is built before the clock starts, so the slow path is timed at its best. Relative error: max |difference| / max |score|.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::sync::Arc;

use grease_graph::{Profile, Recommender, UserId};
use grease_models::{Architecture, Kind, Model};
use grease_testing::bench::{
    argument, data_folder, leave_one_out, median, scores_of_all, some_users, timed, training_graph,
    use_threads,
};

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
    let data = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let json = serde_json::json!({
        "data": data, "kind": kind.to_string(), "median_history": median(histories),
        "repropagate_ms": slow * 1e3, "one_edit_ms": single * 1e3, "batched_edit_ms": batched * 1e3,
        "one_edit_times_faster": slow / single, "batched_edit_times_faster": slow / batched,
        "relative_error": error,
    });
    println!("{json}");
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
