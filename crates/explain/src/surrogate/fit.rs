//! Fitting a surrogate.

use grease_graph::{ItemId, ScoreError, seed};
use grease_kernels::dense::dot;
use grease_kernels::{Adam, AdamMoments};

use super::batch::{Batch, Graphs, State};
use super::inputs::Inputs;
use super::lessons::Lesson;
use super::weights::Weights;
use crate::paper_options::PaperOptions;

/// How a surrogate is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FitOptions {
    /// Steps of Adam; 300.
    pub(crate) steps: usize,
    /// Adam's step size; 0.01.
    pub(crate) learning_rate: f32,
    /// Width between the two layers; 32 (the paper: 32 for LastFM, 64 for Yelp). A warm start keeps its own.
    pub(crate) hidden: usize,
    /// Nodes whose embeddings are looked at in a step; 512. As many as there are makes it full-batch, as the paper does.
    pub(crate) nodes_a_step: usize,
    /// Weight of the answers beside the embeddings, both relative to their own size; 1. With 0 they are not looked at.
    pub(crate) answers: f32,
    /// All randomness comes from here.
    pub(crate) seed: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { steps: 300, learning_rate: 0.01, hidden: 32, nodes_a_step: 512, answers: 1.0, seed: 1 }
    }
}

impl FitOptions {
    /// From a warm start: few and small steps, so that what is known is not unlearnt, and more weight on the answers.
    ///
    /// Where the recommender shows no embeddings there is nothing to start warm from: [`FitOptions::default`] is for that.
    pub(crate) fn local(seed: u64) -> Self {
        Self { steps: 40, learning_rate: 0.003, nodes_a_step: 128, answers: 4.0, seed, ..Self::default() }
    }

    /// Full batch and on the unedited graph alone, as the paper fits.
    pub(crate) fn paper(options: &PaperOptions, hidden: usize, seed: u64) -> Self {
        Self {
            steps: options.fit_steps,
            learning_rate: options.fit_rate as f32,
            hidden,
            nodes_a_step: usize::MAX,
            answers: 0.0,
            seed,
        }
    }
}

/// What a surrogate is fitted to, beside the embeddings a [`Inputs`] shows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lessons<'a> {
    /// Real changes of the person's scores between edited graphs. Single edges, one answer for each that may be cited, taught
    /// more than 20 random sets of up to five on eight LastFM users (there were more of them, too: 18 to 38).
    pub(crate) answers: &'a [Lesson],
    /// Real scores of the person on the unedited graph; looked at only where no embeddings are shown.
    pub(crate) scores: &'a [(ItemId, f32)],
}

/// A two-layer R-GCN (Schlichtkrull et al., 2018) that imitates a recommender around a person:
///
/// ```text
/// a_v = ReLU(mean over neighbours w of (x_w W_r) + x_v W_0)      o_v = mean of (a_w V_r) + a_v V_0
/// ```
///
/// where `r` is item-to-user or user-to-item, and the mean over edges of weight `w` divides by `max(sum of w, 1)`: an edge of
/// weight 0 is absent, degrees included, and a node without edges still has a slope. A score is a product of outputs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Surrogate {
    pub(crate) weights: Weights,
}

impl Surrogate {
    /// Fits to the output embeddings of the neighbourhood's nodes where they are shown, and to `lessons`, by Adam from
    /// `start` (whose widths must fit what is shown; any surrogate of the same recommender's does) or from random weights.
    ///
    /// Given up with the recommender: steps take seconds together. A step costs about `6 (n + m) f h + 6 n h d + 4 e h` flops for `n` nodes a step with `e` edges to `m` neighbours.
    pub(crate) fn fit(
        inputs: &Inputs<'_>,
        lessons: Lessons<'_>,
        options: &FitOptions,
        start: Option<&Surrogate>,
    ) -> Result<Self, ScoreError> {
        let (features, width) = (inputs.shown.feature_width(), inputs.shown.output_width());
        let mut weights = match start {
            Some(start) if (start.weights.features, start.weights.width) == (features, width) => {
                start.weights.clone()
            }
            _ => Weights::random(features, options.hidden, width, options.seed),
        };
        let courses = Course::all(inputs, lessons, options);
        let adam = Adam::new(options.learning_rate);
        let mut moments = weights.tensors().map(|tensor| AdamMoments::new(tensor.len()));
        let mut grads = weights.zeros_like();
        for step in 0..options.steps {
            inputs.shown.check_wanted()?;
            let course = &courses[step % courses.len()];
            course.gradient(&weights, &mut grads);
            let each = weights.tensors_mut().into_iter().zip(grads.tensors()).zip(&mut moments);
            each.for_each(|((tensor, grad), moments)| adam.step(step as u64 + 1, tensor, grad, moments));
        }
        Ok(Self { weights })
    }
}

