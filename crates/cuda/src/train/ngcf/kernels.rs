//! The kernels of NGCF's step.

use cudarc::driver::CudaFunction;

use crate::card::{Card, CardError};

/// The same at all nodes and at the batch's rows.
pub(crate) struct Tiles {
    pub(crate) forward: CudaFunction,
    pub(crate) back_rows: CudaFunction,
    pub(crate) back_tensors: CudaFunction,
}

impl Tiles {
    fn new(card: &Card, [forward, back_rows, back_tensors]: [&str; 3]) -> Result<Self, CardError> {
        Ok(Self {
            forward: card.kernel(forward)?,
            back_rows: card.kernel(back_rows)?,
            back_tensors: card.kernel(back_tensors)?,
        })
    }
}

pub(crate) struct Kernels {
    pub(crate) all: Tiles,
    pub(crate) slots: Tiles,
    pub(crate) propagate: CudaFunction,
    pub(crate) aggregate_slots: CudaFunction,
    pub(crate) read_slots: CudaFunction,
    pub(crate) read_all: CudaFunction,
    pub(crate) back_readout: CudaFunction,
    pub(crate) back_from_slots: CudaFunction,
    pub(crate) back_from_all: CudaFunction,
    pub(crate) learn_layer: CudaFunction,
    pub(crate) learn_rows: CudaFunction,
}

impl Kernels {
    pub(crate) fn new(card: &Card, lanes: u32, layers: usize) -> Result<Self, CardError> {
        let of = |name: &str| card.kernel(&format!("{name}_{lanes}"));
        let learn_rows = match layers {
            0 => "learn_rows_alone",
            1 => "learn_rows_slots",
            _ => "learn_rows_all",
        };
        Ok(Self {
            all: Tiles::new(card, ["forward_all", "back_rows_all", "back_tensors_all"])?,
            slots: Tiles::new(card, ["forward_slots", "back_rows_slots", "back_tensors_slots"])?,
            propagate: of("propagate")?,
            aggregate_slots: of("aggregate_slots")?,
            read_slots: of("read_layer_slots")?,
            read_all: of("read_layer_all")?,
            back_readout: of("back_readout")?,
            back_from_slots: of("back_layer_slots")?,
            back_from_all: of("back_layer_all")?,
            learn_layer: card.kernel("learn_layer")?,
            learn_rows: of(learn_rows)?,
        })
    }
}
