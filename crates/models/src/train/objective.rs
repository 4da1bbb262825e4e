//! The two losses, and their gradients by the embeddings of a batch.

use std::fmt;
use std::str::FromStr;

use grease_kernels::dense::dot;
use grease_kernels::vectorise;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::halves::{Halves, Side, on_both, row, row_mut};
use crate::train::batch::Batch;
use crate::weights::Weights;

/// What training minimises, averaged over a batch of (user, touched item, other item).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// Binary cross-entropy, the paper's: `-log s(y_pos) - log s(-y_neg)`.
    Bce,
    /// Bayesian personalised ranking: `-log s(y_pos - y_neg)`.
    Bpr,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Loss::Bce => "bce",
            Loss::Bpr => "bpr",
        })
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "bce" => Ok(Loss::Bce),
            "bpr" => Ok(Loss::Bpr),
            _ => Err(format!("`{s}` is no loss; known are `bce` and `bpr`")),
        }
    }
}

/// The loss with its L2 penalty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Objective {
    pub(crate) loss: Loss,
    /// `l2 / 2 * (|u|^2 + |pos|^2 + |neg|^2)` a triple, on the input rows.
    pub(crate) l2: f32,
}

impl Loss {
    /// Value, and derivatives by the positive's and the negative's score.
    fn of(self, positive: f32, negative: f32) -> (f64, f32, f32) {
        match self {
            Loss::Bce => (softplus(-positive) + softplus(negative), -sigmoid(-positive), sigmoid(negative)),
            Loss::Bpr => {
                let slope = sigmoid(negative - positive);
                (softplus(negative - positive), -slope, slope)
            }
        }
    }
}

/// `log(1 + e^x)` without overflow.
fn softplus(x: f32) -> f64 {
    let x = f64::from(x);
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Loss of a batch (mean over its triples, without the penalty) and its gradients by the embeddings; all with one row a
/// slot. A score is `gain` times the dot product of two embeddings. The gradients are written over.
pub(crate) fn batch_gradients(
    loss: Loss,
    batch: &Batch,
    output: &Halves,
    width: usize,
    gain: f32,
    grads: &mut Halves,
) -> f64 {
    let Halves { users, items } = output;
    let Halves { users: user_grads, items: item_grads } = grads;
    let t = &batch.triples;
    let share = gain / batch.len() as f32;
    let slopes: Vec<(f64, f32, f32)> = (0..batch.len())
        .into_par_iter()
        .with_min_len(256)
        .map(|k| {
            let user = row(users, width, t.users[k]);
            let score = |item: u32| gain * dot(user, row(items, width, item));
            let (value, by_positive, by_negative) = loss.of(score(t.positives[k]), score(t.negatives[k]));
            (value, by_positive * share, by_negative * share)
        })
        .collect();
    // Each side is summed by one thread in the order of the batch.
    rayon::join(
        || {
            zero(user_grads, batch.rows(Side::Users).len() * width);
            vectorise(|| {
                for (k, &(_, p, n)) in slopes.iter().enumerate() {
                    let grad = row_mut(user_grads, width, t.users[k]);
                    let (positive, negative) =
                        (row(items, width, t.positives[k]), row(items, width, t.negatives[k]));
                    grad.iter_mut().zip(positive).zip(negative).for_each(|((g, a), b)| *g += p * a + n * b);
                }
            });
        },
        || {
            zero(item_grads, batch.rows(Side::Items).len() * width);
            vectorise(|| {
                for (k, &(_, p, n)) in slopes.iter().enumerate() {
                    let user = row(users, width, t.users[k]);
                    for (slot, slope) in [(t.positives[k], p), (t.negatives[k], n)] {
                        let grad = row_mut(item_grads, width, slot);
                        grad.iter_mut().zip(user).for_each(|(g, u)| *g += slope * u);
                    }
                }
            });
        },
    );
    slopes.iter().map(|s| s.0).sum::<f64>() / batch.len() as f64
}

/// Adds the penalty's gradient by the input rows, each as often as it occurs, to the first `dim` columns of `grads`, which
/// has rows of `width`, one a slot.
pub(crate) fn penalise(
    l2: f32,
    batch: &Batch,
    weights: &Weights,
    dim: usize,
    width: usize,
    grads: &mut Halves,
) {
    let share = l2 / batch.len() as f32;
    on_both(&mut grads.users, &mut grads.items, |side, grads| {
        let table = weights.table(side);
        vectorise(|| {
            let slots = grads.chunks_exact_mut(width).zip(batch.rows(side)).zip(batch.counts(side));
            for ((grad, &at), &count) in slots {
                let factor = share * count as f32;
                grad.iter_mut().zip(row(table, dim, at)).for_each(|(g, x)| *g += factor * x);
            }
        });
    });
}

fn zero(values: &mut Vec<f32>, len: usize) {
    values.clear();
    values.resize(len, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_equal_finite_differences() {
        for loss in [Loss::Bce, Loss::Bpr] {
            for (p, n) in [(0.3f32, -0.7f32), (-2.0, 1.5), (8.0, 9.0), (0.0, 0.0)] {
                let h = 1e-2f32;
                let (_, by_p, by_n) = loss.of(p, n);
                let difference = |a: f64, b: f64| (a - b) / f64::from(2.0 * h);
                let want_p = difference(loss.of(p + h, n).0, loss.of(p - h, n).0);
                let want_n = difference(loss.of(p, n + h).0, loss.of(p, n - h).0);
                assert!(
                    (want_p - f64::from(by_p)).abs() < 1e-4,
                    "{loss} at {p}, {n}: {want_p} against {by_p}"
                );
                assert!(
                    (want_n - f64::from(by_n)).abs() < 1e-4,
                    "{loss} at {p}, {n}: {want_n} against {by_n}"
                );
            }
        }
    }

    #[test]
    fn extreme_scores_stay_finite() {
        for loss in [Loss::Bce, Loss::Bpr] {
            let (value, by_p, by_n) = loss.of(-1e4, 1e4);
            assert!(value.is_finite() && by_p.is_finite() && by_n.is_finite());
        }
    }
}
