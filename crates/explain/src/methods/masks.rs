//! Masks of edges, followed downhill: what the methods that learn one have in common.

use grease_graph::Edge;
use grease_kernels::{Adam, AdamMoments};

use super::by_score;
use crate::find::Stop;

/// How a mask is followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Descent {
    pub(super) steps: u64,
    /// Adam's step.
    pub(super) rate: f32,
}

impl Descent {
    /// A mask between 0 and 1 for each of some edges, from one half on: the sigmoid of what Adam moves against the gradient, which
    /// `slopes` fills in for a mask it is given.
    pub(super) fn follow(
        self,
        edges: usize,
        mut slopes: impl FnMut(&[f32], &mut [f32]) -> Result<(), Stop>,
    ) -> Result<Vec<f32>, Stop> {
        let (adam, mut moments) = (Adam::new(self.rate), AdamMoments::new(edges));
        let mut logits = vec![0f32; edges];
        let (mut mask, mut by_mask) = (vec![0.5f32; edges], vec![0f32; edges]);
        for step in 1..=self.steps {
            by_mask.fill(0.0);
            slopes(&mask, &mut by_mask)?;
            by_mask.iter_mut().zip(&mask).for_each(|(slope, m)| *slope *= m * (1.0 - m));
            adam.step(step, &mut logits, &by_mask, &mut moments);
            mask.iter_mut().zip(&logits).for_each(|(m, &logit)| *m = sigmoid(logit));
        }
        Ok(mask)
    }
}

/// The `most` edges of the largest values.
pub(super) fn largest_first(pool: &[Edge], values: &[f32], most: usize) -> Vec<Edge> {
    let mut values = values.iter();
    by_score(pool, most, |_| *values.next().expect("one for each edge"))
}

pub(super) fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}
