//! Fast re-scoring and whole propagation against the slow path.

use grease_graph::{Edge, Edit, Embeddings, Graph, Profile, Recommender, UserId};

use super::{NETWORKS, graph, model, relative_error, slow};
use crate::architecture::{Architecture, Kind};
use crate::model::Model;

const TOLERANCE: f64 = 1e-5;

/// Ordinary, nearly empty, dense, one node a side, many more users than items.
fn graphs() -> Vec<Graph> {
    vec![
        graph(30, 25, 120, 1),
        graph(30, 25, 8, 2),
        graph(12, 9, 200, 3),
        Graph::new(1, 1, &[Edge::new(0, 0)]).unwrap(),
        graph(150, 5, 300, 4),
        graph(5, 300, 200, 5),
    ]
}

fn architectures() -> impl Iterator<Item = Architecture> {
    let shapes = [(0, 7), (1, 7), (2, 16), (3, 7), (3, 64), (4, 5)];
    NETWORKS.into_iter().flat_map(move |(kind, variant)| {
        shapes.map(|(layers, dim)| Architecture { variant, ..Architecture::new(kind, layers, dim) })
    })
}

#[test]
fn outputs_equal_the_slow_path() {
    for architecture in architectures() {
        for graph in graphs() {
            let model = model(architecture, &graph, graph.users(), 5);
            let slow = slow(architecture, &graph, model.weights()).output(None);
            let Embeddings { users, items, width } = model.output();
            assert_eq!((width, width), (architecture.output_width(), slow.width));
            let error = relative_error(&[users, items].concat(), &slow.rows);
            assert!(error < TOLERANCE, "{architecture:?}: relative error {error}");
        }
    }
}

/// Asserts that `model` says what the slow path says.
fn assert_slow_agrees(model: &Model, user: UserId, profile: Profile, edits: &[Edit]) {
    let graph = model.graph();
    let mut got = vec![f32::NAN; edits.len() * graph.items()];
    model.score(user, profile, edits, &mut got).unwrap();
    for (got, edit) in got.chunks_exact(graph.items()).zip(edits) {
        let want = slow(model.architecture(), graph, model.weights()).scores(user, profile, edit);
        let error = relative_error(got, &want);
        assert!(
            error < TOLERANCE,
            "{:?}, user {}, {profile:?}, {edit:?}: relative error {error}",
            model.architecture(),
            user.0
        );
    }
}

#[test]
fn scores_on_edits_equal_the_slow_path() {
    for architecture in architectures() {
        for graph in graphs() {
            let model = model(architecture, &graph, graph.users(), 6);
            let edges: Vec<Edge> = graph.edges().collect();
            let user = edges[edges.len() / 2].user;
            let own = graph.items_of(user).iter().map(|&i| Edge::new(user.0, i));
            let absent =
                (0..graph.items() as u32).rev().map(|i| Edge::new(user.0, i)).find(|&e| !graph.has(e));
            let edits = [
                Edit::none(),
                Edit::removing(own.clone().take(1)),
                Edit::removing(own.clone()),
                Edit::new(own.clone().take(1), absent),
                Edit::removing(edges.iter().copied().step_by(3)),
                Edit::removing(edges.iter().copied().filter(|e| e.item == edges[0].item)),
                Edit::history(graph.newcomer(), [0]),
                Edit::new(own, [Edge::new(graph.newcomer().0, edges[0].item.0)]),
            ];
            for profile in [Profile::Kept, Profile::Neutral] {
                assert_slow_agrees(&model, user, profile, &edits);
                assert_slow_agrees(&model, graph.newcomer(), profile, &edits);
            }
        }
    }
}

/// A profile a thousand times as loud as everybody else's leaves no rounding behind when it is set to zero.
#[test]
fn a_loud_profile_set_to_zero_leaves_no_trace() {
    let graph = graph(30, 25, 120, 1);
    for (kind, variant) in NETWORKS {
        let architecture = Architecture { variant, ..Architecture::new(kind, 3, 16) };
        let mut weights = super::weights(architecture, &graph, graph.users(), 7);
        let user = UserId(4);
        weights.0[0].data[4 * 16..][..16].iter_mut().for_each(|v| *v *= 1000.0);
        let model = Model::new(architecture, std::sync::Arc::new(graph.clone()), weights).unwrap();
        let own = graph.items_of(user).iter().map(|&i| Edge::new(user.0, i));
        let edits = [Edit::none(), Edit::removing(own.clone().take(1)), Edit::removing(own)];
        assert_slow_agrees(&model, user, Profile::Neutral, &edits);
        assert_slow_agrees(&model, user, Profile::Neutral, &edits[1..2]);
    }
}

/// Nobody and nothing known: a LightGCN has nothing to say, and says so in zeros.
#[test]
fn a_newcomer_without_history_gets_zeros_from_lightgcn() {
    let graph = graph(30, 25, 120, 1);
    let model = model(Architecture::new(Kind::LightGcn, 3, 16), &graph, 30, 8);
    assert_eq!(model.scores(graph.newcomer()).unwrap(), vec![0.0; 25]);
}
