//! Explanations by way of an oracle are those of the recommender itself.

use std::sync::Arc;

use grease_explain::{Explainer, Goal, Items, Method, Status, Task, Who};
use grease_graph::doubles::CoNeighbours;
use grease_graph::{Recommender, SampleOptions, UserId, sample};
use grease_oracle::OracleOptions;

use crate::support::{ALL, Served, small};

fn graph() -> grease_graph::Graph {
    let made = sample(&SampleOptions { users: 30, artists: 24, ..SampleOptions::default() }).interactions;
    grease_graph::Graph::new(made.users.len(), made.items.len(), &made.edges).unwrap()
}

#[test]
fn explanations_equal_those_of_the_double_here() {
    let graph = graph();
    let (served, double) = (Served::new(&graph), Arc::new(CoNeighbours::new(graph.clone())));
    let how = OracleOptions { workers: 2, ..OracleOptions::default() };
    let oracle = Arc::new(served.try_open(&format!("{ALL} --f32 yes"), how).unwrap());
    let mut verified = 0;
    for user in [0, 7, 19] {
        let task = Task::new(Who::Known(UserId(user)), 5);
        let explain = |recommender: Arc<dyn Recommender>| {
            let explainer = Explainer::new(recommender, Method::Grease);
            explainer.explain(&task, &Items::List, &[Goal::Factual, Goal::Counterfactual]).unwrap()
        };
        let (there, here) = (explain(oracle.clone()), explain(double.clone()));
        assert_eq!(format!("{there:?}"), format!("{here:?}"), "user {user}");
        verified += there.iter().filter(|explanation| explanation.status() == Status::Verified).count();
    }
    assert!(verified > 5, "{verified} verified");
    assert!(oracle.report().from_memory < 1.0);
}

#[test]
fn a_newcomer_is_explained_through_an_oracle() {
    let (served, double) = (Served::new(&small()), Arc::new(CoNeighbours::new(small())));
    let oracle = Arc::new(served.open("--abilities newcomers,others"));
    let task = Task::new(Who::Newcomer(vec![grease_graph::ItemId(0), grease_graph::ItemId(2)]), 2);
    let explain = |recommender: Arc<dyn Recommender>| {
        let explainer = Explainer::new(recommender, Method::Grease);
        explainer.explain(&task, &Items::List, &[Goal::Factual, Goal::Counterfactual]).unwrap()
    };
    assert_eq!(format!("{:?}", explain(oracle)), format!("{:?}", explain(double)));
}
