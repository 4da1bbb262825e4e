//! A small network that says of edges by their features how much they matter, and learns it: one hidden layer, in place of the two of the
//! references, which learn from far more.

use grease_kernels::{Adam, AdamMoments};
use rand::Rng;

/// Width of the hidden layer.
const HIDDEN: usize = 32;

/// Its weights: `[features, HIDDEN]`, the hidden layer's offsets, and what each of its columns counts.
#[derive(Debug, Clone)]
pub(super) struct Network {
    features: usize,
    weights: Vec<f32>,
}

/// What it said of some edges, and the hidden layer it came from.
pub(super) struct Said {
    pub(super) logits: Vec<f32>,
    hidden: Vec<f32>,
}

impl Network {
    /// Of nothing yet: small weights by chance.
    pub(super) fn new(features: usize, rng: &mut impl Rng) -> Self {
        let mut around_zero =
            |reach: f32| reach * ((rng.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0);
        let (first, second) = ((6.0 / features.max(1) as f32).sqrt(), (6.0 / HIDDEN as f32).sqrt());
        let mut weights: Vec<f32> = (0..features * HIDDEN).map(|_| around_zero(first)).collect();
        weights.extend([0f32; HIDDEN]);
        weights.extend((0..HIDDEN).map(|_| around_zero(second)));
        Self { features, weights }
    }

    /// What it says of edges: `[edges, features]`.
    pub(super) fn say(&self, features: &[f32]) -> Said {
        let (matrix, rest) = self.weights.split_at(self.features * HIDDEN);
        let (offsets, counts) = rest.split_at(HIDDEN);
        let mut hidden = Vec::with_capacity(features.len() / self.features.max(1) * HIDDEN);
        let mut logits = Vec::new();
        for edge in features.chunks_exact(self.features) {
            let mut row: [f32; HIDDEN] = std::array::from_fn(|at| offsets[at]);
            for (&feature, weights) in edge.iter().zip(matrix.chunks_exact(HIDDEN)) {
                row.iter_mut().zip(weights).for_each(|(row, weight)| *row += feature * weight);
            }
            row.iter_mut().for_each(|value| *value = value.max(0.0));
            logits.push(row.iter().zip(counts).map(|(value, count)| value * count).sum());
            hidden.extend(row);
        }
        Said { logits, hidden }
    }

    /// Adds the gradient by its weights to `into`, from that by what it said.
    pub(super) fn add_gradient(&self, features: &[f32], said: &Said, by_logit: &[f32], into: &mut [f32]) {
        let counts = &self.weights[(self.features + 1) * HIDDEN..];
        let (matrix, rest) = into.split_at_mut(self.features * HIDDEN);
        let (offsets, by_counts) = rest.split_at_mut(HIDDEN);
        let edges = features.chunks_exact(self.features).zip(said.hidden.chunks_exact(HIDDEN));
        for ((edge, hidden), &slope) in edges.zip(by_logit) {
            let row: [f32; HIDDEN] =
                std::array::from_fn(|at| if hidden[at] > 0.0 { slope * counts[at] } else { 0.0 });
            by_counts.iter_mut().zip(hidden).for_each(|(by, value)| *by += slope * value);
            offsets.iter_mut().zip(&row).for_each(|(by, slope)| *by += slope);
            for (&feature, by) in edge.iter().zip(matrix.chunks_exact_mut(HIDDEN)) {
                by.iter_mut().zip(&row).for_each(|(by, slope)| *by += feature * slope);
            }
        }
    }

    /// So many rounds over examples, a step of Adam after each example: `slopes` gives the gradient by what the network says of an example.
    pub(super) fn learn<E>(
        &mut self,
        examples: &mut [E],
        (epochs, rate): (usize, f32),
        features: impl Fn(&E) -> &[f32],
        mut slopes: impl FnMut(&mut E, &[f32]) -> Result<Vec<f32>, crate::find::Stop>,
    ) -> Result<(), crate::find::Stop> {
        let (adam, mut moments) = (Adam::new(rate), AdamMoments::new(self.weights.len()));
        let mut gradient = vec![0f32; self.weights.len()];
        let mut step = 0;
        for _ in 0..epochs {
            for example in &mut *examples {
                let said = self.say(features(example));
                let by_logit = slopes(example, &said.logits)?;
                gradient.fill(0.0);
                self.add_gradient(features(example), &said, &by_logit, &mut gradient);
                step += 1;
                adam.step(step, &mut self.weights, &gradient, &mut moments);
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }
}
