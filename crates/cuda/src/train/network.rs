//! What a model being trained on a card has to offer.

use cudarc::driver::CudaSlice;
use grease_models::train::Checkpoint;

use crate::card::CardError;
use crate::topology::Topology;
use crate::train::epochs::Planned;

/// A model being trained: its tensors on the card, and the kernels of a step.
pub(crate) trait Network: Send {
    /// The graph it is trained on.
    fn topology(&self) -> &Topology;

    /// What a dot product of two rows of a step's output is multiplied with.
    fn gain(&self) -> f32;

    /// Launches the kernels of a step; the same for every step.
    fn launch_step(&self, planned: &Planned) -> Result<(), CardError>;

    /// Brings tensors and moments back.
    fn fetch(&self, state: &mut Checkpoint) -> Result<(), CardError>;

    /// float4 of an output embedding.
    fn output_stride(&self) -> u32;

    /// Writes the output embeddings of all nodes, up to a factor.
    fn embed(&self, out: &mut CudaSlice<f32>) -> Result<(), CardError>;
}
