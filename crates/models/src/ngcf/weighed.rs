//! NGCF, as far as weights of interactions are concerned.

use crate::adjacency::Adjacency;
use crate::architecture::Variant;
use crate::halves::Side;
use crate::ngcf::layer::{self, Layer, Slab};
use crate::ngcf::{Ngcf, readout};
use crate::weighed::{Layered, Made};

impl Layered for Ngcf {
    fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    fn depth(&self) -> usize {
        self.layers
    }

    fn dim(&self) -> usize {
        self.dim()
    }

    fn keeps_itself(&self) -> bool {
        true
    }

    fn rows(&self, l: usize, side: Side) -> &[f32] {
        self.layer_output(l, side)
    }

    fn forward(&self, l: usize, h: &[f32], p: &[f32], out: &mut [f32], lengths: &mut Vec<f32>) {
        layer::forward(Layer::of(&self.weights, l - 1), self.dim(), h, p, None, out);
        if self.variant == Variant::NormalisedLayers {
            lengths.clear();
            lengths.extend(out.chunks_exact(self.dim()).map(readout::length));
            readout::normalise(self.dim(), out);
        }
    }

    fn backward(&self, l: usize, made: Made<'_>, slope: &mut [f32], by_p: &mut [f32]) {
        if self.variant == Variant::NormalisedLayers {
            let rows = slope.chunks_exact_mut(self.dim()).zip(made.out.chunks_exact(self.dim()));
            rows.zip(made.lengths).for_each(|((slope, out), &length)| readout::lengthen(out, length, slope));
        }
        // A row's signs, all that is asked of it, are the same whatever its length.
        let slab = Slab { h: made.h, p: made.p, out: made.out, slope, by_p };
        layer::backward_of_inputs(Layer::of(&self.weights, l - 1), self.dim(), slab);
    }

    fn output_width(&self) -> usize {
        self.architecture().output_width()
    }

    fn read(&self, l: usize, row: &[f32], output: &mut [f32]) {
        let width = output.len();
        readout::place(l, std::iter::once(row), l * self.dim(), width, output);
    }

    fn read_back(&self, l: usize, row: &[f32], by_output: &[f32], grad: &mut [f32]) {
        readout::backward(l, row, &by_output[l * self.dim()..][..self.dim()], grad);
    }
}
