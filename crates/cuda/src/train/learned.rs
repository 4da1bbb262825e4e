//! Learned tensors on the card, with what Adam remembers of them.

use std::ops::Range;

use cudarc::driver::CudaSlice;
use grease_models::train::Checkpoint;

use crate::card::{Card, CardError};
use crate::padding::{pad, unpad};

/// Some of a model's tensors, one behind the other.
pub(crate) struct Learned {
    pub(crate) values: CudaSlice<f32>,
    pub(crate) means: CudaSlice<f32>,
    pub(crate) squares: CudaSlice<f32>,
    tensors: Range<usize>,
    /// Values of a row here, and rows of each tensor.
    padded: usize,
    rows: Vec<usize>,
}

impl Learned {
    /// Brings tensors and moments to the card. Rows are filled up to `padded` values, and tensor `k` to at least `rows(k)` rows.
    pub(crate) fn new(
        card: &Card,
        state: &Checkpoint,
        tensors: Range<usize>,
        padded: usize,
        rows: impl Fn(usize) -> usize,
    ) -> Result<Self, CardError> {
        let rows: Vec<usize> =
            tensors.clone().map(|k| state.weights.0[k].shape[0].max(rows(k - tensors.start))).collect();
        let upload = |of: fn(&Checkpoint, usize) -> &[f32]| {
            let all = tensors.clone().zip(&rows).flat_map(|(k, rows)| {
                let mut values = pad(of(state, k), state.weights.0[k].shape[1], padded);
                values.resize(rows * padded, 0.0);
                values
            });
            card.upload(&all.collect::<Vec<f32>>())
        };
        Ok(Self {
            values: upload(|state, k| &state.weights.0[k].data)?,
            means: upload(|state, k| &state.moments[k].mean)?,
            squares: upload(|state, k| &state.moments[k].square)?,
            tensors,
            padded,
            rows,
        })
    }

    /// Brings them back.
    pub(crate) fn fetch(&self, card: &Card, state: &mut Checkpoint) -> Result<(), CardError> {
        let [values, means, squares] = [&self.values, &self.means, &self.squares].map(|on| card.download(on));
        let (values, means, squares) = (values?, means?, squares?);
        let mut from = 0;
        for (k, rows) in self.tensors.clone().zip(&self.rows) {
            let (tensor, moments) = (&mut state.weights.0[k], &mut state.moments[k]);
            let [real, width] = tensor.shape;
            let here = from..from + real * self.padded;
            let part = |of: &[f32]| unpad(&of[here.clone()], width, self.padded);
            (tensor.data, moments.mean, moments.square) =
                (part(&values).into(), part(&means), part(&squares));
            from += rows * self.padded;
        }
        Ok(())
    }
}
