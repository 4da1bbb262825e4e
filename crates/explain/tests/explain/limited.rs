//! A recommender that can be asked about nothing but its own people's own histories.

use grease_explain::{ExplainError, Goal, Items, Method, ProfileChoice, Scope, Status, Task, Who};
use grease_graph::doubles::Limited;
use grease_graph::{Abilities, Edge, Edit, ItemId, Profile, Recommender, ScoreError, UserId};

use crate::support::{explain, models, slow_scores};

const K: usize = 4;

#[test]
fn its_lists_are_explained_with_what_it_has_learned_left_in_place() {
    let model = &models()[0];
    let limited = Limited { inner: model, abilities: Abilities::NONE };
    let goals = [Goal::Factual, Goal::Counterfactual, Goal::WhyNot];
    let mut verified = 0;
    for user in 0..12 {
        let task = Task::new(Who::Known(UserId(user)), K);
        let found = explain(&limited, Method::Grease, &task, &Items::List, &goals[..2]).unwrap();
        for explanation in &found {
            assert_eq!((explanation.profile, explanation.profile_share), (Profile::Kept, None));
            if explanation.status() != Status::Verified || explanation.goal != Goal::Counterfactual {
                continue;
            }
            verified += 1;
            let removed: Vec<Edge> = explanation.edges().iter().map(|cited| cited.edge).collect();
            let scores = slow_scores(model, UserId(user), Profile::Kept, &Edit::removing(removed));
            let history = model.graph().items_of(UserId(user));
            let above = (0..scores.len())
                .filter(|&item| !history.contains(&(item as u32)))
                .filter(|&item| scores[item] > scores[explanation.item.row()])
                .count();
            assert!(above >= K, "{explanation:?}");
        }
    }
    assert!(verified >= 5, "{verified}");
}

#[test]
fn what_it_cannot_be_asked_is_refused_as_such() {
    let limited = Limited { inner: &models()[1], abilities: Abilities::NONE };
    let known = Task::new(Who::Known(UserId(3)), K);
    let neutral = Task { profile: ProfileChoice::Neutral, ..known.clone() };
    let wide = Task { scope: Scope::Hops, ..known.clone() };
    let new = Task { who: Who::Newcomer(vec![ItemId(1)]), ..known };
    for (task, error) in
        [(neutral, ScoreError::NoNeutral), (wide, ScoreError::NoOthers), (new, ScoreError::NoNewcomers)]
    {
        let refused = explain(&limited, Method::Grease, &task, &Items::List, &[Goal::Counterfactual]);
        assert_eq!(refused, Err(ExplainError::Score(error)));
    }
}
