//! The output embedding: layer 0 as it is, every further layer divided by its length, side by side.

use grease_kernels::dense::dot;
use grease_kernels::vectorise;
use rayon::prelude::*;

/// Keeps a vector of zeros from being divided by 0.
const SHORTEST: f32 = 1e-12;

/// Rows a thread takes at a time.
const BLOCK: usize = 512;

/// Writes one layer's part of the output: `out` has rows of `width`, the part starts at column `at`.
pub(super) fn place<'a>(
    layer: usize,
    rows: impl Iterator<Item = &'a [f32]>,
    at: usize,
    width: usize,
    out: &mut [f32],
) {
    for (out, row) in out.chunks_exact_mut(width).zip(rows) {
        let out = &mut out[at..][..row.len()];
        out.copy_from_slice(row);
        if layer > 0 {
            let shrink = 1.0 / length(row);
            vectorise(|| out.iter_mut().for_each(|v| *v *= shrink));
        }
    }
}

/// Divides each row by its length.
pub(super) fn normalise(dim: usize, rows: &mut [f32]) {
    rows.par_chunks_mut(BLOCK * dim).for_each(|block| normalise_here(dim, block));
}

/// As [`normalise`], on this thread.
pub(super) fn normalise_here(dim: usize, rows: &mut [f32]) {
    for row in rows.chunks_exact_mut(dim) {
        let shrink = 1.0 / length(row);
        vectorise(|| row.iter_mut().for_each(|v| *v *= shrink));
    }
}

/// Adds to `grad` the gradient by `row` of its part of the output, given the gradient by that part.
/// With `n = x / |x|`: `dx = (dn - n (n . dn)) / |x|`.
pub(super) fn backward(layer: usize, row: &[f32], by_part: &[f32], grad: &mut [f32]) {
    if layer == 0 {
        grad.iter_mut().zip(by_part).for_each(|(g, b)| *g += b);
        return;
    }
    let length = length(row);
    let along = dot(row, by_part) / (length * length);
    let shrink = 1.0 / length;
    vectorise(|| {
        grad.iter_mut().zip(row).zip(by_part).for_each(|((g, x), b)| *g += (b - x * along) * shrink);
    });
}

/// From the gradient by `n = x / |x|` to that by `x`, given `n` and the length: as in [`backward`].
pub(super) fn lengthen(unit: &[f32], length: f32, slope: &mut [f32]) {
    let along = dot(unit, slope);
    vectorise(|| slope.iter_mut().zip(unit).for_each(|(s, n)| *s = (*s - n * along) / length));
}

pub(super) fn length(row: &[f32]) -> f32 {
    dot(row, row).sqrt().max(SHORTEST)
}
