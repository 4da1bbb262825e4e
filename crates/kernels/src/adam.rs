//! Adam (Kingma and Ba, 2015), dense, in place.

use rayon::prelude::*;

use crate::isa::{Isa, Kernel, mul_add};

/// What Adam is set to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// Step size.
    pub learning_rate: f32,
    /// Decay of the mean of gradients.
    pub beta1: f32,
    /// Decay of the mean of squared gradients.
    pub beta2: f32,
    /// Keeps the division finite.
    pub epsilon: f32,
}

impl Adam {
    /// The usual decays, with this step size.
    pub fn new(learning_rate: f32) -> Self {
        Self { learning_rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }

    /// One step on one tensor: `step` counts from 1 and is shared by all tensors of a model.
    pub fn step(&self, step: u64, params: &mut [f32], grads: &[f32], moments: &mut AdamMoments) {
        assert_eq!(params.len(), grads.len(), "one gradient a parameter");
        assert_eq!(params.len(), moments.mean.len(), "one moment a parameter");
        assert_eq!(params.len(), moments.square.len(), "one moment a parameter");
        assert!(step > 0, "steps count from 1");
        // Both bias corrections folded into two scalars; in f64, for beta2^step needs the digits.
        let mean_correction = 1.0 - f64::from(self.beta1).powi(step.min(1 << 30) as i32);
        let square_correction = 1.0 - f64::from(self.beta2).powi(step.min(1 << 30) as i32);
        let rate = (f64::from(self.learning_rate) / mean_correction) as f32;
        let root = (1.0 / square_correction.sqrt()) as f32;
        let each = (
            params.par_chunks_mut(CHUNK),
            grads.par_chunks(CHUNK),
            moments.mean.par_chunks_mut(CHUNK),
            moments.square.par_chunks_mut(CHUNK),
        );
        each.into_par_iter().for_each(|(params, grads, mean, square)| {
            Isa::current().run(Chunk { adam: *self, rate, root, params, grads, mean, square });
        });
    }
}

/// Adam's memory of one tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct AdamMoments {
    /// Running mean of the gradients.
    pub mean: Vec<f32>,
    /// Running mean of their squares.
    pub square: Vec<f32>,
}

impl AdamMoments {
    /// Zeros for `n` parameters.
    pub fn new(n: usize) -> Self {
        Self { mean: vec![0.0; n], square: vec![0.0; n] }
    }
}

/// Parameters a thread takes at a time: four streams of it fit the second-level cache.
const CHUNK: usize = 16 * 1024;

struct Chunk<'a> {
    adam: Adam,
    rate: f32,
    root: f32,
    params: &'a mut [f32],
    grads: &'a [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
}

impl Kernel for Chunk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Adam { beta1, beta2, epsilon, .. } = self.adam;
        let n = self.params.len();
        let (grads, mean, square) = (&self.grads[..n], &mut self.mean[..n], &mut self.square[..n]);
        for i in 0..n {
            let g = grads[i];
            mean[i] = mul_add::<FMA>(beta1, mean[i], (1.0 - beta1) * g);
            square[i] = mul_add::<FMA>(beta2, square[i], (1.0 - beta2) * g * g);
            self.params[i] -= self.rate * mean[i] / mul_add::<FMA>(square[i].sqrt(), self.root, epsilon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_published_recurrence() {
        // m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2; p -= lr (m / (1-b1^t)) / (sqrt(v / (1-b2^t)) + eps), in f64.
        let adam = Adam::new(0.01);
        let n = 37;
        let mut params: Vec<f32> = (0..n).map(|i| i as f32 / 10.0 - 1.0).collect();
        let mut moments = AdamMoments::new(n);
        let (mut p, mut m, mut v): (Vec<f64>, _, _) =
            (params.iter().map(|&x| f64::from(x)).collect(), vec![0f64; n], vec![0f64; n]);
        for t in 1..=50u64 {
            let grads: Vec<f32> = (0..n).map(|i| ((i as f32) * 0.7 + t as f32).sin()).collect();
            adam.step(t, &mut params, &grads, &mut moments);
            for i in 0..n {
                let g = f64::from(grads[i]);
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let (mh, vh) = (m[i] / (1.0 - 0.9f64.powi(t as i32)), v[i] / (1.0 - 0.999f64.powi(t as i32)));
                p[i] -= 0.01 * mh / (vh.sqrt() + 1e-8);
            }
        }
        for i in 0..n {
            assert!((f64::from(params[i]) - p[i]).abs() < 1e-4, "{} against {}", params[i], p[i]);
        }
    }

    #[test]
    fn the_first_step_is_the_learning_rate_whatever_the_gradient() {
        let mut params = vec![0f32; 2];
        Adam::new(0.5).step(1, &mut params, &[1e-3, -1e3], &mut AdamMoments::new(2));
        assert!((params[0] + 0.5).abs() < 1e-3 && (params[1] - 0.5).abs() < 1e-3);
    }
}
