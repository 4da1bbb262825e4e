//! LastFM, where it is at hand; its terms keep it out of the repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use grease_explain::{Explainer, Goal, Items, Method, Scope, Status, Task, Who};
use grease_graph::read::{ReadOptions, read};
use grease_graph::{Edit, Graph, ItemId, Profile, Recommender, Split, UserId, recommend};
use grease_models::train::{TrainOptions, Trainer};

use crate::audit::Auditor;
use crate::support::slow_scores;

/// The folder of the data set, or `None` with a line that says the test was skipped.
fn lastfm() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("GREASE_DATA").map_or_else(beside, PathBuf::from).join("lastfm");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no {} (set GREASE_DATA to the folder of data sets)", folder.display());
    None
}

#[test]
fn what_is_verified_about_lastfm_holds_on_the_rebuilt_graph() {
    let Some(folder) = lastfm() else { return };
    let (data, _) = read(&folder, &ReadOptions::default()).unwrap();
    let split = Split::of(&data, 0.8, 1);
    let graph = Graph::new(data.users.len(), data.items.len(), &split.train).unwrap();
    let options =
        TrainOptions { layers: 2, dim: 16, epochs: 12, learning_rate: 0.01, ..TrainOptions::default() };
    let mut trainer = Trainer::new(Arc::new(graph), Vec::new(), options).unwrap();
    trainer.run(&mut ()).unwrap();
    let model = trainer.model();
    let truth = |user: UserId, profile: Profile, edit: &Edit| slow_scores(&model, user, profile, edit);
    let explainer = Explainer::new(Arc::new(model.clone()), Method::Grease);
    let mut verified = 0;
    for (user, scope) in [(17, Scope::Own), (900, Scope::Target)] {
        let task = Task { scope, ..Task::new(Who::Known(UserId(user)), 4) };
        let list = recommend(&model, &task.who, task.k, &task.candidates).unwrap();
        let list: Vec<ItemId> = list.iter().map(|listed| listed.item).collect();
        let auditor =
            Auditor { graph: model.graph(), task: &task, together: &list, truth: &truth, rounding: 1e-5 };
        for e in explainer.explain(&task, &Items::List, &[Goal::Counterfactual, Goal::Factual]).unwrap() {
            auditor.check(&e);
            verified += usize::from(e.status() == Status::Verified);
        }
    }
    assert!(verified >= 4, "only {verified} of 16 verified");
}
