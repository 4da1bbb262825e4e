//! A list as it would be, on a trained model.

use grease::graph::doubles::FromAfar;
use grease::graph::{Edge, Edit, ItemId, Moved, Profile, Recommender, ScoreError, UserId};
use grease::{Candidates, Question, Subject, WhatIfError, Who, recommend, what_if};
use grease_testing::folder;

#[test]
fn lists_are_those_recommended_and_ranks_those_explanations_speak_of() {
    let model = &folder().model;
    let (who, all) = (Who::Known(UserId(3)), Candidates::default());
    let history = who.history(model.graph());
    let gone = ItemId(history[0]);
    let imagined = what_if(model, &who, &[gone], &[], 6, &all).unwrap();
    let list: Vec<ItemId> =
        recommend(model, &who, 6, &all).unwrap().iter().map(|listed| listed.item).collect();
    assert_eq!(imagined.before.iter().map(|moved| moved.item).collect::<Vec<_>>(), list);
    let edit = Edit::removing([Edge { user: UserId(3), item: gone }]);
    let scores = model.scores_after(UserId(3), Profile::Kept, &edit).unwrap();
    for moved in &imagined.after {
        let above = (0..scores.len() as u32)
            .filter(|row| !history.contains(row))
            .filter(|&row| scores[row as usize] > scores[moved.item.row()])
            .count();
        assert_eq!(moved.rank_after, Some(above + 1));
    }
    assert!(imagined.after.iter().all(|moved| moved.item != gone));
}

#[test]
fn what_is_added_is_history_and_not_listed() {
    let model = &folder().model;
    let (who, all) = (Who::Known(UserId(3)), Candidates::default());
    let first = recommend(model, &who, 1, &all).unwrap()[0].item;
    let imagined = what_if(model, &who, &[], &[first, first], 5, &all).unwrap();
    assert_eq!(imagined.before[0].item, first);
    assert_eq!(imagined.before[0].rank_after, None);
    assert!(imagined.after.iter().all(|moved| moved.item != first));
    let new = what_if(model, &Who::Newcomer(vec![first]), &[first], &[], 5, &all).unwrap();
    assert_eq!(new.after.len(), 5, "a newcomer who brings nothing has a list too");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let model = &folder().model;
    let (who, all) = (Who::Known(UserId(3)), Candidates::default());
    let own = ItemId(who.history(model.graph())[0]);
    let first = recommend(model, &who, 1, &all).unwrap()[0].item;
    assert_eq!(what_if(model, &who, &[first], &[], 5, &all), Err(WhatIfError::NotThere(first)));
    assert_eq!(what_if(model, &who, &[], &[own], 5, &all), Err(WhatIfError::AlreadyThere(own)));
    let subject = Subject::from(folder().clone());
    let question = Question::of(subject.data().users.id(3));
    let name = subject.data().items.name(first.0).to_owned();
    let refusal = subject.what_if(&question, std::slice::from_ref(&name), &[]).unwrap_err();
    assert!(refusal.said().starts_with(&name), "{refusal}");
    let outside = what_if(model, &who, &[], &[ItemId(9999)], 5, &all);
    assert!(matches!(outside, Err(WhatIfError::Score(ScoreError::Edit(_)))), "{outside:?}");
}

/// Looked at closely, ranks and lists are those of all scores.
#[test]
fn a_close_look_says_what_all_scores_say() {
    let model = &folder().model;
    let (all, afar) = (Candidates::default(), FromAfar(model.clone()));
    let graph = model.graph();
    for user in (0..graph.users() as u32).step_by(3) {
        let who = Who::Known(UserId(user));
        let history = who.history(graph);
        let Some((&first, rest)) = history.split_first() else { continue };
        let new = recommend(model, &who, 1, &all).unwrap()[0].item;
        let gone: Vec<ItemId> = rest.iter().map(|&item| ItemId(item)).collect();
        for (remove, add) in [(vec![ItemId(first)], vec![]), (gone, vec![new]), (vec![], vec![new])] {
            let near = what_if(model, &who, &remove, &add, 7, &all).unwrap();
            let far = what_if(&afar, &who, &remove, &add, 7, &all).unwrap();
            for (near, far) in [(&near.before, &far.before), (&near.after, &far.after)] {
                assert_eq!(near.len(), far.len());
                for (near, far) in near.iter().zip(far) {
                    let places = |moved: &Moved| (moved.item, moved.rank_before, moved.rank_after);
                    assert_eq!(places(near), places(far));
                    assert!((near.score_after - far.score_after).abs() < 1e-5);
                    assert_eq!(near.score_before, far.score_before);
                }
            }
        }
    }
}
