//! What is done otherwise where there is much: catalogues looked at by several threads, walks that are kept.

use grease_graph::{Edge, Edit, Graph, Profile, Recommender, UserId};

use super::{graph, model};
use crate::architecture::{Architecture, Kind};

/// Rows that are kept for whoever asks often have the bits of those that are worked out for one question.
#[test]
fn whoever_is_asked_about_often_has_the_same_scores() {
    let graph = graph(60, 30, 500, 4);
    let model = model(Architecture::new(Kind::LightGcn, 3, 12), &graph, graph.users(), 5);
    let (user, candidates) = (UserId(2), vec![true; 30]);
    let edits: Vec<Edit> = graph
        .edges()
        .filter(|edge| edge.item.0 < 3 && edge.user != user)
        .flat_map(|edge| {
            [Edit::removing([edge]), Edit::removing([edge, Edge::new(user.0, graph.items_of(user)[0])])]
        })
        .collect();
    assert!(edits.len() > 80, "{}", edits.len());
    let items: Vec<u32> = (0..30).step_by(2).collect();
    let mut asked = model.closely(user, &candidates).unwrap();
    let panel = asked.choose(&items).unwrap();
    for edit in &edits {
        let mut fresh = model.closely(user, &candidates).unwrap();
        let alone = fresh.choose(&items).unwrap();
        let [mut got, mut want] = [(); 2].map(|()| vec![0f32; items.len()]);
        asked.score(Profile::Kept, edit, panel, &mut got).unwrap();
        fresh.score(Profile::Kept, edit, alone, &mut want).unwrap();
        assert_eq!(got, want, "{edit:?}");
    }
}

/// Parts of a catalogue are joined where they end, whoever looks at them.
#[test]
fn a_large_catalogue_is_looked_at_whole_by_any_number_of_threads() {
    let items = 70_000;
    let pairs = (0..40_000u32).map(|at| Edge::new(at * 7 % 300, (at as u64 * 2_654_435_761 % items) as u32));
    let graph = Graph::new(300, items as usize, &pairs.collect::<Vec<_>>()).unwrap();
    for dim in [8, 32] {
        let model = model(Architecture::new(Kind::LightGcn, 3, dim), &graph, graph.users(), 5);
        let user = UserId(7);
        let edit = Edit::removing([Edge::new(7, graph.items_of(user)[0])]);
        let candidates: Vec<bool> = (0..items).map(|item| item % 3 != 0).collect();
        let scores = model.scores_after(user, Profile::Kept, &edit).unwrap();
        let mut order: Vec<u32> = (0..items as u32).filter(|&item| candidates[item as usize]).collect();
        order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
        let (panel, line) = (&order[..40], scores[order[400] as usize]);
        let look = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut close = model.closely(user, &candidates).unwrap();
                let chosen = close.choose(panel).unwrap();
                let above = close.above(Profile::Kept, &edit, chosen, line).unwrap();
                (above, close.best(Profile::Kept, &edit, 50).unwrap())
            })
        };
        let (above, best) = look(1);
        assert_eq!((above.clone(), best), look(3));
        assert!(above.is_sorted() && above.len() < 2000, "{}", above.len());
        assert!(order[40..400].iter().all(|item| above.binary_search(item).is_ok()));
        assert!(above.iter().all(|item| candidates[*item as usize] && !panel.contains(item)));
    }
}

/// Where nothing is better than anything else, the first candidates are the best.
#[test]
fn of_equals_the_first_are_the_best() {
    let graph = graph(60, 700, 500, 4);
    let model = model(Architecture::new(Kind::LightGcn, 3, 32), &graph, graph.users(), 5);
    let candidates: Vec<bool> = (0..700).map(|item| item % 2 == 1).collect();
    let mut close = model.closely(graph.newcomer(), &candidates).unwrap();
    assert_eq!(close.best(Profile::Neutral, &Edit::none(), 4).unwrap(), [1, 3, 5, 7]);
}
