//! The propagation kernel's gradient by edge weights: a dot product an entry, no matrix in between.

use std::ops::Range;

use rayon::prelude::*;

use crate::csr::{Csr, split_rows};
use crate::dense::dot_of;
use crate::isa::{Isa, Kernel};

/// For each entry `(r, c)` of the pattern, `out[edge] = left[r] . right[c]`.
///
/// With `Y = W X` and `G = dL/dY`, `sddmm(pattern, G, X)` is `dL/dW` at the entries of the pattern, also at those
/// whose weight is 0 at the moment. Reads one row of `right` an entry.
pub fn sddmm(pattern: &Csr, left: &[f32], right: &[f32], width: usize, out: &mut [f32]) {
    assert_eq!(left.len(), pattern.rows() * width, "left shape");
    assert_eq!(right.len(), pattern.cols() * width, "right shape");
    assert_eq!(out.len(), pattern.nnz(), "one value an entry");
    let spans: Vec<_> = pattern
        .blocks()
        .iter()
        .map(|rows| pattern.edges(rows.start).start..pattern.edges(rows.end - 1).end)
        .collect();
    let parts = split_rows(out, 1, &spans);
    parts.into_par_iter().zip(pattern.blocks()).for_each(|((_, out), rows)| {
        Isa::current().run(Rows { pattern, rows: rows.clone(), left, right, width, out });
    });
}

/// Some rows of one product, on one thread.
struct Rows<'a> {
    pattern: &'a Csr,
    rows: Range<usize>,
    left: &'a [f32],
    right: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let width = self.width;
        let mut out = self.out.iter_mut();
        for row in self.rows {
            let left = &self.left[row * width..][..width];
            for (&col, out) in self.pattern.row(row).iter().zip(&mut out) {
                *out = dot_of::<FMA>(left, &self.right[col as usize * width..][..width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::strategies::pattern;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_its_naive_twin(pattern in pattern(30, 30), width in 1usize..70, salt in 0u32..1000) {
            let value = |i: usize, s: u32| (((i as u32).wrapping_mul(747_796_405).wrapping_add(s) >> 9) as f32) / 8_388_608.0 - 0.5;
            let left: Vec<f32> = (0..pattern.rows() * width).map(|i| value(i, salt)).collect();
            let right: Vec<f32> = (0..pattern.cols() * width).map(|i| value(i, salt + 1)).collect();
            let mut out = vec![f32::NAN; pattern.nnz()];
            sddmm(&pattern, &left, &right, width, &mut out);
            for row in 0..pattern.rows() {
                for edge in pattern.edges(row) {
                    let col = pattern.indices()[edge] as usize;
                    let want: f64 = (0..width).map(|c| f64::from(left[row * width + c]) * f64::from(right[col * width + c])).sum();
                    prop_assert!((f64::from(out[edge]) - want).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn is_the_gradient_by_the_weights() {
        // L(w) = sum over entries of G[r] . (w * X[c]) is linear in w, so a difference of any size is exact.
        let pattern = Csr::new(3, vec![0, 2, 3], vec![0, 2, 1]).unwrap();
        let width = 2;
        let (g, x) = ([0.5f32, -1.0, 2.0, 0.25], [1.0f32, 2.0, -3.0, 0.5, 0.75, -0.25]);
        let loss = |w: &[f64]| -> f64 {
            (0..2)
                .map(|r| {
                    pattern
                        .edges(r)
                        .map(|e| {
                            (0..width)
                                .map(|c| {
                                    f64::from(g[r * width + c])
                                        * w[e]
                                        * f64::from(x[pattern.indices()[e] as usize * width + c])
                                })
                                .sum::<f64>()
                        })
                        .sum::<f64>()
                })
                .sum()
        };
        let mut grad = [0f32; 3];
        sddmm(&pattern, &g, &x, width, &mut grad);
        let base = [0.3f64, 0.0, -0.7];
        for e in 0..3 {
            let (mut up, mut down) = (base, base);
            up[e] += 1e-3;
            down[e] -= 1e-3;
            assert!(((loss(&up) - loss(&down)) / 2e-3 - f64::from(grad[e])).abs() < 1e-6);
        }
    }
}
