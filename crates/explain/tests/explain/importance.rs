//! How much each interaction matters, as methods say.

use std::sync::Arc;

use grease_explain::{Explainer, Goal, Items, Method, ProfileChoice, Scope, Task, Who};
use grease_graph::{Profile, Recommender, UserId};

use crate::support::{models, slow_scores};

/// Shares of the margin add up to what it loses without any interaction, which is worked out another way.
#[test]
fn shapley_shares_add_up_to_the_margin() {
    for model in models() {
        for (goal, profile) in [(Goal::Counterfactual, Profile::Kept), (Goal::Factual, Profile::Neutral)] {
            let task = Task::new(Who::Known(UserId(9)), 4);
            let explainer = Explainer::new(Arc::new(model.clone()), Method::Shapley);
            let of_all = explainer.importance(&task, &Items::List, goal).unwrap();
            assert_eq!(of_all.len(), 4);
            let history = model.graph().items_of(UserId(9));
            for (item, shares) in of_all {
                assert_eq!(shares.len(), history.len());
                assert!(
                    shares.windows(2).all(|two| two[0].share >= two[1].share),
                    "the most important come first"
                );
                let everything: Vec<_> = shares.iter().map(|of| of.edge).collect();
                let margin = |edit: &grease_graph::Edit| {
                    let scores = slow_scores(model, UserId(9), profile, edit);
                    let is_other =
                        |other: &usize| *other != item.row() && !history.contains(&(*other as u32));
                    let mut others: Vec<f64> =
                        (0..scores.len()).filter(is_other).map(|other| scores[other]).collect();
                    others.sort_by(|a, b| b.total_cmp(a));
                    scores[item.row()] - others[3]
                };
                let whole = margin(&grease_graph::Edit::none())
                    - margin(&grease_graph::Edit::removing(everything.iter().copied()));
                let sum: f64 = shares.iter().map(|of| f64::from(of.share)).sum();
                assert!((sum - whole).abs() < 1e-4, "{item:?}: {sum} instead of {whole}");
            }
        }
    }
}

#[test]
fn who_has_shares_tells_them_and_who_has_none_says_so() {
    let model = &models()[0];
    let task = Task::new(Who::Known(UserId(3)), 3);
    for method in Method::ALL {
        let explainer = Explainer::new(Arc::new(model.clone()), method);
        let told = explainer.importance(&task, &Items::List, Goal::Counterfactual);
        match method.has_shares() {
            true => {
                for (_, shares) in told.unwrap() {
                    assert!(shares.iter().all(|of| of.share.is_finite()), "{method}");
                    let least = shares.last().map_or(0.0, |of| of.share);
                    assert!(shares.len() < 2 || shares[0].share > least, "{method} tells nothing apart");
                }
            }
            false => assert!(told.unwrap_err().to_string().contains("does not say how much"), "{method}"),
        }
    }
    let neutral = Task { profile: ProfileChoice::Neutral, ..task };
    let explainer = Explainer::new(Arc::new(model.clone()), Method::Shapley);
    assert!(explainer.importance(&neutral, &Items::List, Goal::Factual).is_ok());
}

/// Each edge is asked about in sixteen sets: of a neighbourhood, which has hundreds even here, only sixty others are.
#[test]
fn shapley_asks_about_a_part_of_a_neighbourhood() {
    let model = &models()[0];
    let user = UserId(9);
    let task = Task { scope: Scope::Hops, ..Task::new(Who::Known(user), 4) };
    let explainer = Explainer::new(Arc::new(model.clone()), Method::Shapley);
    let found = explainer.explain(&task, &Items::List, &[Goal::Counterfactual]).unwrap();
    let sets = 16 * (model.graph().items_of(user).len() + 60);
    for explanation in &found {
        // To certify takes some more.
        assert!(explanation.queries < sets as f32 + 300.0, "{} for {sets} sets", explanation.queries);
    }
    assert!(found.iter().any(|explanation| explanation.queries > 300.0), "not looked at closely");
}
