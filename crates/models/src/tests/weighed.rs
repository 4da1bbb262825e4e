//! Scores by weights of interactions against the slow path in double precision, and their gradient against its central differences.

use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, UserId, Weighed, seed};
use proptest::prelude::*;

use super::{NETWORKS, model, relative_error, slow};
use crate::architecture::{Architecture, Kind, unit};
use crate::model::Model;
use crate::weighed::{Asked, ByLayers};

/// Small enough that the difference is the slope, large enough that `f64` still has digits.
const H: f64 = 1e-6;

/// What is asked, and the weights.
struct Case {
    user: UserId,
    profile: Profile,
    edit: Edit,
    edges: Vec<Edge>,
    weights: Vec<f32>,
    items: Vec<ItemId>,
    slopes: Vec<f32>,
}

impl Case {
    /// All that is drawn from a stream: slopes, and weights that are often 0 or 1.
    fn new(
        (user, profile, edit): (u32, Profile, Edit),
        edges: Vec<Edge>,
        items: Vec<ItemId>,
        seed: u64,
    ) -> Self {
        let mut rng = seed::rng(seed, "weighed");
        let mut draw = || match unit(&mut rng) {
            low if low < 0.2 => 0.0,
            high if high > 0.8 => 1.0,
            between => between,
        };
        let weights = edges.iter().map(|_| draw()).collect();
        let slopes = items.iter().map(|_| 2.0 * draw() - 0.7).collect();
        Self { user: UserId(user), profile, edit, edges, weights, items, slopes }
    }

    /// Scores with the weight of one interaction moved, by the slow path.
    fn slow_scores(&self, model: &Model, moved: Option<(usize, f64)>) -> Vec<f64> {
        let mut weighed: Vec<(Edge, f64)> =
            self.edges.iter().copied().zip(self.weights.iter().map(|&w| f64::from(w))).collect();
        if let Some((at, by)) = moved {
            weighed[at].1 += by;
        }
        let slow = slow(model.architecture(), model.graph(), model.weights());
        let all = slow.weighed_scores(self.user, self.profile, &self.edit, &weighed);
        self.items.iter().map(|item| all[item.row()]).collect()
    }

    /// The central difference of the weighted sum of scores; none at a kink, and where it is infinite.
    fn difference(&self, model: &Model, at: usize) -> Option<f64> {
        let sum = |by: f64| -> f64 {
            let scores = self.slow_scores(model, Some((at, by)));
            scores.iter().zip(&self.slopes).map(|(score, &slope)| score * f64::from(slope)).sum()
        };
        let by = |h: f64| (sum(h) - sum(-h)) / (2.0 * h);
        let (wide, near) = (by(H), by(H / 2.0));
        ((wide - near).abs() <= 1e-4 * (1.0 + near.abs())).then_some(near)
    }

    /// Whether an end of an interaction has no interaction at all: what the first brings has an infinite slope.
    fn is_alone(&self, graph: &Graph, at: usize) -> bool {
        let degree = |is_end: &dyn Fn(&Edge) -> bool| -> f32 {
            let fixed = graph
                .edges()
                .filter(|edge| self.edit.removed().binary_search(edge).is_err())
                .chain(self.edit.added().iter().copied())
                .filter(|edge| !self.edges.contains(edge) && is_end(edge));
            let weighed = self.edges.iter().zip(&self.weights).filter(|(edge, _)| is_end(edge));
            fixed.count() as f32 + weighed.map(|(_, weight)| weight).sum::<f32>()
        };
        let edge = self.edges[at];
        degree(&|other| other.user == edge.user) == 0.0 || degree(&|other| other.item == edge.item) == 0.0
    }

    /// What the model says: scores and gradient.
    fn ask(&self, model: &Model) -> (Vec<f32>, Vec<f32>) {
        let weighed = model.weighed(self.user, self.profile, &self.edit, &self.edges, &self.items);
        self.ask_of(weighed.unwrap().expect("the models have gradients").as_mut())
    }

    /// The same by way of the layers, whatever else there is.
    fn ask_by_layers(&self, model: &Model) -> (Vec<f32>, Vec<f32>) {
        let Self { user, profile, ref edit, ref edges, ref items, .. } = *self;
        let asked = Asked { user, profile, edit, edges, items };
        match model {
            Model::LightGcn(model) => self.ask_of(&mut model.by_layers(&asked)),
            Model::Ngcf(model) => self.ask_of(&mut ByLayers::new(model, &asked)),
            Model::Frozen(_) => unreachable!("frozen embeddings have no gradient"),
        }
    }

    fn ask_of(&self, weighed: &mut dyn Weighed) -> (Vec<f32>, Vec<f32>) {
        let mut scores = vec![f32::NAN; self.items.len()];
        let mut gradient = vec![f32::NAN; self.edges.len()];
        weighed.score(&vec![0.5; self.edges.len()], &mut scores).unwrap();
        weighed.score(&self.weights, &mut scores).unwrap();
        weighed.gradient(&self.slopes, &mut gradient).unwrap();
        (scores, gradient)
    }

