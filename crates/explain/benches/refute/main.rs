//! Whether double precision refutes anything that was called verified.
//!
//! `cargo bench -p grease-explain --bench refute -- --model FOLDER [--explanations 10000] [--prove 0] [--seed 1]`: lists of random people
//! are explained both ways and both ways at once, and every claim, those made instead of an answer too, is checked on the edited graph by numbers that share nothing with the code that made it.

#![allow(clippy::print_stdout, reason = "a bench program reports on stdout")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grease_explain::{
    Change, Cited, Explainer, Explanation, Goal, Items, Method, Minimum, Outcome, Task, Who,
};
use grease_graph::{Edge, Edit, Graph, Profile, Recommender, UserId, seed};
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
    let [checked, refuted, ranks, proved, instead] = [(); 5].map(|()| AtomicUsize::new(0));
    people.par_iter().for_each(|&user| {
        if checked.load(Ordering::Relaxed) >= wanted {
            return;
        }
        let task = Task { prove: argument("--prove", 0), ..Task::new(Who::Known(UserId(user)), K) };
        let goals = [Goal::Factual, Goal::Counterfactual, Goal::Joint];
        let found = explainer.explain(&task, &Items::List, &goals).expect("an explanation");
        for explanation in &found {
            for claim in claims(explanation) {
                let rank = rank_in_double(&model, explanation, &claim);
                checked.fetch_add(1, Ordering::Relaxed);
                refuted.fetch_add(usize::from((rank <= K) != claim.is_in), Ordering::Relaxed);
                ranks.fetch_add(usize::from(rank != claim.rank), Ordering::Relaxed);
            }
            proved.fetch_add(usize::from(explanation.minimum == Some(Minimum::Proved)), Ordering::Relaxed);
            instead.fetch_add(usize::from(explanation.instead.is_some()), Ordering::Relaxed);
        }
    });
    let [checked, refuted, ranks, proved, instead] =
        [checked, refuted, ranks, proved, instead].map(AtomicUsize::into_inner);
    let work = model.work().unwrap_or_default();
    println!(
        "{}",
        json!({ "claims": checked, "instead": instead, "refuted": refuted, "ranks_that_differ": ranks, "minimum_proved": proved,
            "local": work.local, "products": work.products, "whole": work.whole })
    );
}

/// That an item is on the list, or off it, at a rank, with these edges alone or without them.
struct Claim {
    edges: Vec<Edge>,
    profile: Profile,
    is_in: bool,
    rank: usize,
}

/// All that an explanation says.
fn claims(explanation: &Explanation) -> Vec<Claim> {
    let claim = |cited: &[Cited], profile: Profile, rank: usize| Claim {
        edges: cited.iter().map(|cited| cited.edge).collect(),
        profile,
        is_in: cited.first().is_some_and(|cited| cited.change == Change::Kept),
        rank,
    };
    let mut claims = Vec::new();
    if let Outcome::Verified(found) = explanation.outcome() {
        claims.push(claim(found.edges(), explanation.profile, found.rank_after()));
        if let Some((rank, _)) = found.alone() {
            claims.push(Claim { is_in: true, ..claim(found.edges(), Profile::Neutral, rank) });
        }
    }
    // The parts of both at once, and what is told in their place, were told for the goals themselves.
    if let Some(instead) = explanation.instead.as_ref().filter(|_| explanation.goal != Goal::Joint) {
        let told = instead.certificate();
        claims.push(claim(told.edges(), instead.profile, told.rank_after()));
    }
    claims
}

/// The item's rank where the claim applies.
fn rank_in_double(model: &grease_models::Model, explanation: &Explanation, claim: &Claim) -> usize {
    let graph: &Graph = model.graph();
    let own = graph.items_of(explanation.user).iter().map(|&item| Edge::new(explanation.user.0, item));
    let edit = match claim.is_in {
        true => Edit::removing(own.filter(|edge| !claim.edges.contains(edge))),
        false => Edit::removing(claim.edges.iter().copied()),
    };
    let (weights, architecture) = (model.weights(), model.architecture());
    let scalars = Scalars {
        graph,
        layers: architecture.layers,
        dim: architecture.dim,
        users: &weights.0[0].data,
        items: &weights.0[1].data,
    };
    let scores = scalars.scores(explanation.user, claim.profile, &edit);
    let (item, score) = (explanation.item.row(), scores[explanation.item.row()]);
    let history = graph.items_of(explanation.user);
    let ahead =
        (0..graph.items()).filter(|&other| other != item && history.binary_search(&(other as u32)).is_err());
    1 + ahead.filter(|&other| scores[other] > score || (scores[other] == score && other < item)).count()
}
