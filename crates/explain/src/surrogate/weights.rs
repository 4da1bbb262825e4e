//! What a surrogate learns.

use grease_graph::seed;
use rand::Rng;

/// One layer of the R-GCN; matrices are `[in, out]`, row-major.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layer {
    /// Of messages from items to users.
    pub(crate) to_users: Vec<f32>,
    /// Of messages from users to items.
    pub(crate) to_items: Vec<f32>,
    /// Of a node's own vector, shared by users and items.
    pub(crate) own: Vec<f32>,
}

/// Both layers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weights {
    /// Width of a node's features.
    pub(crate) features: usize,
    /// Width between the layers.
    pub(crate) hidden: usize,
    /// Width of a node's output.
    pub(crate) width: usize,
    /// Features to hidden.
    pub(crate) first: Layer,
    /// Hidden to output.
    pub(crate) second: Layer,
}

impl Weights {
    /// Uniform of variance `1 / in`, so that features of unit size give outputs of about unit size.
    pub(crate) fn random(features: usize, hidden: usize, width: usize, seed: u64) -> Self {
        let mut rng = seed::rng(seed, "surrogate weights");
        let mut matrix = |rows: usize, cols: usize| -> Vec<f32> {
            let bound = (3.0 / rows as f32).sqrt();
            (0..rows * cols).map(|_| bound * unit(&mut rng)).collect()
        };
        let mut layer = |rows, cols| Layer {
            to_users: matrix(rows, cols),
            to_items: matrix(rows, cols),
            own: matrix(rows, cols),
        };
        let (first, second) = (layer(features, hidden), layer(hidden, width));
        Self { features, hidden, width, first, second }
    }

    /// All zeros, for gradients of these.
    pub(crate) fn zeros_like(&self) -> Self {
        let mut zeros = self.clone();
        zeros.tensors_mut().into_iter().for_each(|tensor| tensor.fill(0.0));
        zeros
    }

    /// Every matrix, in one order.
    pub(crate) fn tensors(&self) -> [&Vec<f32>; 6] {
        let (a, b) = (&self.first, &self.second);
        [&a.to_users, &a.to_items, &a.own, &b.to_users, &b.to_items, &b.own]
    }

    /// Every matrix, in the same order.
    pub(crate) fn tensors_mut(&mut self) -> [&mut Vec<f32>; 6] {
        let (a, b) = (&mut self.first, &mut self.second);
        [&mut a.to_users, &mut a.to_items, &mut a.own, &mut b.to_users, &mut b.to_items, &mut b.own]
    }
}

/// A number in [-1, 1).
pub(crate) fn unit(rng: &mut impl Rng) -> f32 {
    (rng.next_u32() >> 8) as f32 / (1u32 << 23) as f32 - 1.0
}
