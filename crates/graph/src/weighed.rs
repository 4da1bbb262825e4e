//! Interactions that are there in part: scores as a function of their weights, for whoever follows its gradient.

use crate::ScoreError;

/// One person's scores of some items, where chosen interactions have weights: 1 is there, 0 is not, as an [`Edit`](crate::Edit) has it,
/// degrees included. Between the two an interaction counts as much as its weight, in products and in degrees.
///
/// Made by [`Recommender::weighed`](crate::Recommender::weighed), which is told the interactions and the items.
pub trait Weighed {
    /// Scores of the items, in their order, with each interaction at its weight: a finite number from 0.
    ///
    /// # Panics
    ///
    /// Where there is not one weight for each interaction and one score for each item.
    fn score(&mut self, weights: &[f32], out: &mut [f32]) -> Result<(), ScoreError>;

    /// The gradient by each weight of the sum of `slopes[i] * score[i]`, where the scores were last asked for.
    ///
    /// # Panics
    ///
    /// Where nothing was asked yet, and as [`Self::score`].
    fn gradient(&mut self, slopes: &[f32], out: &mut [f32]) -> Result<(), ScoreError>;
}
