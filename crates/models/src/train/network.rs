//! What the training loop asks of a model: the gradients of a batch.

use crate::train::batch::Batch;
use crate::train::objective::Objective;
use crate::weights::Weights;

/// A model being trained: forward and backward of one batch, with the room that takes.
pub(crate) trait Network: Send {
    /// Writes the gradient of the objective by every weight and returns the batch's loss (without the penalty).
    /// `step` numbers the batch, for whatever is random in training.
    fn gradients(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        objective: &Objective,
        step: u64,
        grads: &mut Weights,
    ) -> f64;
}
