//! What whole lists rest on, checked from scratch in `f64`.

use std::sync::Arc;

use grease_explain::{
    Caps, Change, ExplainError, Explainer, ListExplanation, Method, ProfileChoice, Scope, Task, Who,
};
use grease_graph::{Edit, ItemId, Profile, Recommender, UserId};
use grease_models::Model;

use crate::support::{models, slow_scores};

fn list_after(model: &Model, user: UserId, edit: &Edit, k: usize) -> Vec<ItemId> {
    let scores = slow_scores(model, user, Profile::Kept, edit);
    let own = model.graph().items_of(user);
    let mut items: Vec<ItemId> =
        (0..scores.len() as u32).filter(|item| !own.contains(item)).map(ItemId).collect();
    items.sort_by(|a, b| scores[b.row()].total_cmp(&scores[a.row()]).then(a.cmp(b)));
    items.truncate(k);
    items
}

fn new_items(found: &ListExplanation, after: &[ItemId]) -> usize {
    after.iter().filter(|item| !found.before.contains(item)).count()
}

#[test]
fn so_much_of_the_list_is_another_and_nothing_can_be_spared() {
    let mut found_some = 0;
    for model in models() {
        let explainer = Explainer::new(Arc::new(model.clone()), Method::Grease);
        for (user, share) in (0..12).flat_map(|user| [0.2, 0.5, 1.0].map(|share| (UserId(user), share))) {
            let task = Task { caps: Caps::both(20), ..Task::new(Who::Known(user), 5) };
            let told = explainer.explain_list(&task, share).unwrap();
            assert_eq!(told.before, list_after(model, user, &Edit::none(), 5));
            let Some(found) = told.found() else { continue };
            found_some += 1;
            let edges: Vec<_> = found.edges().iter().map(|cited| cited.edge).collect();
            let is_own = |edge: &grease_graph::Edge| edge.user == user && model.graph().has(*edge);
            assert!(!edges.is_empty() && edges.iter().all(is_own));
            assert!(found.edges().iter().all(|cited| cited.change == Change::Removed));
            let after = list_after(model, user, &Edit::removing(edges.iter().copied()), 5);
            assert_eq!(found.after(), after);
            assert!(new_items(&told, &after) >= told.needed(), "{told:?}");
            for spared in (0..edges.len()).filter(|_| found.minimal() == Some(true)) {
                let rest = edges.iter().copied().enumerate().filter(|(at, _)| *at != spared);
                let after = list_after(model, user, &Edit::removing(rest.map(|(_, edge)| edge)), 5);
                assert!(
                    new_items(&told, &after) < told.needed(),
                    "{:?} can be spared: {told:?}",
                    edges[spared]
                );
            }
        }
    }
    assert!(found_some > 20, "{found_some}");
}

#[test]
fn more_of_the_list_takes_no_fewer_interactions_and_the_answer_is_the_same_each_time() {
    let explainer = Explainer::new(Arc::new(models()[0].clone()), Method::Grease);
    for user in 0..12 {
        let task = Task { caps: Caps::both(20), ..Task::new(Who::Known(UserId(user)), 5) };
        let size = |share| {
            let told = explainer.explain_list(&task, share).unwrap();
            assert_eq!(told, explainer.explain_list(&task, share).unwrap());
            told.found().map(|found| found.edges().len())
        };
        if let (Some(one), Some(most)) = (size(0.2), size(0.8)) {
            assert!(one <= most, "user {user}: {one} for a fifth, {most} for four fifths");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let explainer = Explainer::new(Arc::new(models()[0].clone()), Method::Grease);
    let task = Task::new(Who::Known(UserId(0)), 5);
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(matches!(explainer.explain_list(&task, share), Err(ExplainError::NoShare(_))), "{share}");
    }
    let wide = Task { scope: Scope::Target, ..task.clone() };
    assert_eq!(explainer.explain_list(&wide, 0.5), Err(ExplainError::ListBeyondOwn));
    let neutral = Task { profile: ProfileChoice::Neutral, ..task.clone() };
    assert_eq!(explainer.explain_list(&neutral, 0.5), Err(ExplainError::ListBeyondOwn));
    assert_eq!(explainer.explain_list(&Task { k: 0, ..task }, 0.5), Err(ExplainError::NoPlaces));
    let new = Task::new(Who::Newcomer(Vec::new()), 3);
    assert!(explainer.explain_list(&new, 0.5).unwrap().found().is_none(), "nothing can be left out");
}
