//! Method `paper`: what can be set does something, and what cannot be run is refused.

use std::sync::Arc;

use grease_explain::{
    Explainer, Explanation, Goal, Items, Method, PaperFeatures, PaperFit, PaperLoss, PaperOptions,
    PaperRivals, Scope, Task, Who,
};
use grease_graph::{ItemId, UserId};

use crate::support::models;

const PEOPLE: [u32; 4] = [3, 7, 11, 20];

fn task(user: u32, paper: PaperOptions) -> Task {
    Task { scope: Scope::Target, paper, ..Task::new(Who::Known(UserId(user)), 4) }
}

/// Explanations of some people's lists, counterfactual and factual.
fn explained(explainer: &Explainer, paper: PaperOptions) -> Vec<Explanation> {
    let goals = [Goal::Counterfactual, Goal::Factual];
    let of = |&user: &u32| explainer.explain(&task(user, paper), &Items::List, &goals).unwrap();
    PEOPLE.iter().flat_map(of).collect()
}

fn explainer() -> Explainer {
    Explainer::new(Arc::new(models()[0].clone()), Method::Paper)
}

#[test]
fn every_option_reaches_the_algorithm() {
    let usual = PaperOptions::default();
    let others = [
        PaperOptions { fit: PaperFit::List, ..usual },
        PaperOptions { anchored: true, ..usual },
        PaperOptions { features: PaperFeatures::Input, ..usual },
        PaperOptions { features: PaperFeatures::Random, ..usual },
        PaperOptions { hidden: Some(3), ..usual },
        PaperOptions { fit_steps: 20, ..usual },
        PaperOptions { fit_rate: 0.0003, ..usual },
        PaperOptions { loss: PaperLoss::Printed, ..usual },
        PaperOptions { steps: 2, ..usual },
        PaperOptions { eta: 0.005, ..usual },
        PaperOptions { beta: 0.9, eta: 1.0, ..usual },
    ];
    let explainer = explainer();
    let before = explained(&explainer, usual);
    for other in others {
        // By the explainer that has answered before: what it keeps must not be taken for another's.
        let after = explained(&explainer, other);
        assert_ne!(format!("{before:?}"), format!("{after:?}"), "{other:?}");
    }
    assert_eq!(format!("{before:?}"), format!("{:?}", explained(&explainer, usual)), "the same again");
}

#[test]
fn a_wide_hinge_goes_on_where_a_narrow_one_stops() {
    // With no width the search ends at the first set that does it; with a wide one it may come across a smaller one later,
    // and never across a larger one.
    let (explainer, usual) = (explainer(), PaperOptions::default());
    let [narrow, wide] =
        [0.0, 1e6].map(|epsilon| explained(&explainer, PaperOptions { epsilon, eta: 0.3, ..usual }));
    let view = |e: &Explanation| e.surrogate.and_then(|view| view.rank_after);
    let ranks = |all: &[Explanation]| all.iter().map(view).collect::<Vec<_>>();
    assert!(narrow.iter().zip(&wide).all(|(narrow, wide)| view(narrow).is_none() || view(wide).is_some()));
    assert_ne!((format!("{narrow:?}"), ranks(&narrow)), (format!("{wide:?}"), ranks(&wide)));
}

#[test]
fn more_rivals_can_only_put_an_item_back() {
    let (explainer, usual) = (explainer(), PaperOptions { fit_steps: 40, ..PaperOptions::default() });
    let [near, all] = [PaperRivals::Near, PaperRivals::All]
        .map(|rivals| explained(&explainer, PaperOptions { rivals, ..usual }));
    for (near, all) in near.iter().zip(&all) {
        let rank = |e: &Explanation| e.surrogate.map(|view| view.rank_before);
        assert!(rank(near) <= rank(all), "{near:?} {all:?}");
    }
}

#[test]
fn a_pair_has_a_surrogate_of_its_own() {
    let (explainer, usual) = (explainer(), PaperOptions::default());
    for &user in &PEOPLE {
        let by = |items: &Items, fit: PaperFit| {
            let task = task(user, PaperOptions { fit, ..usual });
            explainer.explain(&task, items, &[Goal::Counterfactual]).unwrap()
        };
        let list = by(&Items::List, PaperFit::Pair);
        let (together, alone) = (&list[0], &by(&Items::These(vec![list[0].item]), PaperFit::Pair)[0]);
        // What is asked once for the list has another share: all else is the same, alone or not.
        assert_eq!((together.outcome(), together.surrogate), (alone.outcome(), alone.surrogate));
        assert_eq!(together.neighbourhood, alone.neighbourhood);
        let of_list = by(&Items::List, PaperFit::List);
        let edges = |e: &Explanation| e.neighbourhood.unwrap().edges;
        assert!(of_list.iter().zip(&list).all(|(list, pair)| edges(pair) <= edges(list)));
        assert!(of_list.windows(2).all(|two| two[0].neighbourhood == two[1].neighbourhood));
    }
}

#[test]
fn an_anchored_surrogate_agrees_with_the_recommender_before_any_edit() {
    for anchored in explained(&explainer(), PaperOptions { anchored: true, ..PaperOptions::default() }) {
        assert_eq!(anchored.surrogate.unwrap().rank_before, anchored.rank_before);
    }
}

#[test]
fn what_cannot_be_run_is_refused_by_whoever_would_run_it() {
    let paper = PaperOptions { steps: 0, ..PaperOptions::default() };
    let (task, items) = (task(3, paper), Items::These(vec![ItemId(0)]));
    let refused = explainer().explain(&task, &items, &[Goal::Counterfactual]).unwrap_err();
    assert_eq!(refused.to_string(), "method paper: the number of steps M must be from 1 to 100000, and is 0");
    let other = Explainer::new(Arc::new(models()[0].clone()), Method::Random);
    assert!(other.explain(&task, &Items::List, &[Goal::Counterfactual]).is_ok(), "it is not asked");
}
