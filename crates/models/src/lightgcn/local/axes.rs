//! The few directions in which items differ most: a product with those alone, and a bound for the rest, rules out most items for a
//! quarter of the price.

use grease_kernels::dense::{dot, matmul_transposed, matvec, transposed_matmul};
use grease_kernels::{Array, vectorise};

use crate::stored::{Parts, Stored};

/// How many.
const AXES: usize = 16;

/// Items looked at side by side, one a lane: nothing has to be added up across a register.
pub(super) const ABREAST: usize = 16;

/// Rounds in which they are found: any axes are right, good ones rule out more.
const ROUNDS: usize = 12;

/// Items seen along the axes.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    dim: usize,
    /// `[axes, dim]`, each of length one, each at a right angle to the others.
    axes: Array<f32>,
    /// In groups of so many items that lie side by side: `[groups, axes, abreast]`; those that are missing are zeros.
    along: Array<f32>,
    /// Length of what is left of each item.
    aside: Array<f32>,
}

impl Axes {
    /// Of rows of this width; none where they are hardly wider than the axes.
    pub(super) fn of(rows: &[f32], dim: usize) -> Option<Self> {
        let items = rows.len() / dim.max(1);
        if dim < 2 * AXES || items == 0 {
            return None;
        }
        let mut square = vec![0f32; dim * dim];
        transposed_matmul(rows, rows, dim, dim, &mut square);
        // Any beginning will do that is not at a right angle to what is sought.
        let mut axes: Vec<f32> =
            (0..AXES * dim).map(|at| ((at * 7919 % 1009) as f32 / 1009.0) - 0.5).collect();
        for _ in 0..ROUNDS {
            let mut next = vec![0f32; AXES * dim];
            matmul_transposed(&axes, &square, dim, dim, &mut next, false);
            axes = straightened(next, dim)?;
        }
        let mut along = vec![0f32; items * AXES];
        matmul_transposed(rows, &axes, dim, AXES, &mut along, false);
        let aside = rows.chunks_exact(dim).zip(along.chunks_exact(AXES)).map(|(x, along)| left(x, along));
        let aside: Array<f32> = aside.collect();
        let mut abreast = vec![0f32; items.div_ceil(ABREAST) * AXES * ABREAST];
        for (item, along) in along.chunks_exact(AXES).enumerate() {
            let group = item / ABREAST * AXES * ABREAST + item % ABREAST;
            along.iter().enumerate().for_each(|(axis, &x)| abreast[group + axis * ABREAST] = x);
        }
        Some(Self { dim, aside, along: abreast.into(), axes: axes.into() })
    }

    /// What is stored of them.
    pub(super) fn put<'m>(&'m self, parts: &mut Parts<'m>) {
        parts.put("axes", &self.axes);
        parts.put("axes.along", &self.along);
        parts.put("axes.aside", &self.aside);
    }

    /// As they were stored; none where they were not.
    pub(super) fn stored(file: &Stored, items: usize, dim: usize) -> Option<Self> {
        Some(Self {
            dim,
            axes: file.numbers("axes", AXES * dim)?,
            along: file.numbers("axes.along", items.div_ceil(ABREAST) * AXES * ABREAST)?,
            aside: file.numbers("axes.aside", items)?,
        })
    }

    /// A vector seen along the axes.
    pub(super) fn see(&self, x: &[f32]) -> Seen {
        debug_assert_eq!(x.len(), self.dim);
        let mut along = [0f32; AXES];
        matvec(&self.axes, x, &mut along);
        Seen { aside: left(x, &along), along }
    }

    /// At most what the product of each item from `first` on with what was seen is, in `out`, but for rounding; `first` begins a group.
    pub(super) fn bounds(&self, seen: &Seen, first: usize, out: &mut [f32]) {
        debug_assert!(first.is_multiple_of(ABREAST));
        let groups = self.along[first * AXES..].chunks_exact(AXES * ABREAST);
        let (left, along) = (&self.aside[first..first + out.len()], &seen.along);
        vectorise(|| {
            for (out, group) in out.chunks_mut(ABREAST).zip(groups) {
                let mut sums = [0f32; ABREAST];
                for (lanes, &x) in group.chunks_exact(ABREAST).zip(along) {
                    sums.iter_mut().zip(lanes).for_each(|(sum, lane)| *sum += x * lane);
                }
                out.copy_from_slice(&sums[..out.len()]);
            }
            out.iter_mut().zip(left).for_each(|(out, left)| *out += seen.aside * left);
        });
    }
}

/// A vector along the axes, and the length of what is left of it.
pub(super) struct Seen {
    along: [f32; AXES],
    aside: f32,
}

/// Length of what is not along the axes. A little is added: what is left of nearly nothing is mostly rounding.
fn left(x: &[f32], along: &[f32]) -> f32 {
    let whole = dot(x, x);
    (whole - dot(along, along)).max(0.0).sqrt() + 1e-3 * whole.sqrt()
}

/// The same axes at right angles and of length one; none where there are not so many.
fn straightened(mut axes: Vec<f32>, dim: usize) -> Option<Vec<f32>> {
    for at in 0..AXES {
        let (before, rest) = axes.split_at_mut(at * dim);
        let axis = &mut rest[..dim];
        // Twice: once leaves rounding of the others behind.
        for other in before.chunks_exact(dim).chain(before.chunks_exact(dim)) {
            let along = dot(axis, other);
            axis.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
        }
        let length = dot(axis, axis).sqrt();
        if !(length.is_finite() && length > f32::MIN_POSITIVE.sqrt()) {
            return None;
        }
        axis.iter_mut().for_each(|x| *x /= length);
    }
    Some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_above_the_products_and_often_close() {
        let (dim, items) = (40, 200);
        let value = |at: usize| ((at * 2_654_435_761) % 10_007) as f32 / 10_007.0 - 0.5;
        // Most of what there is lies in the first few columns.
        let rows: Vec<f32> = (0..items * dim).map(|at| value(at) / (1 + at % dim) as f32).collect();
        let axes = Axes::of(&rows, dim).expect("wide enough");
        let x: Vec<f32> = (0..dim).map(|at| value(at + 77)).collect();
        let mut bounds = vec![0f32; items];
        let (some, others) = bounds.split_at_mut(5 * ABREAST);
        axes.bounds(&axes.see(&x), 0, some);
        axes.bounds(&axes.see(&x), 5 * ABREAST, others);
        let mut products = vec![0f32; items];
        matvec(&rows, &x, &mut products);
        let length = dot(&x, &x).sqrt();
        for (at, (bound, product)) in bounds.iter().zip(&products).enumerate() {
            let row = &rows[at * dim..][..dim];
            assert!(bound >= product, "{at}: {bound} {product}");
            assert!(bound - product < 0.2 * length * dot(row, row).sqrt(), "{at}: {bound} {product}");
        }
    }

    #[test]
    fn narrow_or_empty_tables_have_none() {
        assert!(Axes::of(&[1.0; 300], 30).is_none());
        assert!(Axes::of(&[], 64).is_none());
        assert!(Axes::of(&[0.0; 64], 64).is_none());
    }
}
