//! What a network's layers do to one row, as far as weights of interactions are concerned.

use crate::adjacency::Adjacency;
use crate::halves::Side;

/// A network whose layers make each row of what its neighbours send and, maybe, of the same row of the layer before.
pub(crate) trait Layered: Sync {
    /// The graph, unedited.
    fn adjacency(&self) -> &Adjacency;

    /// How many layers there are.
    fn depth(&self) -> usize;

    /// Width of a layer.
    fn dim(&self) -> usize;

    /// Whether a row is made of the same row of the layer before, too.
    fn keeps_itself(&self) -> bool;

    /// All rows of layer `l` of the unedited graph; layer 0 is the input table.
    fn rows(&self, l: usize, side: Side) -> &[f32];

    /// Rows of layer `l`, from layer 1 on, of the same rows `h` of the layer before, where that counts, and `p`, what the neighbours
    /// sent. `lengths` is for whatever [`Self::backward`] wants to know again.
    fn forward(&self, l: usize, h: &[f32], p: &[f32], out: &mut [f32], lengths: &mut Vec<f32>);

    /// The way back: in `slope` is the gradient by the rows, and then the one by `h`, where that counts; in `by_p` the one by `p`.
    fn backward(&self, l: usize, made: Made<'_>, slope: &mut [f32], by_p: &mut [f32]);

    /// Length of an output embedding.
    fn output_width(&self) -> usize;

    /// Adds what a row of layer `l` is in its node's output embedding.
    fn read(&self, l: usize, row: &[f32], output: &mut [f32]);

    /// Adds the gradient by a row of layer `l`, given the one by its node's output embedding.
    fn read_back(&self, l: usize, row: &[f32], by_output: &[f32], grad: &mut [f32]);
}

/// What a layer was made of, and what it made.
#[derive(Clone, Copy)]
pub(crate) struct Made<'a> {
    pub(crate) h: &'a [f32],
    pub(crate) p: &'a [f32],
    pub(crate) out: &'a [f32],
    pub(crate) lengths: &'a [f32],
}
