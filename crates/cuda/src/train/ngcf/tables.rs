//! What lies on the card while NGCF is trained, but for what is learned.

use cudarc::driver::CudaSlice;

use crate::card::{Card, CardError};
use crate::train::width::Width;

/// Values of all parts of a gradient together, at most, but for one part.
const PARTS: usize = 16 << 20;

/// Into how many parts the rows are divided, each of which adds up its own gradients by a layer's tensors: about as many as there are
/// blocks at a time on a large card, fewer where a part is large, and its tiles are blocks enough.
pub(crate) fn parts(width: Width) -> u32 {
    let part = width.padded() * (2 * width.padded() + 1);
    (PARTS / part).clamp(1, 384) as u32
}

/// Tables of a row a node, and of a row a slot.
pub(crate) struct Tables {
    /// `S` times the table of embeddings.
    pub(crate) base: CudaSlice<f32>,
    /// `S` times what goes through the graph next.
    pub(crate) scaled: CudaSlice<f32>,
    /// Outputs and aggregates of the layers below the last.
    pub(crate) hidden: Vec<CudaSlice<f32>>,
    pub(crate) aggregated: Vec<CudaSlice<f32>>,
    /// The gradient by a layer's output, and the one by its input that does not come through the graph.
    pub(crate) by_output: CudaSlice<f32>,
    pub(crate) by_input: CudaSlice<f32>,
    /// The last layer at the batch's rows: aggregate, output, and gradients by its input and, scaled, by its aggregate.
    pub(crate) last: Last,
    /// Embeddings of the batch's rows, all layers side by side, and what each was multiplied with to have length 1.
    pub(crate) output: CudaSlice<f32>,
    pub(crate) shrinks: CudaSlice<f32>,
    /// What the batch asks of each layer's rows, in the same order.
    pub(crate) asked: CudaSlice<f32>,
    /// Parts of the gradients by a layer's tensors.
    pub(crate) parts: CudaSlice<f32>,
}

/// One row a slot.
pub(crate) struct Last {
    pub(crate) aggregated: CudaSlice<f32>,
    pub(crate) output: CudaSlice<f32>,
    pub(crate) by_input: CudaSlice<f32>,
    pub(crate) scaled: CudaSlice<f32>,
}

impl Tables {
    pub(crate) fn new(
        card: &Card,
        nodes: usize,
        slots: usize,
        width: Width,
        layers: usize,
    ) -> Result<Self, CardError> {
        let zeros = |rows: usize| card.zeros::<f32>(rows * width.padded());
        let below = || (1..layers).map(|_| zeros(nodes)).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            base: zeros(nodes)?,
            scaled: zeros(nodes)?,
            hidden: below()?,
            aggregated: below()?,
            by_output: zeros(nodes)?,
            by_input: zeros(nodes)?,
            last: Last {
                aggregated: zeros(slots)?,
                output: zeros(slots)?,
                by_input: zeros(slots)?,
                scaled: zeros(slots)?,
            },
            output: zeros(slots * (layers + 1))?,
            shrinks: card.zeros(slots * (layers + 1))?,
            asked: zeros(slots * (layers + 1))?,
            parts: zeros(parts(width) as usize * (2 * width.padded() + 1))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_gradient_never_take_much_more_room_than_one() {
        assert_eq!(parts(Width::of(64)), 384);
        for dim in [1, 7, 132, 300, 1024, 4096] {
            let (width, count) = (Width::of(dim), parts(Width::of(dim)) as usize);
            let part = width.padded() * (2 * width.padded() + 1);
            assert!(count == 1 || count * part <= PARTS, "width {dim}: {count} parts");
        }
    }
}
