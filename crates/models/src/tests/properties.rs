//! Re-scoring of random models on random graphs after random edits.

use grease_graph::{Edge, Edit, Graph, Profile, UserId};
use proptest::prelude::*;

use super::model;
use super::rescoring::assert_slow_agrees;
use crate::architecture::{Architecture, Kind};

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn rescoring_equals_the_slow_path(
        edges in edges(60),
        flips in prop::collection::vec(prop::collection::vec((0..=USERS, 0..ITEMS), 0..12), 1..5),
        user in 0..=USERS,
        neutral: bool,
        ngcf: bool,
        layers in 0usize..=4,
        dim in 1usize..=9,
        seed: u64,
    ) {
        let graph = Graph::new(USERS as usize, ITEMS as usize, &edges).unwrap();
        let kind = if ngcf { Kind::Ngcf } else { Kind::LightGcn };
        let model = model(Architecture { kind, layers, dim }, &graph, graph.users(), seed);
        let edits: Vec<Edit> = flips.iter().map(|flips| edit_of(&graph, flips)).collect();
        let profile = if neutral { Profile::Neutral } else { Profile::Kept };
        assert_slow_agrees(&model, UserId(user), profile, &edits);
    }
}
