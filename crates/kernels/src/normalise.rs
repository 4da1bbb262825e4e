//! From edge weights to propagation weights, and the gradients back.
//!
//! Degrees are sums of weights, so that a weight of 0 is exactly "edge absent": neither the message nor the
//! degree knows the edge. A node whose edges all have weight 0 has no neighbours and receives 0, never NaN.

use crate::csr::Csr;

/// `1 / sqrt(degree)` of every row and every column, 0 where the degree is 0.
#[derive(Debug, Clone, PartialEq)]
pub struct InverseRoots {
    /// Of the rows.
    pub rows: Vec<f32>,
    /// Of the columns.
    pub cols: Vec<f32>,
}

impl InverseRoots {
    /// From weights in edge order; `None` is all ones.
    pub fn new(pattern: &Csr, weights: Option<&[f32]>) -> Self {
        let (rows, cols) = degrees(pattern, weights);
        let inverse = |d: Vec<f32>| d.into_iter().map(inverse_root).collect();
        Self { rows: inverse(rows), cols: inverse(cols) }
    }
}

/// `1 / sqrt(degree)`, 0 for degree 0.
pub fn inverse_root(degree: f32) -> f32 {
    if degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 }
}

/// Symmetric normalisation: edge `(r, c)` gets `w / sqrt(d_r d_c)`.
pub fn symmetric(pattern: &Csr, weights: &[f32]) -> Vec<f32> {
    let roots = InverseRoots::new(pattern, Some(weights));
    each_edge(pattern, |edge, row, col| weights[edge] * roots.rows[row] * roots.cols[col])
}

/// The gradient of [`symmetric`]: from `dL/d(propagation weight)` to `dL/d(edge weight)`.
///
/// With `p_e = w_e a_r b_c`, `a = d_r^-1/2`, `b = d_c^-1/2`:
/// `dL/dw_e = g_e a_r b_c - (1/2d_r) sum over r's edges of g_f p_f - (1/2d_c) sum over c's edges of g_f p_f`.
/// An edge of weight 0 between nodes that have other edges gets the slope of bringing it in.
pub fn symmetric_backward(pattern: &Csr, weights: &[f32], grad: &[f32]) -> Vec<f32> {
    assert_eq!(grad.len(), pattern.nnz(), "one gradient an entry");
    let roots = InverseRoots::new(pattern, Some(weights));
    let flow = each_edge(pattern, |e, r, c| grad[e] * weights[e] * roots.rows[r] * roots.cols[c]);
    let (row_flow, col_flow) = degrees(pattern, Some(&flow));
    each_edge(pattern, |edge, row, col| {
        let (a, b) = (roots.rows[row], roots.cols[col]);
        grad[edge] * a * b - 0.5 * (a * a * row_flow[row] + b * b * col_flow[col])
    })
}

/// Mean over a row's neighbours: edge `(r, c)` gets `w / max(d_r, 1)`.
///
/// The floor of 1 only matters for a row that has (nearly) no edges left: with 0/1 weights this is the plain mean,
/// and an emptied row still has a slope that says what an edge put back would bring.
pub fn mean(pattern: &Csr, weights: &[f32]) -> Vec<f32> {
    let (rows, _) = degrees(pattern, Some(weights));
    each_edge(pattern, |edge, row, _| weights[edge] / rows[row].max(1.0))
}

/// The gradient of [`mean`]. With `p_e = w_e / d`: `dL/dw_e = (g_e - sum over the row of g_f p_f) / d` where `d > 1`;
/// `g_e` below. At `d = 1` exactly, the side of removing an edge is taken.
pub fn mean_backward(pattern: &Csr, weights: &[f32], grad: &[f32]) -> Vec<f32> {
    assert_eq!(grad.len(), pattern.nnz(), "one gradient an entry");
    let (rows, _) = degrees(pattern, Some(weights));
    let flow = each_edge(pattern, |edge, row, _| grad[edge] * weights[edge] / rows[row].max(1.0));
    let (row_flow, _) = degrees(pattern, Some(&flow));
    each_edge(
        pattern,
        |edge, row, _| {
            if rows[row] > 1.0 { (grad[edge] - row_flow[row]) / rows[row] } else { grad[edge] }
        },
    )
}

/// Sums of weights by row and by column.
fn degrees(pattern: &Csr, weights: Option<&[f32]>) -> (Vec<f32>, Vec<f32>) {
    if let Some(weights) = weights {
        assert_eq!(weights.len(), pattern.nnz(), "one weight an entry");
    }
    let mut rows = vec![0f32; pattern.rows()];
    let mut cols = vec![0f32; pattern.cols()];
    for (row, sum) in rows.iter_mut().enumerate() {
        for edge in pattern.edges(row) {
            let weight = weights.map_or(1.0, |w| w[edge]);
            *sum += weight;
            cols[pattern.indices()[edge] as usize] += weight;
        }
    }
    (rows, cols)
}

