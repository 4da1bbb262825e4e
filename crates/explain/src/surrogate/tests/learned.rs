//! A recommender that shows nothing but scores, asked what each of somebody's interactions does.

use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, UserId};

use crate::surrogate::{
    Anchored, FeatureChoice, FitOptions, Inputs, Lesson, Lessons, Neighbourhood, Shown, Surrogate,
};

#[test]
fn it_learns_what_put_an_item_on_the_list() {
    // Somebody touched items 0 and 1; item 2 is recommended because of item 0, item 3 because of item 1.
    let edges =
        [(0, 0), (0, 1), (1, 0), (1, 2), (2, 0), (2, 2), (3, 1), (3, 3)].map(|(u, i)| Edge::new(u, i));
    let recommender = CoNeighbours::new(Graph::new(4, 4, &edges).unwrap());
    let (graph, person, target) = (recommender.graph(), UserId(0), ItemId(2));

    let neighbourhood =
        Neighbourhood::around(graph, person, graph.items_of(person), &[target], 2, Neighbourhood::LIMIT);
    let inputs = Inputs::new(&neighbourhood, Shown::new(&recommender, FeatureChoice::Best, 1), Profile::Kept);
    let real = recommender.scores(person).unwrap();
    let contenders = [2, 3].map(|item| (ItemId(item), real[item as usize]));
    let own = neighbourhood.own_edges();
    let mut answers = Vec::new();
    for &edge in &own {
        let without = Edit::removing([neighbourhood.edge(edge)]);
        let scores = recommender.scores_after(person, Profile::Kept, &without).unwrap();
        let changes = contenders.map(|(item, score)| (item, scores[item.row()] - score)).to_vec();
        answers.push(Lesson { before: vec![], after: vec![edge], changes });
    }
    let lessons = Lessons { answers: &answers, scores: &contenders };
    let surrogate = Surrogate::fit(&inputs, lessons, &FitOptions::default(), None).unwrap();
    let mut anchored = Anchored::new(&inputs, &surrogate, &surrogate.on(&inputs), &contenders, &[]);

    let without = |edge: usize| anchored.standing_after(&[own[edge]], target, 1).unwrap().margin;
    let margins = [0, 1].map(without);
    assert_eq!(neighbourhood.edge(own[0]), Edge::new(0, 0));
    assert!(margins[0] < 0.0 && margins[0] < margins[1], "without it, item 3 is expected to be ahead");
}
