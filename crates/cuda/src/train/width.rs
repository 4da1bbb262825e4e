//! How wide a row is on the card.

/// The width of a layer, as kernels see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Width {
    /// As the model has it.
    pub(crate) dim: usize,
    /// In float4, the last one filled up with zeros.
    pub(crate) stride: u32,
    /// Lanes of a warp that hold a row together.
    pub(crate) lanes: u32,
}

impl Width {
    pub(crate) fn of(dim: usize) -> Self {
        let stride = dim.div_ceil(4).max(1);
        Self { dim, stride: stride as u32, lanes: stride.next_power_of_two().clamp(4, 32) as u32 }
    }

    /// Values of a row, those that fill it up included.
    pub(crate) fn padded(self) -> usize {
        4 * self.stride as usize
    }

    /// Bytes of so many rows.
    pub(crate) fn bytes(self, rows: usize) -> usize {
        4 * self.padded() * rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_float4_and_lanes_a_power_of_two() {
        let of = |dim| (Width::of(dim).stride, Width::of(dim).lanes, Width::of(dim).padded());
        assert_eq!([of(1), of(7), of(64), of(132)], [(1, 4, 4), (2, 4, 8), (16, 16, 64), (33, 32, 132)]);
        assert_eq!(Width::of(7).bytes(10), 320);
    }
}
