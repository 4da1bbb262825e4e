//! Somebody the recommender has never seen.

use std::sync::Arc;

use grease_explain::{Explanation, Goal, Items, Method, ProfileChoice, Scope, Status, Task, Who};
use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, UserId};
use grease_models::{Model, Tensor, Weights};

use crate::audit::Auditor;
use crate::support::{SCOPES, explain, is_defined, methods_for, models, slow_scores};

const GOALS: [Goal; 2] = [Goal::Counterfactual, Goal::Factual];

/// The graph without its last user, and what they touched.
fn without_the_last(graph: &Graph) -> (Graph, Vec<ItemId>) {
    let last = UserId(graph.users() as u32 - 1);
    let edges: Vec<Edge> = graph.edges().filter(|edge| edge.user != last).collect();
    let history = graph.items_of(last).iter().map(|&item| ItemId(item)).collect();
    (Graph::new(graph.users() - 1, graph.items(), &edges).unwrap(), history)
}

fn explained(
    recommender: &(impl Recommender + Clone + 'static),
    method: Method,
    scope: Scope,
    who: Who,
) -> Vec<Explanation> {
    let task = Task { scope, profile: ProfileChoice::Neutral, ..Task::new(who, 4) };
    let goals: Vec<Goal> = GOALS.into_iter().filter(|&goal| is_defined(method, scope, goal)).collect();
    explain(recommender, method, &task, &Items::List, &goals).unwrap()
}

/// The last user, taken out and coming back as a newcomer with the same history, has the row they had.
#[test]
fn a_newcomer_with_a_known_users_history_gets_their_explanations() {
    let graph = models()[0].graph();
    let (fewer, history) = without_the_last(graph);
    let (whole, fewer) = (CoNeighbours::new(graph.clone()), CoNeighbours::new(fewer));
    let known = Who::Known(UserId(graph.users() as u32 - 1));
    // Likeness counts the people two items share, and a newcomer is not yet one of them, nor one whom a surrogate is fitted to.
    let apart = [Method::Paper, Method::Cosine, Method::GnnExplainer, Method::CfGnnExplainer, Method::Cf2];
    for method in methods_for(&whole).into_iter().filter(|method| !apart.contains(method)) {
        let a = explained(&whole, method, Scope::Own, known.clone());
        let b = explained(&fewer, method, Scope::Own, Who::Newcomer(history.clone()));
        assert!(a.iter().any(|e| e.status() == Status::Verified), "{method}");
        assert_eq!(a, b, "{method}");
    }
}

/// The same of trained models, whose last user's learned row is then missing: a neutral profile does not need it.
#[test]
fn a_models_newcomer_gets_the_neutral_explanations_of_the_user_they_replace() {
    for model in models() {
        let (fewer, history) = without_the_last(model.graph());
        let mut tensors: Vec<Tensor> = model.weights().0.clone();
        let people = &mut tensors[0];
        people.shape[0] -= 1;
        people.data.to_mut().truncate(people.shape[0] * people.shape[1]);
        let short = Model::new(model.architecture(), Arc::new(fewer), Weights(tensors)).unwrap();
        let newcomer = explained(&short, Method::Grease, Scope::Own, Who::Newcomer(history));
        // The list of a neutral profile is the newcomer's; a known user's is their learned one.
        let known = Task {
            profile: ProfileChoice::Neutral,
            ..Task::new(Who::Known(UserId(model.graph().users() as u32 - 1)), 4)
        };
        let mut compared = 0;
        for e in &newcomer {
            let same =
                explain(model, Method::Grease, &known, &Items::These(vec![e.item]), &[e.goal]).unwrap();
            if same[0].rank_before <= 4 {
                assert_eq!((same[0].status(), &same[0].edges()), (e.status(), &e.edges()), "{e:?}");
                assert_eq!(
                    (same[0].rank_start, same[0].rank_after()),
                    (e.rank_start, e.rank_after()),
                    "{e:?}"
                );
                compared += 1;
            }
        }
        assert!(compared >= 2, "the lists have too little in common to compare");
    }
}

/// Every method, scope and goal for somebody new; every claim re-checked in `f64`.
#[test]
fn claims_about_newcomers_hold_on_the_rebuilt_graph() {
    for model in models() {
        let truth = |user: UserId, profile: Profile, edit: &Edit| slow_scores(model, user, profile, edit);
        let who = Who::Newcomer([30, 2, 17, 2, 8].map(ItemId).to_vec());
        let mut verified = 0;
        for (method, scope) in Method::ALL.into_iter().flat_map(|m| SCOPES.map(|scope| (m, scope))) {
            if !is_defined(method, scope, Goal::Counterfactual) {
                continue;
            }
            let found = explained(model, method, scope, who.clone());
            let task = Task { scope, profile: ProfileChoice::Neutral, ..Task::new(who.clone(), 4) };
            let list: Vec<ItemId> = found.iter().map(|e| e.item).collect();
            let auditor =
                Auditor { graph: model.graph(), task: &task, together: &list, truth: &truth, rounding: 1e-5 };
            found.iter().for_each(|explanation| auditor.check(explanation));
            verified += found.iter().filter(|e| e.status() == Status::Verified).count();
        }
        assert!(verified > 20, "only {verified} verified");
    }
}

/// Nothing is known about them, and nothing is made up.
#[test]
fn a_newcomer_who_brings_nothing_is_told_so() {
    let recommender = CoNeighbours::new(models()[0].graph().clone());
    for method in methods_for(&recommender) {
        for e in explained(&recommender, method, Scope::Own, Who::Newcomer(Vec::new())) {
            assert_eq!(e.status(), Status::NotFound, "{e:?}");
        }
    }
}
