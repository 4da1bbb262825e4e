//! One NGCF layer on a slab of rows, forward and backward; rows know nothing of one another here.
//!
//! ```text
//! z = (p + h) w1 + b1 + (p * h) w2 + b2,   out = dropout(LeakyReLU_0.2(z)),   p = (A h) of the row
//! ```

use grease_graph::seed;
use grease_kernels::dense::{matmul, matmul_transposed, transposed_matmul};
use grease_kernels::vectorise;
use rayon::prelude::*;

use crate::weights::Weights;

/// Slope of LeakyReLU below 0.
const LEAK: f32 = 0.2;

/// Rows a thread takes at a time; all that one block computes stays in the cache.
const BLOCK: usize = 512;

/// The learned part of one layer.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a> {
    pub(super) w1: &'a [f32],
    pub(super) b1: &'a [f32],
    pub(super) w2: &'a [f32],
    pub(super) b2: &'a [f32],
}

impl<'a> Layer<'a> {
    /// Layer `l` of a model's weights.
    pub(super) fn of(weights: &'a Weights, l: usize) -> Self {
        let t = &weights.0[2 + 4 * l..];
        Self { w1: &t[0].data, b1: &t[1].data, w2: &t[2].data, b2: &t[3].data }
    }
}

/// Drops a share of the values in training and scales the rest up. What is dropped is a function of the key, the row and the
/// column, so threads and the order of rows change nothing.
#[derive(Clone, Copy)]
pub(super) struct Dropout {
    pub(super) rate: f32,
    /// Names the batch, the layer and the half.
    pub(super) key: u64,
}

impl Dropout {
    pub(super) fn apply(self, row: u64, values: &mut [f32]) {
        let threshold = (self.rate * 65536.0) as u64;
        let up = 1.0 / (1.0 - self.rate);
        // Sixteen random bits decide a value.
        for (word, values) in values.chunks_mut(4).enumerate() {
            let mut bits = seed::mix(self.key, row << 16 | word as u64);
            for v in values {
                *v = if bits & 0xffff < threshold { 0.0 } else { *v * up };
                bits >>= 16;
            }
        }
    }
}

/// `out` from `h` and `p = A h`, one row each. `row_of` names a row for dropout.
pub(super) fn forward(
    layer: Layer<'_>,
    dim: usize,
    h: &[f32],
    p: &[f32],
    dropout: Option<(Dropout, &(dyn Fn(usize) -> u32 + Sync))>,
    out: &mut [f32],
) {
    let size = BLOCK * dim;
    let blocks = out.par_chunks_mut(size).zip(h.par_chunks(size)).zip(p.par_chunks(size));
    blocks.enumerate().for_each_init(Inputs::default, |inputs, (block, ((out, h), p))| {
        forward_block(layer, dim, h, p, inputs, out);
        if let Some((dropout, row_of)) = dropout {
            for (k, row) in out.chunks_exact_mut(dim).enumerate() {
                dropout.apply(u64::from(row_of(block * BLOCK + k)), row);
            }
        }
    });
}

/// As [`forward`] without dropout, on this thread: for the few rows of somebody who is asked about again and again.
pub(super) fn forward_here(
    layer: Layer<'_>,
    dim: usize,
    h: &[f32],
    p: &[f32],
    inputs: &mut Inputs,
    out: &mut [f32],
) {
    let size = BLOCK * dim;
    for ((out, h), p) in out.chunks_mut(size).zip(h.chunks(size)).zip(p.chunks(size)) {
        forward_block(layer, dim, h, p, inputs, out);
    }
}

fn forward_block(layer: Layer<'_>, dim: usize, h: &[f32], p: &[f32], inputs: &mut Inputs, out: &mut [f32]) {
    inputs.set(h, p);
    vectorise(|| {
        for row in out.chunks_exact_mut(dim) {
            row.iter_mut().zip(layer.b1.iter().zip(layer.b2)).for_each(|(v, (a, b))| *v = a + b);
        }
    });
    matmul(&inputs.sum, layer.w1, dim, dim, out, true);
    matmul(&inputs.product, layer.w2, dim, dim, out, true);
    vectorise(|| out.iter_mut().for_each(|v| *v = v.max(LEAK * *v)));
}

/// What a layer's two matrices are multiplied with, in room that is used again.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// `p + h`.
    sum: Vec<f32>,
    /// `p * h`.
    product: Vec<f32>,
}

impl Inputs {
    fn of(h: &[f32], p: &[f32]) -> Self {
        let mut inputs = Self::default();
        inputs.set(h, p);
        inputs
    }

    fn set(&mut self, h: &[f32], p: &[f32]) {
        self.sum.clear();
        self.product.clear();
        vectorise(|| {
            self.sum.extend(h.iter().zip(p).map(|(h, p)| h + p));
            self.product.extend(h.iter().zip(p).map(|(h, p)| h * p));
        });
    }
}

/// Gradients by one layer's tensors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LayerGrads {
    w1: Vec<f32>,
    w2: Vec<f32>,
    bias: Vec<f32>,
}