    /// Says what is wrong, if anything is.
    fn check(&self, model: &Model, (scores, gradient): (Vec<f32>, Vec<f32>)) -> Result<(), String> {
        let want = self.slow_scores(model, None);
        let largest = want.iter().fold(0.1f64, |most, w| most.max(w.abs()));
        for ((got, want), item) in scores.iter().zip(&want).zip(&self.items) {
            let far = (f64::from(*got) - want).abs();
            if far.is_nan() || far > 1e-5 * largest {
                return Err(format!("item {} scores {got} instead of {want}", item.0));
            }
        }
        let slopes: Vec<Option<f64>> = (0..self.edges.len())
            .map(|at| if self.is_alone(model.graph(), at) { None } else { self.difference(model, at) })
            .collect();
        let steepest = slopes.iter().flatten().fold(largest, |most, w| most.max(w.abs()));
        for ((got, want), edge) in gradient.iter().zip(&slopes).zip(&self.edges) {
            let far = want.map_or(0.0, |want| (f64::from(*got) - want).abs());
            if !got.is_finite() || far > 1e-4 * steepest {
                return Err(format!("{edge:?}: slope {got} instead of {want:?}; steepest {steepest}"));
            }
        }
        Ok(())
    }
}

const USERS: u32 = 11;
const ITEMS: u32 = 9;

/// Interactions, a newcomer's among them.
fn edges(most: usize) -> impl Strategy<Value = Vec<Edge>> {
    let edge = (0..=USERS, 0..ITEMS).prop_map(|(u, i)| Edge::new(u, i));
    prop::collection::btree_set(edge, 0..most).prop_map(|edges| edges.into_iter().collect())
}

/// A graph of the interactions that are not a newcomer's.
fn graph_of(edges: Vec<Edge>) -> Graph {
    let known: Vec<Edge> = edges.into_iter().filter(|edge| edge.user.0 < USERS).collect();
    Graph::new(USERS as usize, ITEMS as usize, &known).unwrap()
}

/// What is there goes, what is not comes.
fn edit_of(graph: &Graph, flips: Vec<Edge>) -> Edit {
    let (removed, added): (Vec<Edge>, Vec<Edge>) = flips.into_iter().partition(|&edge| graph.has(edge));
    Edit::new(removed, added)
}

fn profile(neutral: bool) -> Profile {
    if neutral { Profile::Neutral } else { Profile::Kept }
}

/// All items, or about a third.
fn items(all: bool, seed: u64) -> Vec<ItemId> {
    (0..ITEMS).filter(|item| all || (u64::from(*item) ^ seed).is_multiple_of(3)).map(ItemId).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// Anybody's interactions.
    #[test]
    fn scores_and_gradients_are_those_of_the_slow_path(
        there in edges(60), weighed in edges(14), flips in edges(5), user in 0..=USERS, neutral: bool,
        network in 0..NETWORKS.len(), layers in 0usize..=4, dim in 2usize..=9, seed: u64, all: bool,
    ) {
        let graph = graph_of(there);
        let (kind, variant) = NETWORKS[network];
        let architecture = Architecture { variant, ..Architecture::new(kind, layers, dim) };
        let model = model(architecture, &graph, graph.users(), seed);
        let edit = edit_of(&graph, flips);
        let case = Case::new((user, profile(neutral), edit), weighed, items(all, seed), seed);
        if let Err(wrong) = case.check(&model, case.ask(&model)) {
            prop_assert!(false, "{}", wrong);
        }
    }

    /// A person's own: LightGCN then has a way without the rest of the graph.
    #[test]
    fn both_ways_of_weighing_own_interactions_are_right(
        there in edges(60), weighed in edges(60), flips in edges(60), user in 0..=USERS, neutral: bool,
        layers in 0usize..=4, dim in 2usize..=9, seed: u64, all: bool,
    ) {
        let graph = graph_of(there);
        let model = model(Architecture::new(Kind::LightGcn, layers, dim), &graph, graph.users(), seed);
        let own = |edges: Vec<Edge>| -> Vec<Edge> {
            let mut own: Vec<Edge> = edges.iter().map(|edge| Edge::new(user, edge.item.0)).collect();
            own.sort_unstable();
            own.dedup();
            own
        };
        let flips = own(flips.into_iter().take(flip_count(seed)).collect());
        let case = Case::new((user, profile(neutral), edit_of(&graph, flips)), own(weighed), items(all, seed), seed);
        for said in [case.ask(&model), case.ask_by_layers(&model)] {
            if let Err(wrong) = case.check(&model, said) {
                prop_assert!(false, "{}", wrong);
            }
        }
    }
}

