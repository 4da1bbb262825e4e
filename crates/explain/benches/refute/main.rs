//! Whether double precision refutes anything that was called verified.
//!
//! `cargo bench -p grease-explain --bench refute -- --model FOLDER [--explanations 10000] [--prove 0] [--seed 1]`: lists of random people
//! are explained both ways, and every claim is checked on the edited graph by numbers that share nothing with the code that made it.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grease_explain::{Change, Explainer, Explanation, Goal, Items, Method, Minimum, Status, Task, Who};
use grease_graph::{Edge, Edit, Graph, Recommender, UserId, seed};
use grease_models::folder::ModelFolder;
use grease_testing::bench::argument;
use grease_testing::scalars::Scalars;
use rayon::prelude::*;
use serde_json::json;

const K: usize = 10;

fn main() {
    let folder: PathBuf = argument("--model", PathBuf::new());
    if folder.as_os_str().is_empty() {
        println!("skipped: --model FOLDER is needed");
        return;
    }
    let wanted: usize = argument("--explanations", 10_000);
    let ModelFolder { model, .. } = ModelFolder::load(&folder).expect("a model folder");
    let model = Arc::new(model);
    let mut people: Vec<u32> = (0..model.graph().users() as u32).collect();
    seed::shuffle(&mut seed::rng(argument("--seed", 1), "refute"), &mut people);
    let explainer = Explainer::new(model.clone(), Method::Grease);
    let [checked, refuted, ranks, proved] = [(); 4].map(|()| AtomicUsize::new(0));
    people.par_iter().for_each(|&user| {
        if checked.load(Ordering::Relaxed) >= wanted {
            return;
        }
        let task = Task { prove: argument("--prove", 0), ..Task::new(Who::Known(UserId(user)), K) };
        let goals = [Goal::Factual, Goal::Counterfactual];
        let found = explainer.explain(&task, &Items::List, &goals).expect("an explanation");
        for explanation in found.iter().filter(|found| found.status() == Status::Verified) {
            let rank = rank_in_double(&model, explanation);
            checked.fetch_add(1, Ordering::Relaxed);
            let holds = (rank <= K) == (explanation.goal == Goal::Factual);
            refuted.fetch_add(usize::from(!holds), Ordering::Relaxed);
            ranks.fetch_add(usize::from(Some(rank) != explanation.rank_after()), Ordering::Relaxed);
            proved.fetch_add(usize::from(explanation.minimum == Some(Minimum::Proved)), Ordering::Relaxed);
        }
    });
    let [checked, refuted, ranks, proved] = [checked, refuted, ranks, proved].map(AtomicUsize::into_inner);
    let work = model.work().unwrap_or_default();
    println!(
        "{}",
        json!({ "verified": checked, "refuted": refuted, "ranks_that_differ": ranks, "minimum_proved": proved,
            "local": work.local, "products": work.products, "whole": work.whole })
    );
}

/// The item's rank where the explanation applies.
fn rank_in_double(model: &grease_models::Model, explanation: &Explanation) -> usize {
    let graph: &Graph = model.graph();
    let cited: Vec<Edge> = explanation.edges().iter().map(|cited| cited.edge).collect();
    let own = graph.items_of(explanation.user).iter().map(|&item| Edge::new(explanation.user.0, item));
    let edit = match explanation.edges()[0].change {
        Change::Kept => Edit::removing(own.filter(|edge| !cited.contains(edge))),
        _ => Edit::removing(cited),
    };
    let (weights, architecture) = (model.weights(), model.architecture());
    let scalars = Scalars {
        graph,
        layers: architecture.layers,
        dim: architecture.dim,
        users: &weights.0[0].data,
        items: &weights.0[1].data,
    };
    let scores = scalars.scores(explanation.user, explanation.profile, &edit);
    let (item, score) = (explanation.item.row(), scores[explanation.item.row()]);
    let history = graph.items_of(explanation.user);
    let ahead =
        (0..graph.items()).filter(|&other| other != item && history.binary_search(&(other as u32)).is_err());
    1 + ahead.filter(|&other| scores[other] > score || (scores[other] == score && other < item)).count()
}
