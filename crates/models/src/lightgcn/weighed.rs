//! LightGCN, as far as weights of interactions are concerned.

use crate::adjacency::Adjacency;
use crate::halves::Side;
use crate::lightgcn::LightGcn;
use crate::weighed::{Layered, Made};

impl Layered for LightGcn {
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
        false
    }

    fn rows(&self, l: usize, side: Side) -> &[f32] {
        match l {
            0 => self.weights.table(side),
            l => self.layer_rows()[l - 1].side(side),
        }
    }

    fn forward(&self, _l: usize, _h: &[f32], p: &[f32], out: &mut [f32], _lengths: &mut Vec<f32>) {
        out.copy_from_slice(p);
    }

    fn backward(&self, _l: usize, _made: Made<'_>, slope: &mut [f32], by_p: &mut [f32]) {
        by_p.copy_from_slice(slope);
    }

    fn output_width(&self) -> usize {
        self.dim()
    }

    fn read(&self, _l: usize, row: &[f32], output: &mut [f32]) {
        add_share(row, self.layers, output);
    }

    fn read_back(&self, _l: usize, _row: &[f32], by_output: &[f32], grad: &mut [f32]) {
        add_share(by_output, self.layers, grad);
    }
}

/// Adds one layer's share of the mean of all.
fn add_share(row: &[f32], layers: usize, sum: &mut [f32]) {
    let share = 1.0 / (layers + 1) as f32;
    sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += share * x);
}