/// Often none, seldom many.
fn flip_count(seed: u64) -> usize {
    [0, 0, 1, 3, 40][(seed % 5) as usize]
}

/// Of the largest: what single precision leaves of sums of thousands.
fn assert_near(got: &[f32], want: &[f32], what: &str) {
    let want: Vec<f64> = want.iter().map(|&w| f64::from(w)).collect();
    let error = relative_error(got, &want);
    assert!(error < 1e-5, "{what}: relative error {error}");
}

/// Somebody with a history of thousands is looked at by way of the layers, somebody with one of a thousand without the graph.
#[test]
fn long_histories_are_weighed_too() {
    let others = (2..60u32).flat_map(|u| (0..40).map(move |k| Edge::new(u, (u * 71 + k * 97) % 4300)));
    let edges: Vec<Edge> = (0..4150)
        .map(|i| Edge::new(0, i))
        .chain((500..1600).map(|i| Edge::new(1, i)))
        .chain(others)
        .collect();
    let graph = Graph::new(60, 4300, &edges).unwrap();
    let model = model(Architecture::new(Kind::LightGcn, 3, 8), &graph, graph.users(), 4);
    let items: Vec<ItemId> = [3, 510, 1700, 4200, 4299].map(ItemId).to_vec();
    for user in [0, 1] {
        let own: Vec<Edge> = graph.items_of(UserId(user)).iter().map(|&i| Edge::new(user, i)).collect();
        let mut case = Case::new((user, Profile::Kept, Edit::none()), own.clone(), items.clone(), 5);
        let (scores, gradient) = case.ask(&model);
        let (by_layers, gradient_by_layers) = case.ask_by_layers(&model);
        assert_near(&scores, &by_layers, "scores");
        assert_near(&gradient, &gradient_by_layers, "gradients");
        case.weights = (0..own.len()).map(|at| f32::from(u8::from(at % 3 != 0))).collect();
        let gone = Edit::removing(own.iter().copied().step_by(3));
        let mut want = vec![0f32; items.len()];
        model.score_items(case.user, case.profile, &[gone], &items, &mut want).unwrap();
        assert_near(&case.ask(&model).0, &want, "scores after an edit");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let edges: Vec<Edge> =
        (0..1400u32).flat_map(|u| [1, 7, 31].map(|k| Edge::new(u, (u * k + k) % 1100))).collect();
    let graph = Graph::new(1400, 1100, &edges).unwrap();
    let weighed: Vec<Edge> = graph.edges().step_by(3).collect();
    let items: Vec<ItemId> = (0..1100).step_by(7).map(ItemId).collect();
    let case = Case::new((5, Profile::Kept, Edit::none()), weighed, items, 6);
    for (kind, variant) in NETWORKS {
        let architecture = Architecture { variant, ..Architecture::new(kind, 3, 16) };
        let model = model(architecture, &graph, graph.users(), 4);
        let first = case.ask(&model);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| case.ask(&model)) == first, "{kind}, {threads} threads");
        }
    }
}

/// What hardly is there at all brings no infinities, be it the only interaction of both its ends.
#[test]
fn weights_of_next_to_nothing_have_finite_slopes() {
    let graph = Graph::new(3, 3, &[Edge::new(0, 0), Edge::new(1, 0), Edge::new(1, 1)]).unwrap();
    let items = vec![ItemId(0), ItemId(1), ItemId(2)];
    for (kind, variant) in NETWORKS {
        for layers in 0..=4 {
            let architecture = Architecture { variant, ..Architecture::new(kind, layers, 5) };
            let model = model(architecture, &graph, graph.users(), 4);
            for (user, tiny) in [(2, 1e-12), (2, 1e-30), (0, 1e-12), (0, 0.0)] {
                let edges = vec![Edge::new(user, 2), Edge::new(user, 0)];
                let mut case =
                    Case::new((user, Profile::Kept, Edit::none()), edges, items.clone(), u64::from(user));
                case.weights = vec![tiny, tiny];
                for (scores, gradient) in [case.ask(&model), case.ask_by_layers(&model)] {
                    let all = scores.iter().chain(&gradient);
                    assert!(
                        all.clone().all(|v| v.is_finite()),
                        "{kind}, {layers} layers: {scores:?} {gradient:?}"
                    );
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "scores are asked for first")]
fn there_is_no_gradient_before_there_are_scores() {
    let graph = Graph::new(1, 1, &[Edge::new(0, 0)]).unwrap();
    let model = model(Architecture::new(Kind::LightGcn, 2, 5), &graph, 1, 4);
    let none = Edit::none();
    let weighed = model.weighed(UserId(0), Profile::Kept, &none, &[Edge::new(0, 0)], &[ItemId(0)]);
    weighed.unwrap().unwrap().gradient(&[1.0], &mut [0.0]).unwrap();
}
