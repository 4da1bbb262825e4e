//! Sparse times dense: the one propagation kernel.
//!
//! ```text
//! out[r] = plus[r] + scale[r] * sum over entries (r, c) of weight * x[c]
//! ```
//!
//! Cost: one row of `x` read per entry; `out` written once. Its gradient by `x` is the same product with the
//! transposed pattern; its gradient by the weights is [`sddmm`](crate::sddmm).

use rayon::prelude::*;

use crate::csr::{Csr, split_rows};
use crate::isa::{Isa, Kernel, mul_add};

/// A sparse matrix as the propagation kernel sees it: a pattern, and what it is weighted with.
#[derive(Debug, Clone, Copy)]
pub struct Spmm<'a> {
    pattern: &'a Csr,
    weights: Option<&'a [f32]>,
    scale: Option<&'a [f32]>,
    plus: Plus<'a>,
}

/// What is added to a product.
#[derive(Debug, Clone, Copy)]
enum Plus<'a> {
    Nothing,
    All(&'a [f32]),
    Some(SparseRows<'a>),
}

/// A matrix most rows of which are zero.
#[derive(Debug, Clone, Copy)]
pub struct SparseRows<'a> {
    /// For each row, where its values are, or [`SparseRows::ZERO`].
    pub slot: &'a [u32],
    /// The non-zero rows.
    pub values: &'a [f32],
}

impl SparseRows<'_> {
    /// The slot of a row that is all zeros.
    pub const ZERO: u32 = u32::MAX;

    /// Panics unless there is a slot for each of `rows` rows and every slot exists.
    fn check(&self, rows: usize, width: usize) {
        assert_eq!(self.slot.len(), rows, "one slot a row");
        let slots = self.values.len().checked_div(width).unwrap_or(0) as u32;
        assert!(self.slot.iter().all(|&s| s == Self::ZERO || s < slots), "slots exist");
    }
}

impl<'a> Spmm<'a> {
    /// The pattern with every weight 1.
    pub fn new(pattern: &'a Csr) -> Self {
        Self { pattern, weights: None, scale: None, plus: Plus::Nothing }
    }

    /// Weighs the entries, in edge order.
    pub fn weights(self, weights: &'a [f32]) -> Self {
        assert_eq!(weights.len(), self.pattern.nnz(), "one weight an entry");
        Self { weights: Some(weights), ..self }
    }

    /// Multiplies each output row's sum.
    pub fn scale(self, scale: &'a [f32]) -> Self {
        assert_eq!(scale.len(), self.pattern.rows(), "one factor a row");
        Self { scale: Some(scale), ..self }
    }

    /// Adds a matrix of the output's full shape.
    pub fn plus(self, matrix: &'a [f32]) -> Self {
        Self { plus: Plus::All(matrix), ..self }
    }

    /// Adds a matrix of the output's shape most rows of which are zero.
    pub fn plus_sparse(self, matrix: SparseRows<'a>) -> Self {
        Self { plus: Plus::Some(matrix), ..self }
    }

    /// All rows; `x` is `[cols, width]`, `out` is `[rows, width]`.
    pub fn apply(&self, x: &[f32], width: usize, out: &mut [f32]) {
        self.apply_on(Isa::current(), x, width, out);
    }

    /// [`Spmm::apply`] with the instruction set given.
    pub fn apply_on(&self, isa: Isa, x: &[f32], width: usize, out: &mut [f32]) {
        self.check(x, width);
        assert_eq!(out.len(), self.pattern.rows() * width, "output shape");
        let blocks = self.pattern.blocks();
        split_rows(out, width, blocks).into_par_iter().for_each(|(rows, part)| {
            let source = Dense(x);
            isa.run(Rows { matrix: self, source, width, rows: rows.map(|r| r as u32), out: part });
        });
    }

