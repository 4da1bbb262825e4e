//! Gradients by the weights, and what fitting comes to.

use std::sync::atomic::{AtomicUsize, Ordering};

use grease_graph::{Edit, ItemId, Profile, Recommender, ScoreError, UserId};
use proptest::prelude::*;

use super::{Shows, Twin};
use crate::surrogate::Neighbourhood;
use crate::surrogate::fit::Course;
use crate::surrogate::weights::Weights;
use crate::surrogate::{FeatureChoice, FitOptions, Inputs, Lesson, Lessons, Shown, Surrogate};

const PAIRS: [(u32, u32); 11] =
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 3), (2, 1), (2, 3), (2, 4), (3, 4), (3, 2), (4, 5)];

fn around(shows: &Shows) -> Neighbourhood {
    Neighbourhood::around(&shows.graph, UserId(0), shows.graph.items_of(UserId(0)), &[ItemId(3)], 2, 100)
}

/// Removing one own edge, an edge of the target, an edge of another user, and all own edges: an emptied row.
fn answers(neighbourhood: &Neighbourhood) -> Vec<Lesson> {
    let own = neighbourhood.own_edges();
    let of_target = neighbourhood.edges_of_item(neighbourhood.targets()[0]);
    let mut both = own.clone();
    both.extend(&of_target);
    both.sort_unstable();
    let changes = |a, b, c| vec![(ItemId(3), a), (ItemId(4), b), (ItemId(5), c)];
    vec![
        Lesson { before: vec![], after: own[..1].to_vec(), changes: changes(0.3, -0.1, 0.05) },
        Lesson { before: vec![], after: of_target[1..].to_vec(), changes: changes(-0.4, 0.1, 0.0) },
        Lesson { before: own.clone(), after: own[1..].to_vec(), changes: changes(0.7, 0.2, 0.01) },
        Lesson { before: both, after: own, changes: changes(0.2, -0.3, 0.02) },
    ]
}

/// The loss as documented, from the twin's outputs.
fn loss(twin: &Twin<'_>, lessons: Lessons<'_>, weight: f64) -> f64 {
    let inputs = twin.inputs;
    let edges = |absent: &[u32]| -> Vec<f64> {
        let all = 0..inputs.neighbourhood.len() as u32;
        all.map(|edge| if absent.contains(&edge) { 0.0 } else { 1.0 }).collect()
    };
    let mut loss = 0.0;
    if let Some(wanted) = &inputs.outputs {
        let outputs: Vec<f64> = twin.outputs(&edges(&[])).concat();
        let width = twin.widths[2];
        let nodes: Vec<usize> = (0..inputs.nodes()).filter(|&n| Some(n as u32) != inputs.unknown).collect();
        for &node in &nodes {
            for at in node * width..(node + 1) * width {
                loss += (outputs[at] - f64::from(wanted[at])).powi(2) / (nodes.len() * width) as f64;
            }
        }
    }
    let unit = f64::from(inputs.shown.score_unit());
    let mut errors = Vec::new();
    let mut compare = |wanted: &[f64], got: &[f64]| {
        let size = (wanted.iter().map(|w| w * w).sum::<f64>() / wanted.len() as f64).sqrt();
        errors.extend(wanted.iter().zip(got).map(|(w, g)| ((g - w) / size).powi(2)));
    };
    let (mut wanted, mut got) = (Vec::new(), Vec::new());
    for answer in lessons.answers {
        let outputs = [&answer.before, &answer.after].map(|absent| twin.outputs(&edges(absent)));
        for &(item, change) in &answer.changes {
            let product = |o: &Vec<Vec<f64>>| -> Option<f64> {
                let fixed: Option<Vec<f64>> =
                    inputs.shown.output_of_item(item).map(|z| z.iter().map(|&v| f64::from(v)).collect());
                let z = match inputs.neighbourhood.item(item) {
                    Some(local) => Some(o[inputs.item_node(local) as usize].clone()),
                    None => fixed,
                }?;
                let person = &o[inputs.neighbourhood.person() as usize];
                Some(z.iter().zip(person).map(|(a, b)| a * b).sum())
            };
            if let (Some(before), Some(after)) = (product(&outputs[0]), product(&outputs[1])) {
                wanted.push(f64::from(change) / unit);
                got.push(after - before);
            }
        }
    }
    compare(&wanted, &got);
    if inputs.outputs.is_none() {
        let scores = twin.scores(&edges(&[]));
        let local = |item: ItemId| inputs.item_node(inputs.neighbourhood.item(item).unwrap()) as usize;
        let wanted: Vec<f64> = lessons.scores.iter().map(|s| f64::from(s.1) / unit).collect();
        let got: Vec<f64> = lessons.scores.iter().map(|s| scores[local(s.0)] / unit).collect();
        compare(&wanted, &got);
    }
    loss + weight * errors.iter().sum::<f64>() / errors.len().max(1) as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn gradients_by_the_weights_equal_finite_differences(seed: u64, inputs: bool, outputs: bool, neutral: bool) {
        // Central differences of the documented loss, by every weight of both layers. Item 5 is outside the neighbourhood;
        // where no embedding is shown for it, it is no lesson, which changes how large the lessons are said to be.
        let shows = Shows::new(5, 6, &PAIRS, inputs, outputs, seed);
        let neighbourhood = around(&shows);
        let profile = if neutral { Profile::Neutral } else { Profile::Kept };
        let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, seed), profile);
        let mut answers = answers(&neighbourhood);
        if !outputs {
            answers.iter_mut().for_each(|answer| answer.changes.truncate(2));
        }
        let lessons = Lessons { answers: &answers, scores: &[(ItemId(3), 0.8), (ItemId(4), 0.2)] };
        let weights = Weights::random(inputs.shown.feature_width(), 4, inputs.shown.output_width(), seed);
        let nodes: Vec<u32> = match outputs {
            true => (0..inputs.nodes() as u32).filter(|&node| Some(node) != inputs.unknown).collect(),
            false => Vec::new(),
        };
        let course = Course::new(&inputs, &nodes, lessons, 0.7);
        let mut grads = weights.zeros_like();
        let got = course.gradient(&weights, &mut grads);
        let mut twin = Twin::new(&inputs, &weights);
        let want = loss(&twin, lessons, f64::from(0.7f32));
        prop_assert!((f64::from(got) - want).abs() < 1e-3 * (1.0 + want), "loss {got} against {want}");
        let h = 1e-5;
        let (mut compared, mut off) = (0, Vec::new());
        for tensor in 0..6 {
            // The random features are wide: a few of their weights will do.
            let len = twin.tensors[tensor].len();
            for at in (0..len).step_by(1 + len / 40) {
                let value = twin.tensors[tensor][at];
                let mut at_value = |v: f64| { twin.tensors[tensor][at] = v; loss(&twin, lessons, f64::from(0.7f32)) };
                let (up, down, middle) = (at_value(value + h), at_value(value - h), at_value(value));
                // A ReLU that bends between the two has no slope to compare with.
                if (up + down - 2.0 * middle).abs() > 1e-6 * (1.0 + middle) { continue; }
                let want = (up - down) / (2.0 * h);
                let got = f64::from(grads.tensors()[tensor][at]);
                compared += 1;
                if (got - want).abs() >= 2e-3 * (1.0 + want.abs()) {
                    off.push(format!("tensor {tensor} entry {at}: {got} against {want}"));
                }
            }
        }
        // One that stands at its bend but for rounding may be on either side of it in single precision.
        prop_assert!(off.len() * 20 <= compared, "{} of {compared}: {off:?}", off.len());
    }
}