/// Steps each batch is good for at the least: putting one together costs about as much as a few steps with it.
const STEPS_A_COURSE: usize = 8;

/// One step's worth of lessons: a batch of outputs, and what they or their products should be.
pub(super) struct Course {
    batch: Batch,
    width: usize,
    /// Rows of the batch whose embeddings are known.
    embedded: Vec<usize>,
    /// Their embeddings.
    embeddings: Vec<f32>,
    products: Vec<Product>,
    /// Weight of the products' mean square.
    products_weight: f32,
}

/// A wanted value of `after - before`, each the product of the person's output with an item's.
struct Product {
    after: (usize, Row),
    /// Absent where the score itself is wanted, not its change.
    before: Option<(usize, Row)>,
    wanted: f32,
    /// One over the usual size of what is wanted.
    scale: f32,
}

/// The score an item should have in a state, or how much it should rise from another state to it.
struct Target {
    after: State,
    before: Option<State>,
    item: ItemId,
    value: f32,
}

/// What these lessons want, on which graphs. Scores themselves are looked at only where no embeddings are shown.
fn wanted(inputs: &Inputs<'_>, lessons: Lessons<'_>) -> (Graphs, Vec<Target>) {
    let mut graphs = Graphs::new();
    let mut wanted = Vec::new();
    for answer in lessons.answers {
        let (before, after) = (graphs.add(inputs, &answer.before), graphs.add(inputs, &answer.after));
        let change = |&(item, value): &(ItemId, f32)| Target { after, before: Some(before), item, value };
        wanted.extend(answer.changes.iter().map(change));
    }
    if inputs.outputs.is_none() {
        let score = |&(item, value): &(ItemId, f32)| Target { after: 0, before: None, item, value };
        wanted.extend(lessons.scores.iter().map(score));
    }
    (graphs, wanted)
}

/// An item's output: a row of the batch, or for an item outside the neighbourhood what the recommender shows.
#[derive(Clone)]
enum Row {
    Fitted(usize),
    Fixed(Vec<f32>),
}

impl Row {
    fn of<'a>(&'a self, outputs: &'a [f32], width: usize) -> &'a [f32] {
        match self {
            Row::Fitted(at) => &outputs[at * width..][..width],
            Row::Fixed(vector) => vector,
        }
    }
}

impl Course {
    /// Cuts all nodes into batches, in random order; every batch sees all answers.
    fn all(inputs: &Inputs<'_>, lessons: Lessons<'_>, options: &FitOptions) -> Vec<Self> {
        let mut nodes: Vec<u32> = match inputs.outputs {
            Some(_) => (0..inputs.nodes() as u32).filter(|&node| Some(node) != inputs.unknown).collect(),
            None => Vec::new(),
        };
        seed::shuffle(&mut seed::rng(options.seed, "surrogate batches"), &mut nodes);
        let size = options.nodes_a_step.clamp(1, nodes.len().max(1));
        let most = (options.steps / STEPS_A_COURSE).max(1);
        let mut parts: Vec<&[u32]> = nodes.chunks(size).take(most).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        parts.into_iter().map(|nodes| Self::new(inputs, nodes, lessons, options.answers)).collect()
    }

