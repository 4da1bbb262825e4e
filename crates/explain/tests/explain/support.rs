//! Small graphs, recommenders that count or fail, and small trained models.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use grease_explain::{Change, ExplainError, Explainer, Explanation, Goal, Items, Method, Scope, Task, Who};
use grease_graph::{
    Edge, Edit, Graph, ItemId, Profile, Recommender, SampleOptions, ScoreError, UserId, sample,
};
use grease_models::train::{TrainOptions, Trainer};
use grease_models::{Architecture, Kind, Model};
use grease_testing::slow::{Network, Slow};

/// One row a user: the items they touched.
pub(crate) fn graph(items: usize, histories: &[&[u32]]) -> Graph {
    let edges: Vec<Edge> = (0u32..)
        .zip(histories)
        .flat_map(|(user, history)| history.iter().map(move |&item| Edge::new(user, item)))
        .collect();
    Graph::new(histories.len(), items, &edges).unwrap()
}

/// A list of `k` for user 0.
pub(crate) fn task(k: usize) -> Task {
    Task::new(Who::Known(UserId(0)), k)
}

/// All explanations asked for, or the error.
pub(crate) fn explain(
    recommender: &(impl Recommender + Clone + 'static),
    method: Method,
    task: &Task,
    items: &Items,
    goals: &[Goal],
) -> Result<Vec<Explanation>, ExplainError> {
    Explainer::new(Arc::new(recommender.clone()), method).explain(task, items, goals)
}

/// The one explanation of one item.
pub(crate) fn one(
    recommender: &(impl Recommender + Clone + 'static),
    method: Method,
    task: &Task,
    item: u32,
    goal: Goal,
) -> Explanation {
    let found = explain(recommender, method, task, &Items::These(vec![ItemId(item)]), &[goal]).unwrap();
    assert_eq!(found.len(), 1, "one item, one goal, no alternatives");
    found.into_iter().next().unwrap()
}

/// The cited edges as (user, item), ascending.
pub(crate) fn cited(explanation: &Explanation) -> Vec<(u32, u32)> {
    let edges: BTreeSet<(u32, u32)> =
        explanation.edges().iter().map(|cited| (cited.edge.user.0, cited.edge.item.0)).collect();
    assert_eq!(edges.len(), explanation.edges().len(), "an edge is cited twice: {explanation:?}");
    edges.into_iter().collect()
}

/// What is done to all of the cited edges.
pub(crate) fn change(explanation: &Explanation) -> Change {
    let change = explanation.edges()[0].change;
    assert!(explanation.edges().iter().all(|cited| cited.change == change), "{explanation:?}");
    change
}

/// Whether a method has this goal in this scope.
pub(crate) fn is_defined(method: Method, scope: Scope, goal: Goal) -> bool {
    if method.knows_histories_alone() && scope != Scope::Own {
        return false;
    }
    match goal {
        Goal::Factual => scope != Scope::Hops,
        Goal::Counterfactual => scope != Scope::Hops || method != Method::Exact,
        Goal::Joint | Goal::WhyNot => scope == Scope::Own && method != Method::Paper,
    }
}

/// The methods this recommender has enough to show for.
pub(crate) fn methods_for(recommender: &(impl Recommender + Clone + 'static)) -> Vec<Method> {
    let can = |method: &Method| {
        let explainer = Explainer::new(Arc::new(recommender.clone()), *method);
        !matches!(
            explainer.check(&task(1), &Items::List, &[Goal::Counterfactual]),
            Err(ExplainError::Lacking { .. })
        )
    };
    Method::ALL.into_iter().filter(can).collect()
}

pub(crate) const SCOPES: [Scope; 3] = [Scope::Own, Scope::Target, Scope::Hops];

/// Number of paths user - touched item - other user - item, edge by edge: `CoNeighbours` worked out another way.
pub(crate) fn paths(items: usize, user: UserId, edges: &BTreeSet<Edge>) -> Vec<f64> {
    let mut scores = vec![0.0; items];
    for first in edges.iter().filter(|e| e.user == user) {
        for second in edges.iter().filter(|e| e.item == first.item && e.user != user) {
            for third in edges.iter().filter(|e| e.user == second.user) {
                scores[third.item.row()] += 1.0;
            }
        }
    }
    scores
}

/// The edges of a graph after an edit.
pub(crate) fn edited(graph: &Graph, edit: &Edit) -> BTreeSet<Edge> {
    let mut edges: BTreeSet<Edge> = graph.edges().collect();
    edit.removed().iter().for_each(|edge| assert!(edges.remove(edge)));
    edges.extend(edit.added());
    edges
}

/// Any function of who asks, with which profile, on which edges: as black as a box can be.
#[derive(Clone)]
pub(crate) struct BlackBox<F> {
    pub(crate) graph: Graph,
    pub(crate) of: F,
}

impl<F> Recommender for BlackBox<F>
where
    F: Fn(UserId, Profile, &BTreeSet<Edge>) -> Result<Vec<f32>, ScoreError> + Send + Sync,
{
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        grease_graph::check_request(&self.graph, user, edits, out)?;
        for (at, edit) in edits.iter().enumerate() {
            let scores = (self.of)(user, profile, &edited(&self.graph, edit))?;
            out[at * self.graph.items()..][..self.graph.items()].copy_from_slice(&scores);
        }
        Ok(())
    }
}

/// A LightGCN and an NGCF that learned a small invented music service.
pub(crate) fn models() -> &'static [Model; 2] {
    static MODELS: OnceLock<[Model; 2]> = OnceLock::new();
    MODELS.get_or_init(|| {
        let options = SampleOptions {
            users: 60,
            artists: 40,
            genres: 4,
            shortest_history: 4,
            longest_history: 16,
            ..SampleOptions::default()
        };
        let data = sample(&options).interactions;
        let graph = Graph::new(data.users.len(), data.items.len(), &data.edges).unwrap();
        [Kind::LightGcn, Kind::Ngcf].map(|kind| trained(&graph, kind, 40))
    })
}

/// A small model of this graph.
pub(crate) fn trained(graph: &Graph, kind: Kind, epochs: u64) -> Model {
    let options = TrainOptions {
        kind,
        layers: 2,
        dim: 8,
        epochs,
        batch: 128,
        learning_rate: 0.02,
        ..TrainOptions::default()
    };
    let mut trainer = Trainer::new(Arc::new(graph.clone()), Vec::new(), options).unwrap();
    trainer.run(&mut ()).unwrap();
    trainer.model()
}

/// What a trained model's formulas say, in `f64`, on the graph built anew.
pub(crate) fn slow_scores(model: &Model, user: UserId, profile: Profile, edit: &Edit) -> Vec<f64> {
    let Architecture { kind, layers, dim, .. } = model.architecture();
    let network = if kind == Kind::Ngcf { Network::Ngcf } else { Network::LightGcn(layers) };
    let tensors = model.weights().0.iter().map(|tensor| &tensor.data[..]);
    Slow::new(network, dim, model.graph(), tensors).scores(user, profile, edit)
}