#[test]
fn fitting_lowers_the_loss_and_is_the_same_with_any_number_of_threads() {
    let shows = Shows::new(5, 6, &PAIRS, true, true, 3);
    let neighbourhood = around(&shows);
    let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, 3), Profile::Kept);
    let answers = answers(&neighbourhood);
    let lessons = Lessons { answers: &answers, scores: &[] };
    let fit = |steps, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = FitOptions { steps, nodes_a_step: 4, ..FitOptions::default() };
        pool.install(|| Surrogate::fit(&inputs, lessons, &options, None).unwrap())
    };
    let of = |surrogate: &Surrogate| loss(&Twin::new(&inputs, &surrogate.weights), lessons, 1.0);
    let (start, end) = (fit(0, 1), fit(150, 1));
    assert!(of(&end) < 0.3 * of(&start), "{} after {}", of(&end), of(&start));
    assert_eq!(end, fit(150, 2));
    let warm =
        Surrogate::fit(&inputs, lessons, &FitOptions { steps: 0, ..FitOptions::default() }, Some(&end))
            .unwrap();
    assert_eq!(warm, end);
}

/// Whom nobody asks any more after so many looks.
struct GivenUp(Shows, AtomicUsize);

impl Recommender for GivenUp {
    grease_graph::as_it_is!(self => self.0);

    fn is_given_up(&self) -> bool {
        self.1.fetch_sub(1, Ordering::Relaxed) == 0
    }

    fn score(&self, _: UserId, _: Profile, _: &[Edit], _: &mut [f32]) -> Result<(), ScoreError> {
        Err(ScoreError::Cancelled)
    }
}

#[test]
fn fitting_is_given_up_with_the_recommender() {
    let shows = GivenUp(Shows::new(5, 6, &PAIRS, true, true, 3), AtomicUsize::new(7));
    let neighbourhood = around(&shows.0);
    let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, 3), Profile::Kept);
    let fit = |steps| {
        let options = FitOptions { steps, ..FitOptions::default() };
        Surrogate::fit(&inputs, Lessons::default(), &options, None).map(|_| ())
    };
    assert_eq!(fit(7), Ok(()));
    assert_eq!(fit(1), Err(ScoreError::Cancelled), "the eighth step is not made");
}

#[test]
fn answers_are_learnt_where_nothing_is_shown() {
    let shows = Shows::new(5, 6, &PAIRS, false, false, 3);
    let neighbourhood = around(&shows);
    let inputs = Inputs::new(&neighbourhood, Shown::new(&shows, FeatureChoice::Best, 3), Profile::Kept);
    let answers = answers(&neighbourhood);
    let lessons = Lessons { answers: &answers, scores: &[(ItemId(3), 0.8), (ItemId(4), 0.2)] };
    let surrogate = Surrogate::fit(&inputs, lessons, &FitOptions::default(), None).unwrap();
    assert!(loss(&Twin::new(&inputs, &surrogate.weights), lessons, 1.0) < 0.2);
}