    /// These nodes' embeddings, and all lessons.
    pub(super) fn new(inputs: &Inputs<'_>, nodes: &[u32], lessons: Lessons<'_>, answers_weight: f32) -> Self {
        let person = inputs.neighbourhood.person();
        let mut rows: Vec<(u32, State)> = nodes.iter().map(|&node| (node, 0)).collect();
        let answers = if answers_weight > 0.0 { lessons.answers } else { &[] };
        let (graphs, wanted) = wanted(inputs, Lessons { answers, ..lessons });
        // The person and an item in a state, as outputs of the batch.
        let states = |w: &Target| [Some((w.after, w.item)), w.before.map(|before| (before, w.item))];
        let mut asked: Vec<(State, ItemId)> = wanted.iter().flat_map(states).flatten().collect();
        asked.sort_unstable();
        asked.dedup();
        let key = |state: State, node: u32| (node, graphs.of_output(inputs, node, state));
        let node_of = |item: ItemId| inputs.neighbourhood.item(item).map(|item| inputs.item_node(item));
        for &(state, item) in &asked {
            rows.push(key(state, person));
            rows.extend(node_of(item).map(|node| key(state, node)));
        }
        let batch = Batch::new(inputs, &graphs, rows);
        let row_of = |state: State, node: u32| {
            let (node, state) = key(state, node);
            batch.row(node, state)
        };
        let unit = inputs.shown.score_unit();
        let size = |changes: bool| {
            let of = wanted.iter().filter(|wanted| wanted.before.is_some() == changes);
            let squares: Vec<f32> = of.map(|wanted| (wanted.value / unit) * (wanted.value / unit)).collect();
            let mean = squares.iter().sum::<f32>() / squares.len().max(1) as f32;
            if mean > 0.0 { 1.0 / mean.sqrt() } else { 1.0 }
        };
        let (change_scale, score_scale) = (size(true), size(false));
        let products = wanted.iter().filter_map(|&Target { after, before, item, value }| {
            let fixed = match node_of(item) {
                Some(_) => None,
                None => Some(inputs.shown.output_of_item(item)?),
            };
            let side = |state: State| {
                let item = match (&fixed, node_of(item)) {
                    (None, Some(node)) => Row::Fitted(row_of(state, node)),
                    (fixed, _) => Row::Fixed(fixed.clone().unwrap_or_default()),
                };
                (row_of(state, person), item)
            };
            Some(Product {
                after: side(after),
                before: before.map(side),
                wanted: value / unit,
                scale: if before.is_some() { change_scale } else { score_scale },
            })
        });
        let products = products.collect();
        let width = inputs.shown.output_width();
        let (mut embedded, mut embeddings) = (Vec::new(), Vec::new());
        if let Some(outputs) = &inputs.outputs {
            embedded.extend(nodes.iter().map(|&node| batch.row(node, 0)));
            let rows = nodes.iter().flat_map(|&node| &outputs[node as usize * width..][..width]);
            embeddings.extend(rows.copied());
        }
        // Without answers only scores are left, which have nothing beside them to be weighed against.
        let products_weight = if answers_weight > 0.0 { answers_weight } else { 1.0 };
        Self { batch, width, embedded, embeddings, products, products_weight }
    }

    /// The loss's gradient, overwriting `out`, and the loss:
    /// `mean of |o - z|^2 / d + weight * mean of ((product change - wanted) / size)^2`.
    pub(super) fn gradient(&self, weights: &Weights, out: &mut Weights) -> f32 {
        let width = self.width;
        let tape = self.batch.forward(weights);
        let mut grad = vec![0f32; self.batch.rows().len() * width];
        let mut loss = 0.0;
        let share = 1.0 / self.embeddings.len().max(1) as f32;
        for (row, wanted) in self.embedded.iter().zip(self.embeddings.chunks_exact(width)) {
            let (got, grad) = (&tape.out[row * width..][..width], &mut grad[row * width..][..width]);
            for ((got, wanted), grad) in got.iter().zip(wanted).zip(grad) {
                let error = got - wanted;
                loss += share * error * error;
                *grad += 2.0 * share * error;
            }
        }
        let share = self.products_weight / self.products.len().max(1) as f32;
        let row = |at: usize| &tape.out[at * width..][..width];
        for product in &self.products {
            let sides = [Some(&product.after), product.before.as_ref()];
            let values = sides
                .map(|side| side.map_or(0.0, |(person, item)| dot(row(*person), item.of(&tape.out, width))));
            let error = (values[0] - values[1] - product.wanted) * product.scale;
            loss += share * error * error;
            let slope = 2.0 * share * error * product.scale;
            for (side, slope) in sides.into_iter().zip([slope, -slope]) {
                let Some((person, item)) = side else { continue };
                add(&mut grad[person * width..][..width], slope, item.of(&tape.out, width));
                if let Row::Fitted(at) = item {
                    add(&mut grad[at * width..][..width], slope, row(*person));
                }
            }
        }
        self.batch.backward(weights, &tape, &grad, out);
        loss
    }
}

fn add(to: &mut [f32], factor: f32, vector: &[f32]) {
    to.iter_mut().zip(vector).for_each(|(to, v)| *to += factor * v);
}
