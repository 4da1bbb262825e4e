//! Re-scoring of random models on random graphs after random edits.

use grease_graph::{Edge, Edit, Graph, Profile, Recommender, UserId, seed};
use proptest::prelude::*;

use super::{NETWORKS, model, slow};
use crate::architecture::Architecture;
use crate::model::Model;
use crate::weights::Weights;

const USERS: u32 = 11;
const ITEMS: u32 = 9;

fn edges(most: usize) -> impl Strategy<Value = Vec<Edge>> {
    prop::collection::vec((0..USERS, 0..ITEMS).prop_map(|(u, i)| Edge::new(u, i)), 0..most)
}

/// Of a set of changes: what is there goes, what is not there comes. Rows past the users are the newcomer's.
fn edit_of(graph: &Graph, flips: &[(u32, u32)]) -> Edit {
    let flips: Vec<Edge> = flips.iter().map(|&(u, i)| Edge::new(u, i)).collect();
    let (removed, added): (Vec<Edge>, Vec<Edge>) = flips.into_iter().partition(|&e| graph.has(e));
    Edit::new(removed, added)
}

/// The slow path's scores, and how far from them rounding may lead: the usual tolerance, or as far as a jitter in the weights' last
/// bits leads, several times over. Where a sum nearly cancels, the second is the larger.
fn want(model: &Model, user: UserId, profile: Profile, edit: &Edit) -> (Vec<f64>, f64) {
    let scores =
        |weights: &Weights| slow(model.architecture(), model.graph(), weights).scores(user, profile, edit);
    let want = scores(model.weights());
    let largest = want.iter().fold(0f64, |most, w| most.max(w.abs()));
    let jitter = (0..3).map(|stream| {
        let mut rng = seed::rng_at(1, "jitter", stream);
        let mut weights = model.weights().clone();
        for value in weights.0.iter_mut().flat_map(|t| &mut t.data[..]) {
            *value *= 1.0 + (seed::below(&mut rng, 3) as f32 - 1.0) * f32::EPSILON;
        }
        let moved = scores(&weights);
        moved.iter().zip(&want).fold(0f64, |most, (m, w)| most.max((m - w).abs()))
    });
    let jitter = jitter.fold(0f64, f64::max);
    // Where everything cancels there is still the last bit of numbers around one.
    (want, 1e-5 * largest + 20.0 * jitter + f64::from(f32::EPSILON))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn rescoring_equals_the_slow_path(
        edges in edges(60),
        flips in prop::collection::vec(prop::collection::vec((0..=USERS, 0..ITEMS), 0..12), 1..5),
        user in 0..=USERS,
        neutral: bool,
        network in 0..NETWORKS.len(),
        layers in 0usize..=4,
        dim in 1usize..=9,
        seed: u64,
    ) {
        let graph = Graph::new(USERS as usize, ITEMS as usize, &edges).unwrap();
        let (kind, variant) = NETWORKS[network];
        let architecture = Architecture { variant, ..Architecture::new(kind, layers, dim) };
        let model = model(architecture, &graph, graph.users(), seed);
        let edits: Vec<Edit> = flips.iter().map(|flips| edit_of(&graph, flips)).collect();
        let profile = if neutral { Profile::Neutral } else { Profile::Kept };
        let user = UserId(user);
        let mut got = vec![f32::NAN; edits.len() * graph.items()];
        model.score(user, profile, &edits, &mut got).unwrap();
        for (got, edit) in got.chunks_exact(graph.items()).zip(&edits) {
            let (want, allowed) = want(&model, user, profile, edit);
            for (item, (&got, want)) in got.iter().zip(&want).enumerate() {
                let far = (f64::from(got) - want).abs();
                prop_assert!(far <= allowed, "{edit:?}: item {item} scores {got} instead of {want} (allowed {allowed})");
            }
        }
    }
}