    /// Only the rows listed: `out` is `[rows.len(), width]`, in their order.
    pub fn apply_rows(&self, rows: &[u32], x: &[f32], width: usize, out: &mut [f32]) {
        self.check(x, width);
        assert_eq!(out.len(), rows.len() * width, "output shape");
        assert!(rows.iter().all(|&r| (r as usize) < self.pattern.rows()), "rows exist");
        if width == 0 {
            return;
        }
        rows.par_chunks(ROWS_A_TASK).zip(out.par_chunks_mut(ROWS_A_TASK * width)).for_each(|(rows, part)| {
            let source = Dense(x);
            Isa::current().run(Rows { matrix: self, source, width, rows: rows.iter().copied(), out: part });
        });
    }

    /// All rows, from an input with few non-zero rows: entries on zero rows cost a look-up, not a row of memory.
    pub fn apply_sparse(&self, x: SparseRows<'_>, width: usize, out: &mut [f32]) {
        x.check(self.pattern.cols(), width);
        self.check_plus(width);
        assert_eq!(out.len(), self.pattern.rows() * width, "output shape");
        split_rows(out, width, self.pattern.blocks()).into_par_iter().for_each(|(rows, part)| {
            let source = Slotted(x);
            Isa::current().run(Rows { matrix: self, source, width, rows: rows.map(|r| r as u32), out: part });
        });
    }

    fn check(&self, x: &[f32], width: usize) {
        assert_eq!(x.len(), self.pattern.cols() * width, "input shape");
        self.check_plus(width);
    }

    fn check_plus(&self, width: usize) {
        match self.plus {
            Plus::Nothing => {}
            Plus::All(matrix) => {
                assert_eq!(matrix.len(), self.pattern.rows() * width, "shape of what is added");
            }
            Plus::Some(matrix) => matrix.check(self.pattern.rows(), width),
        }
    }
}

/// Listed rows a thread takes at a time.
const ROWS_A_TASK: usize = 64;

/// Entries ahead of the one being added whose rows are asked for early: hides the latency of the outer caches.
const PREFETCH_AHEAD: usize = 8;

/// Where input rows come from.
trait Source: Copy + Sync {
    /// The first value of column `col`'s row within `values`, if it is not all zeros.
    fn start(&self, col: u32, width: usize) -> Option<usize>;
    /// All values.
    fn values(&self) -> &[f32];
}

#[derive(Clone, Copy)]
struct Dense<'a>(&'a [f32]);

impl Source for Dense<'_> {
    #[inline(always)]
    fn start(&self, col: u32, width: usize) -> Option<usize> {
        Some(col as usize * width)
    }
    #[inline(always)]
    fn values(&self) -> &[f32] {
        self.0
    }
}

#[derive(Clone, Copy)]
struct Slotted<'a>(SparseRows<'a>);

impl Source for Slotted<'_> {
    #[inline(always)]
    fn start(&self, col: u32, width: usize) -> Option<usize> {
        // SAFETY: `Csr::new` checked that every column is below `cols`, and `apply_sparse` that there is a slot a column.
        let slot = unsafe { *self.0.slot.get_unchecked(col as usize) };
        (slot != SparseRows::ZERO).then_some(slot as usize * width)
    }
    #[inline(always)]
    fn values(&self) -> &[f32] {
        self.0.values
    }
}

/// Some rows of one product, on one thread.
struct Rows<'m, 'a, 'o, S, R> {
    matrix: &'m Spmm<'a>,
    source: S,
    width: usize,
    rows: R,
    out: &'o mut [f32],
}

