//! Do the models learn? On the sample data, whose truth was planted.

use std::sync::{Arc, OnceLock};

use grease_graph::{Edge, Embeddings, Graph, Recommender, Sample, SampleOptions, Split, UserId, sample};
use grease_kernels::top_k;

use super::KINDS;
use crate::architecture::Kind;
use crate::model::Model;
use crate::ranking::evaluate;
use crate::train::{Loss, TrainOptions, Trainer};

struct Service {
    truth: Sample,
    graph: Arc<Graph>,
    test: Vec<Edge>,
}

fn service() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let truth = sample(&SampleOptions::default());
        let Split { train, test } = Split::per_user(&truth.interactions, 0.8, 1);
        let (users, items) = (truth.interactions.users.len(), truth.interactions.items.len());
        let graph = Arc::new(Graph::new(users, items, &train).unwrap());
        Service { truth, graph, test }
    })
}

fn trained(kind: Kind, loss: Loss) -> Model {
    let options = TrainOptions {
        kind,
        loss,
        layers: 2,
        dim: 16,
        epochs: 15,
        batch: 512,
        learning_rate: 0.01,
        evaluate_every: 0,
        ..TrainOptions::default()
    };
    let mut trainer = Trainer::new(Arc::clone(&service().graph), Vec::new(), options).unwrap();
    trainer.run(&mut ()).unwrap();
    trainer.model()
}

/// Recall@20 of ranking by popularity alone.
fn popularity() -> f64 {
    let Service { graph, test, .. } = service();
    let users = vec![1.0; graph.users()];
    let items: Vec<f32> = (0..graph.items()).map(|i| graph.by_item().degree(i) as f32).collect();
    evaluate(Embeddings { users: &users, items: &items, width: 1 }, graph, test, &[20])[0].recall
}

/// Share of all top-10 lists that is within the listener's planted genres.
fn in_taste(model: &dyn Recommender) -> f64 {
    let Service { truth, graph, .. } = service();
    let (mut listed, mut liked) = (0, 0);
    for user in (0..graph.users() as u32).step_by(5) {
        let touched = graph.items_of(UserId(user));
        let scores = model.scores(UserId(user)).unwrap();
        for ranked in top_k(&scores, 10, |item| touched.binary_search(&item).is_err()) {
            let genre = truth.item_genre[ranked.index as usize];
            listed += 1;
            liked += usize::from(truth.user_tastes[user as usize].iter().any(|taste| taste.genre == genre));
        }
    }
    f64::from(liked as u32) / f64::from(listed)
}

#[test]
fn recall_is_far_above_popularity_and_lists_are_within_planted_tastes() {
    let Service { graph, test, .. } = service();
    let base = popularity();
    let by_popularity = in_taste(&grease_graph::doubles::Popularity::new(graph.as_ref().clone()));
    for kind in KINDS {
        for loss in [Loss::Bce, Loss::Bpr] {
            let model = trained(kind, loss);
            let recall = evaluate(model.output(), graph, test, &[20])[0].recall;
            assert!(recall > 2.5 * base, "{kind}, {loss}: recall@20 {recall}, popularity alone {base}");
            let share = in_taste(&model);
            assert!(share > 0.9, "{kind}, {loss}: {share} of the lists is within tastes");
            assert!(by_popularity < 0.5, "popularity alone: {by_popularity}");
        }
    }
}