fn each_edge(pattern: &Csr, value: impl Fn(usize, usize, usize) -> f32) -> Vec<f32> {
    let mut out = Vec::with_capacity(pattern.nnz());
    for row in 0..pattern.rows() {
        for edge in pattern.edges(row) {
            out.push(value(edge, row, pattern.indices()[edge] as usize));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::strategies::pattern;
    use proptest::prelude::*;

    fn weights(n: usize, salt: u32) -> Vec<f32> {
        (0..n as u32)
            .map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(salt) >> 8) as f32 / (1 << 24) as f32)
            .collect()
    }

    /// Both normalisations by their definition, in f64: `by_column` divides by sqrt(d_r d_c), else by max(d_r, 1).
    fn naive(pattern: &Csr, w: &[f64], by_column: bool) -> Vec<f64> {
        let (mut rows, mut cols) = (vec![0f64; pattern.rows()], vec![0f64; pattern.cols()]);
        let mut of = Vec::new();
        for row in 0..pattern.rows() {
            for edge in pattern.edges(row) {
                let col = pattern.indices()[edge] as usize;
                rows[row] += w[edge];
                cols[col] += w[edge];
                of.push((row, col));
            }
        }
        of.iter()
            .enumerate()
            .map(|(e, &(r, c))| match by_column {
                _ if w[e] == 0.0 => 0.0,
                true => w[e] / (rows[r] * cols[c]).sqrt(),
                false => w[e] / rows[r].max(1.0),
            })
            .collect()
    }

    proptest! {
        #[test]
        fn equal_their_naive_twins(pattern in pattern(25, 25), salt: u32) {
            let w: Vec<f32> = weights(pattern.nnz(), salt).iter().map(|v| if *v < 0.3 { 0.0 } else { *v }).collect();
            let wide: Vec<f64> = w.iter().map(|&v| f64::from(v)).collect();
            for (got, want) in [(symmetric(&pattern, &w), naive(&pattern, &wide, true)), (mean(&pattern, &w), naive(&pattern, &wide, false))] {
                prop_assert!(got.iter().zip(&want).all(|(&g, &w)| (f64::from(g) - w).abs() < 1e-5));
            }
        }

        #[test]
        fn a_weight_of_zero_is_an_absent_edge(pattern in pattern(20, 20), salt: u32) {
            let w: Vec<f32> = weights(pattern.nnz(), salt).iter().map(|v| if *v < 0.5 { 0.0 } else { *v }).collect();
            let mut offsets = vec![0];
            let mut cols = Vec::new();
            let mut kept = Vec::new();
            for row in 0..pattern.rows() {
                kept.extend(pattern.edges(row).filter(|&e| w[e] != 0.0));
                cols.extend(pattern.edges(row).filter(|&e| w[e] != 0.0).map(|e| pattern.indices()[e]));
                offsets.push(cols.len());
            }
            let without = Csr::new(pattern.cols(), offsets, cols).unwrap();
            let rest: Vec<f32> = kept.iter().map(|&e| w[e]).collect();
            for normalise in [symmetric, mean] {
                let (whole, part) = (normalise(&pattern, &w), normalise(&without, &rest));
                prop_assert!(kept.iter().zip(&part).all(|(&e, p)| whole[e] == *p));
                prop_assert!(whole.iter().zip(&w).all(|(p, w)| *w != 0.0 || *p == 0.0));
            }
        }

        #[test]
        fn gradients_equal_finite_differences(pattern in pattern(8, 8), salt: u32) {
            // L = sum of g_e p_e(w), central differences in f64, away from the mean's kink at degree 1.
            let w: Vec<f32> = weights(pattern.nnz(), salt).iter().map(|v| 0.2 + v).collect();
            let g: Vec<f32> = weights(pattern.nnz(), salt ^ 9).iter().map(|v| v - 0.5).collect();
            let wide: Vec<f64> = w.iter().map(|&v| f64::from(v)).collect();
            let h = 1e-5;
            for by_column in [true, false] {
                let loss = |w: &[f64]| -> f64 { naive(&pattern, w, by_column).iter().zip(&g).map(|(p, &g)| p * f64::from(g)).sum() };
                let got = if by_column { symmetric_backward(&pattern, &w, &g) } else { mean_backward(&pattern, &w, &g) };
                for edge in 0..pattern.nnz() {
                    let (mut up, mut down) = (wide.clone(), wide.clone());
                    up[edge] += h;
                    down[edge] -= h;
                    let row = (0..pattern.rows()).find(|&r| pattern.edges(r).contains(&edge)).unwrap();
                    let degree: f64 = pattern.edges(row).map(|e| wide[e]).sum();
                    if by_column || (degree - 1.0).abs() > 2.0 * h {
                        let want = (loss(&up) - loss(&down)) / (2.0 * h);
                        prop_assert!((want - f64::from(got[edge])).abs() < 1e-4 * (1.0 + want.abs()), "edge {} by_column {}: {} against {}", edge, by_column, want, got[edge]);
                    }
                }
            }
        }
    }
}