impl<S: Source, R: Iterator<Item = u32>> Kernel for Rows<'_, '_, '_, S, R> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { matrix, source, width, rows, out } = self;
        if width == 0 {
            return;
        }
        for (row, out) in rows.zip(out.chunks_exact_mut(width)) {
            let row = row as usize;
            let mut at = 0;
            // The widest tile first: models are 32 or 64 wide, and a whole row then stays in registers.
            while at < width {
                at += match width - at {
                    64.. => tile::<FMA, 64, 1, S>(matrix, source, width, row, at, out),
                    32.. => tile::<FMA, 32, 1, S>(matrix, source, width, row, at, out),
                    16.. => tile::<FMA, 16, 2, S>(matrix, source, width, row, at, out),
                    8.. => tile::<FMA, 8, 4, S>(matrix, source, width, row, at, out),
                    4.. => tile::<FMA, 4, 4, S>(matrix, source, width, row, at, out),
                    2.. => tile::<FMA, 2, 4, S>(matrix, source, width, row, at, out),
                    _ => tile::<FMA, 1, 4, S>(matrix, source, width, row, at, out),
                };
            }
        }
    }
}

/// `TILE` columns of one output row, starting at column `at`. Returns `TILE`.
///
/// `WAYS` entries are summed side by side: a narrow tile would otherwise wait for one addition after the other.
#[inline(always)]
fn tile<const FMA: bool, const TILE: usize, const WAYS: usize, S: Source>(
    matrix: &Spmm<'_>,
    source: S,
    width: usize,
    row: usize,
    at: usize,
    out: &mut [f32],
) -> usize {
    let edges = matrix.pattern.edges(row);
    let cols = &matrix.pattern.indices()[edges.clone()];
    let weights = matrix.weights.map(|weights| &weights[edges]);
    let values = source.values();
    let mut sums = [[0f32; TILE]; WAYS];
    let mut add = |way: usize, k: usize| {
        // Below a cache line the working set is small and the hint costs more than it hides.
        if TILE >= 16
            && let Some(&soon) = cols.get(k + PREFETCH_AHEAD)
            && let Some(start) = source.start(soon, width)
        {
            prefetch::<TILE>(values, start + at);
        }
        let Some(start) = source.start(cols[k], width) else { return };
        // SAFETY: `Csr::new` keeps columns below `cols` and the entry points check `x` against it (`apply`,
        // `apply_rows`) or the slots against the values (`apply_sparse`), so the row is whole; `at + TILE <= width`.
        let x: &[f32; TILE] = unsafe { &*values.as_ptr().add(start + at).cast() };
        let sum = &mut sums[way];
        match weights {
            None => (0..TILE).for_each(|c| sum[c] += x[c]),
            Some(weights) => {
                let w = weights[k];
                (0..TILE).for_each(|c| sum[c] = mul_add::<FMA>(w, x[c], sum[c]));
            }
        }
    };
    // With weights, one way only: how the sum is grouped must not depend on entries of weight 0.
    let whole = if weights.is_some() { 0 } else { cols.len() - cols.len() % WAYS };
    for k in (0..whole).step_by(WAYS) {
        (0..WAYS).for_each(|way| add(way, k + way));
    }
    (whole..cols.len()).for_each(|k| add(0, k));
    let mut sum = sums[0];
    for way in &sums[1..] {
        (0..TILE).for_each(|c| sum[c] += way[c]);
    }
    if let Some(scale) = matrix.scale {
        let s = scale[row];
        sum.iter_mut().for_each(|v| *v *= s);
    }
    let plus = match matrix.plus {
        Plus::Nothing => None,
        Plus::All(plus) => Some(&plus[row * width + at..][..TILE]),
        Plus::Some(plus) => match plus.slot[row] {
            SparseRows::ZERO => None,
            slot => Some(&plus.values[slot as usize * width + at..][..TILE]),
        },
    };
    if let Some(plus) = plus {
        (0..TILE).for_each(|c| sum[c] += plus[c]);
    }
    out[at..at + TILE].copy_from_slice(&sum);
    TILE
}