impl LayerGrads {
    pub(super) fn zeros(dim: usize) -> Self {
        Self { w1: vec![0.0; dim * dim], w2: vec![0.0; dim * dim], bias: vec![0.0; dim] }
    }

    fn add(&mut self, other: &Self) {
        for (sum, part) in
            [(&mut self.w1, &other.w1), (&mut self.w2, &other.w2), (&mut self.bias, &other.bias)]
        {
            sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        }
    }

    /// Writes them where layer `l`'s gradients belong; both biases enter the sum alike.
    pub(super) fn write(self, grads: &mut Weights, l: usize) {
        let t = &mut grads.0[2 + 4 * l..];
        t[1].data.copy_from_slice(&self.bias);
        t[3].data.copy_from_slice(&self.bias);
        t[0].data = self.w1.into();
        t[2].data = self.w2.into();
    }
}

/// What [`backward`] reads and writes, one row each.
pub(super) struct Slab<'a> {
    /// The layer's input.
    pub(super) h: &'a [f32],
    /// Its aggregate, `A h`.
    pub(super) p: &'a [f32],
    /// Its output, dropout included.
    pub(super) out: &'a [f32],
    /// In: the gradient by the output. Out: the gradient by `h`, without what comes through `p`.
    pub(super) slope: &'a mut [f32],
    /// Out: the gradient by `p`.
    pub(super) by_p: &'a mut [f32],
}

/// What a slope by the output is multiplied with on its way to `z`: 0 where the value was dropped.
#[inline(always)]
fn gate(out: f32, up: f32) -> f32 {
    let above = if out > 0.0 { up } else { 0.0 };
    let below = if out < 0.0 { LEAK * up } else { 0.0 };
    above + below
}

/// The backward pass of [`forward`]; adds to `grads`.
///
/// `dz = slope * LeakyReLU'(z) * dropout`, which the output's sign and zeros tell: `z` itself is not kept.
pub(super) fn backward(layer: Layer<'_>, dim: usize, rate: f32, slab: Slab<'_>, grads: &mut LayerGrads) {
    let up = 1.0 / (1.0 - rate);
    let parts: Vec<LayerGrads> = slab
        .blocks(dim)
        .map(|mut block| {
            let dz = block.by_z(up);
            let inputs = Inputs::of(block.h, block.p);
            let mut part = LayerGrads::zeros(dim);
            transposed_matmul(&inputs.sum, &dz, dim, dim, &mut part.w1);
            transposed_matmul(&inputs.product, &dz, dim, dim, &mut part.w2);
            vectorise(|| {
                for row in dz.chunks_exact(dim) {
                    part.bias.iter_mut().zip(row).for_each(|(b, z)| *b += z);
                }
            });
            block.by_inputs(layer, dim, &dz, inputs);
            part
        })
        .collect();
    parts.iter().for_each(|part| grads.add(part));
}

/// As [`backward`] without dropout, where nothing is learned.
pub(super) fn backward_of_inputs(layer: Layer<'_>, dim: usize, slab: Slab<'_>) {
    slab.blocks(dim).for_each(|mut block| {
        let dz = block.by_z(1.0);
        let room = Inputs { sum: vec![0.0; dz.len()], product: vec![0.0; dz.len()] };
        block.by_inputs(layer, dim, &dz, room);
    });
}

impl<'a> Slab<'a> {
    /// The rows in blocks, each for a thread.
    fn blocks(self, dim: usize) -> impl IndexedParallelIterator<Item = Slab<'a>> {
        let size = BLOCK * dim;
        (self.slope.par_chunks_mut(size), self.by_p.par_chunks_mut(size))
            .into_par_iter()
            .zip((self.h.par_chunks(size), self.p.par_chunks(size), self.out.par_chunks(size)))
            .map(|((slope, by_p), (h, p, out))| Slab { h, p, out, slope, by_p })
    }

    /// The gradient by `z`.
    fn by_z(&self, up: f32) -> Vec<f32> {
        vectorise(|| self.slope.iter().zip(self.out).map(|(s, &o)| s * gate(o, up)).collect())
    }

    /// From the gradient by `z` to those by `h` and `p`. What is in `room` is no longer needed.
    fn by_inputs(&mut self, layer: Layer<'_>, dim: usize, dz: &[f32], room: Inputs) {
        let (mut by_sum, mut by_product) = (room.sum, room.product);
        matmul_transposed(dz, layer.w1, dim, dim, &mut by_sum, false);
        matmul_transposed(dz, layer.w2, dim, dim, &mut by_product, false);
        vectorise(|| {
            for ((slope, p), (s, q)) in self.slope.iter_mut().zip(self.p).zip(by_sum.iter().zip(&by_product))
            {
                *slope = s + q * p;
            }
            for ((by_p, h), (s, q)) in self.by_p.iter_mut().zip(self.h).zip(by_sum.iter().zip(&by_product)) {
                *by_p = s + q * h;
            }
        });
    }
}