/// Asks for the cache lines of one tile.
#[inline(always)]
fn prefetch<const TILE: usize>(values: &[f32], start: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in (0..TILE).step_by(16) {
            // SAFETY: a prefetch never faults, whatever the address; `wrapping_add` keeps the arithmetic defined.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(start + line).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, start);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::strategies::pattern;
    use proptest::prelude::*;

    /// The definition, term by term, in f64.
    fn naive(m: &Spmm<'_>, x: &[f32], width: usize) -> Vec<f64> {
        let mut out = vec![0f64; m.pattern.rows() * width];
        for row in 0..m.pattern.rows() {
            for c in 0..width {
                let mut sum = 0.0;
                for edge in m.pattern.edges(row) {
                    let w = m.weights.map_or(1.0, |w| f64::from(w[edge]));
                    sum += w * f64::from(x[m.pattern.indices()[edge] as usize * width + c]);
                }
                let scale = m.scale.map_or(1.0, |s| f64::from(s[row]));
                let plus = match m.plus {
                    Plus::Nothing => 0.0,
                    Plus::All(plus) => f64::from(plus[row * width + c]),
                    Plus::Some(SparseRows { slot, values }) if slot[row] != SparseRows::ZERO => {
                        f64::from(values[slot[row] as usize * width + c])
                    }
                    Plus::Some(_) => 0.0,
                };
                out[row * width + c] = plus + scale * sum;
            }
        }
        out
    }

    fn close(got: &[f32], want: &[f64]) -> bool {
        got.len() == want.len()
            && got.iter().zip(want).all(|(&g, &w)| (f64::from(g) - w).abs() <= 1e-5 * (1.0 + w.abs()))
    }

    /// Deterministic values in [-1, 1), no generator needed.
    fn values(n: usize, salt: u32) -> Vec<f32> {
        (0..n as u32)
            .map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(salt) >> 8) as f32 / (1 << 23) as f32 - 1.0)
            .collect()
    }

    proptest! {
        #[test]
        fn equals_its_naive_twin(
            pattern in pattern(30, 40),
            width in prop_oneof![1usize..=9, Just(16), Just(32), Just(33), Just(64), Just(79), Just(128)],
            salt: u32, weighted: bool, scaled: bool, added in 0u8..3,
        ) {
            let x = values(pattern.cols() * width, salt);
            let (w, s, a) = (values(pattern.nnz(), salt ^ 1), values(pattern.rows(), salt ^ 2), values(pattern.rows() * width, salt ^ 3));
            let mut m = Spmm::new(&pattern);
            if weighted { m = m.weights(&w); }
            if scaled { m = m.scale(&s); }
            let some: Vec<u32> = (0..pattern.rows() as u32).map(|r| if r % 2 == 0 { r / 2 } else { SparseRows::ZERO }).collect();
            match added {
                0 => {}
                1 => m = m.plus(&a),
                _ => m = m.plus_sparse(SparseRows { slot: &some, values: &a }),
            }
            let want = naive(&m, &x, width);
            let mut out = vec![f32::NAN; want.len()];
            for isa in [Isa::Portable, Isa::detect()] {
                m.apply_on(isa, &x, width, &mut out);
                prop_assert!(close(&out, &want), "{isa:?}");
            }

            // Some rows, in any order and repeated, are bit for bit those of the whole.
            let rows: Vec<u32> = (0..pattern.rows() as u32).rev().step_by(2).chain([0, 0]).collect();
            let mut some = vec![f32::NAN; rows.len() * width];
            m.apply_rows(&rows, &x, width, &mut some);
            m.apply(&x, width, &mut out);
            for (k, &row) in rows.iter().enumerate() {
                prop_assert_eq!(&some[k * width..][..width], &out[row as usize * width..][..width]);
            }

            // So is a product whose input has zero rows that are never touched.
            let slot: Vec<u32> = (0..pattern.cols() as u32).map(|c| if c % 3 == 0 { c / 3 } else { SparseRows::ZERO }).collect();
            let compact = values(pattern.cols().div_ceil(3) * width, salt ^ 4);
            let mut dense = vec![0f32; pattern.cols() * width];
            for (col, &s) in slot.iter().enumerate().filter(|&(_, &s)| s != SparseRows::ZERO) {
                dense[col * width..][..width].copy_from_slice(&compact[s as usize * width..][..width]);
            }
            let mut sparse = vec![f32::NAN; out.len()];
            m.apply_sparse(SparseRows { slot: &slot, values: &compact }, width, &mut sparse);
            prop_assert!(close(&sparse, &naive(&m, &dense, width)));
        }

        #[test]
        fn a_weight_of_zero_is_an_absent_entry(pattern in pattern(20, 20), salt: u32) {
            let width = 8;
            let weights: Vec<f32> = values(pattern.nnz(), salt).iter().map(|w| if *w < 0.0 { 0.0 } else { *w }).collect();
            let mut offsets = vec![0];
            let (mut cols, mut kept) = (Vec::new(), Vec::new());
            for row in 0..pattern.rows() {
                for edge in pattern.edges(row).filter(|&e| weights[e] != 0.0) {
                    cols.push(pattern.indices()[edge]);
                    kept.push(weights[edge]);
                }
                offsets.push(cols.len());
            }
            let without = Csr::new(pattern.cols(), offsets, cols).unwrap();
            let x = values(pattern.cols() * width, salt ^ 5);
            let (mut a, mut b) = (vec![0f32; pattern.rows() * width], vec![0f32; pattern.rows() * width]);
            Spmm::new(&pattern).weights(&weights).apply(&x, width, &mut a);
            Spmm::new(&without).weights(&kept).apply(&x, width, &mut b);
            prop_assert_eq!(a, b);
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        // Big enough for many blocks.
        let (rows, cols, width) = (3000usize, 500usize, 64);
        let offsets: Vec<usize> = (0..=rows).map(|r| r * 20).collect();
        let indices: Vec<u32> = (0..rows * 20).map(|e| ((e * 7919) % cols) as u32).collect();
        let pattern = Csr::new(cols, offsets, indices).unwrap();
        let (x, w) = (values(cols * width, 1), values(pattern.nnz(), 2));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = vec![0f32; rows * width];
            pool.install(|| Spmm::new(&pattern).weights(&w).apply(&x, width, &mut out));
            out
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn the_gradient_by_features_is_the_product_with_the_transpose() {
        // L = sum of g * (W x); dL/dx = W^T g. Central differences in f64.
        let pattern = Csr::new(4, vec![0, 2, 2, 5], vec![0, 3, 0, 1, 2]).unwrap();
        let width = 3;
        let (w, x, g) = (values(5, 1), values(4 * width, 2), values(3 * width, 3));
        let loss = |x: &[f64]| -> f64 {
            (0..3)
                .map(|r| {
                    pattern
                        .edges(r)
                        .map(|e| {
                            (0..width)
                                .map(|c| {
                                    f64::from(g[r * width + c])
                                        * f64::from(w[e])
                                        * x[pattern.indices()[e] as usize * width + c]
                                })
                                .sum::<f64>()
                        })
                        .sum::<f64>()
                })
                .sum()
        };
        let (flipped, permutation) = pattern.transpose();
        let flipped_weights: Vec<f32> = permutation.iter().map(|&e| w[e as usize]).collect();
        let mut grad = vec![0f32; x.len()];
        Spmm::new(&flipped).weights(&flipped_weights).apply(&g, width, &mut grad);
        let base: Vec<f64> = x.iter().map(|&v| f64::from(v)).collect();
        for at in 0..x.len() {
            let h = 1e-4;
            let (mut up, mut down) = (base.clone(), base.clone());
            up[at] += h;
            down[at] -= h;
            let difference = (loss(&up) - loss(&down)) / (2.0 * h);
            assert!(
                (difference - f64::from(grad[at])).abs() < 1e-5,
                "entry {at}: {difference} against {}",
                grad[at]
            );
        }
    }
}
