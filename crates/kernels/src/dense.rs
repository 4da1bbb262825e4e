//! Dense products: one `sgemm` wrapper in the three layouts a hand-written backward pass needs.
//!
//! Matrices are row-major slices. Work is cut into fixed blocks of rows, so that the number of threads changes
//! nothing; sums over rows ([`transposed_matmul`]) are taken block by block, in order.

use gemm::Parallelism;
use rayon::prelude::*;

use crate::isa::{Isa, Kernel, mul_add};

/// Rows a thread takes at a time.
const BLOCK_ROWS: usize = 1024;

/// `out = a b`, or `out += a b`; `a` is `[n, inner]`, `b` is `[inner, m]`, `out` is `[n, m]`.
pub fn matmul(a: &[f32], b: &[f32], inner: usize, m: usize, out: &mut [f32], accumulate: bool) {
    by_row_blocks(a, inner, m, out, |a, rows, out| {
        sgemm(View::plain(a, rows, inner), View::plain(b, inner, m), out, accumulate);
    });
}

/// `out = a b^T`, or `out += a b^T`; `a` is `[n, inner]`, `b` is `[m, inner]`, `out` is `[n, m]`.
pub fn matmul_transposed(a: &[f32], b: &[f32], inner: usize, m: usize, out: &mut [f32], accumulate: bool) {
    by_row_blocks(a, inner, m, out, |a, rows, out| {
        sgemm(View::plain(a, rows, inner), View::plain(b, m, inner).flipped(), out, accumulate);
    });
}

/// `out = a^T b`; `a` is `[n, p]`, `b` is `[n, m]`, `out` is `[p, m]`. Sums over `n`, which may be long.
pub fn transposed_matmul(a: &[f32], b: &[f32], p: usize, m: usize, out: &mut [f32]) {
    assert!(p > 0 && m > 0, "empty matrices");
    assert_eq!(a.len() / p, b.len() / m, "same number of rows");
    assert_eq!(out.len(), p * m, "output shape");
    let partial: Vec<Vec<f32>> = a
        .par_chunks(BLOCK_ROWS * p)
        .zip(b.par_chunks(BLOCK_ROWS * m))
        .map(|(a, b)| {
            let mut sum = vec![0f32; p * m];
            let rows = a.len() / p;
            sgemm(View::plain(a, rows, p).flipped(), View::plain(b, rows, m), &mut sum, false);
            sum
        })
        .collect();
    out.fill(0.0);
    for part in partial {
        out.iter_mut().zip(&part).for_each(|(o, v)| *o += v);
    }
}

fn by_row_blocks(
    a: &[f32],
    inner: usize,
    m: usize,
    out: &mut [f32],
    product: impl Fn(&[f32], usize, &mut [f32]) + Sync,
) {
    assert!(inner > 0 && m > 0, "empty matrices");
    assert_eq!(a.len() / inner, out.len() / m, "same number of rows");
    a.par_chunks(BLOCK_ROWS * inner)
        .zip(out.par_chunks_mut(BLOCK_ROWS * m))
        .for_each(|(a, out)| product(a, out.len() / m, out));
}

/// A matrix as `gemm` wants it: strides instead of a layout.
#[derive(Clone, Copy)]
struct View<'a> {
    data: &'a [f32],
    rows: usize,
    cols: usize,
    row_stride: isize,
    col_stride: isize,
}

impl<'a> View<'a> {
    fn plain(data: &'a [f32], rows: usize, cols: usize) -> Self {
        assert_eq!(data.len(), rows * cols, "matrix shape");
        Self { data, rows, cols, row_stride: cols as isize, col_stride: 1 }
    }

    fn flipped(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }
}

/// `out = a b` or `out += a b`, on this thread.
fn sgemm(a: View<'_>, b: View<'_>, out: &mut [f32], accumulate: bool) {
    assert_eq!(a.cols, b.rows, "inner dimensions");
    assert_eq!(out.len(), a.rows * b.cols, "output shape");
    // SAFETY: each view's strides stay inside its slice, whose length `View::plain` checked; `out` is row-major
    // `[a.rows, b.cols]`, checked above, and cannot overlap the inputs, being borrowed mutably.
    unsafe {
        gemm::gemm(
            a.rows,
            b.cols,
            a.cols,
            out.as_mut_ptr(),
            1,
            b.cols as isize,
            accumulate,
            a.data.as_ptr(),
            a.col_stride,
            a.row_stride,
            b.data.as_ptr(),
            b.col_stride,
            b.row_stride,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// The dot product of two vectors of one length.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "same length");
    Isa::current().run(Dot { a, b })
}

struct Dot<'a> {
    a: &'a [f32],
    b: &'a [f32],
}

impl Kernel for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f32 {
        dot_of::<FMA>(self.a, self.b)
    }
}

/// `out = rows x` on this thread, a dot product a row: for tables of a few hundred rows, or a whole catalogue on one thread.
///
/// Every row is summed in the same order whatever stands beside it.
pub fn matvec(rows: &[f32], x: &[f32], out: &mut [f32]) {
    assert_eq!(rows.len(), x.len() * out.len(), "matrix shape");
    Isa::current().run(MatVec { rows, x, out });
}

struct MatVec<'a> {
    rows: &'a [f32],
    x: &'a [f32],
    out: &'a mut [f32],
}

impl Kernel for MatVec<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        if self.x.is_empty() {
            self.out.fill(0.0);
            return;
        }
        for (row, out) in self.rows.chunks_exact(self.x.len()).zip(self.out) {
            *out = short_dot::<FMA>(row, self.x);
        }
    }
}

/// `out = xs rows^T` on this thread: every row with several vectors, `xs` is `[n, width]`, `out` is `[n, rows]`. Each product is to the
/// bit what [`matvec`] makes of it; a row is read once for eight of them.
pub fn matvecs(rows: &[f32], xs: &[f32], width: usize, out: &mut [f32]) {
    let vectors = xs.len().checked_div(width).unwrap_or(0);
    assert_eq!(xs.len(), vectors * width, "vectors of one width");
    assert_eq!(rows.len() * vectors, out.len() * width, "matrix shape");
    if width == 0 || rows.is_empty() {
        return;
    }
    let n = rows.len() / width;
    for (xs, out) in xs.chunks(ABREAST * width).zip(out.chunks_mut(ABREAST * n)) {
        // Those that are missing are zeros, whose products nobody reads.
        let mut abreast = vec![[0f32; ABREAST]; width];
        for (lane, x) in xs.chunks_exact(width).enumerate() {
            abreast.iter_mut().zip(x).for_each(|(lanes, x)| lanes[lane] = *x);
        }
        Isa::current().run(MatVecs { rows, abreast: &abreast, out });
    }
}

/// Vectors that are multiplied with a row at the same time, one a lane: nothing has to be added up across a register.
const ABREAST: usize = 8;
type Lanes = [f32; ABREAST];

struct MatVecs<'a> {
    rows: &'a [f32],
    /// Up to [`ABREAST`] vectors side by side.
    abreast: &'a [Lanes],
    /// As many rows as there are vectors.
    out: &'a mut [f32],
}

impl Kernel for MatVecs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { rows, abreast, out } = self;
        let width = abreast.len();
        let n = rows.len() / width;
        for (at, row) in rows.chunks_exact(width).enumerate() {
            let products = short_dots::<FMA>(row, abreast);
            for (out, product) in out.chunks_exact_mut(n).zip(products) {
                out[at] = product;
            }
        }
    }
}

/// Sums a [`short_dots`] has in registers at a time.
const IN_REGISTERS: usize = 4;

/// [`short_dot`] with several vectors at once, and each summed in the same order.
#[inline(always)]
fn short_dots<const FMA: bool>(a: &[f32], xs: &[Lanes]) -> Lanes {
    let (a_chunks, a_rest) = a.as_chunks::<FEW_LANES>();
    let (x_chunks, x_rest) = xs.as_chunks::<FEW_LANES>();
    let mut sums = [[0f32; ABREAST]; FEW_LANES];
    for (group, sums) in sums.as_chunks_mut::<IN_REGISTERS>().0.iter_mut().enumerate() {
        let first = group * IN_REGISTERS;
        let mut some = [[0f32; ABREAST]; IN_REGISTERS];
        for (a, x) in a_chunks.iter().zip(x_chunks) {
            for k in 0..IN_REGISTERS {
                some[k] = add_product::<FMA>(a[first + k], &x[first + k], some[k]);
            }
        }
        *sums = some;
    }
    let mut width = FEW_LANES / 2;
    while width > 0 {
        for k in 0..width {
            (0..ABREAST).for_each(|lane| sums[k][lane] += sums[k + width][lane]);
        }
        width /= 2;
    }
    let rests = a_rest.iter().zip(x_rest);
    rests.fold(sums[0], |sum, (&a, x)| add_product::<FMA>(a, x, sum))
}

#[inline(always)]
fn add_product<const FMA: bool>(a: f32, x: &Lanes, mut sum: Lanes) -> Lanes {
    (0..ABREAST).for_each(|lane| sum[lane] = mul_add::<FMA>(a, x[lane], sum[lane]));
    sum
}

/// Halves on halves, always in this order.
#[inline(always)]
fn added_up(mut sums: [f32; FEW_LANES]) -> f32 {
    let mut width = FEW_LANES / 2;
    while width > 0 {
        (0..width).for_each(|k| sums[k] += sums[k + width]);
        width /= 2;
    }
    sums[0]
}

/// Lanes of a [`short_dot`]: two registers of eight, as little as possible to add up in the end.
const FEW_LANES: usize = 16;

#[inline(always)]
fn short_dot<const FMA: bool>(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; FEW_LANES];
    let (a_chunks, a_rest) = a.as_chunks::<FEW_LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<FEW_LANES>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        (0..FEW_LANES).for_each(|k| sums[k] = mul_add::<FMA>(a[k], b[k], sums[k]));
    }
    a_rest.iter().zip(b_rest).fold(added_up(sums), |sum, (&a, &b)| mul_add::<FMA>(a, b, sum))
}

/// Lanes summed side by side: four registers of eight.
const LANES: usize = 32;

/// The body of [`dot`], for kernels that take many.
#[inline(always)]
pub(crate) fn dot_of<const FMA: bool>(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; LANES];
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        (0..LANES).for_each(|k| sums[k] = mul_add::<FMA>(a[k], b[k], sums[k]));
    }
    let mut width = LANES / 2;
    while width > 0 {
        (0..width).for_each(|k| sums[k] += sums[k + width]);
        width /= 2;
    }
    a_rest.iter().zip(b_rest).fold(sums[0], |sum, (&a, &b)| mul_add::<FMA>(a, b, sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(n: usize, salt: u32) -> Vec<f32> {
        (0..n as u32)
            .map(|i| (i.wrapping_mul(2_246_822_519).wrapping_add(salt) >> 8) as f32 / (1 << 23) as f32 - 1.0)
            .collect()
    }

    /// `out[i][j] = sum over k of a(i, k) b(k, j)`, in f64.
    fn naive(
        n: usize,
        inner: usize,
        m: usize,
        a: impl Fn(usize, usize) -> f32,
        b: impl Fn(usize, usize) -> f32,
    ) -> Vec<f64> {
        (0..n * m)
            .map(|at| (0..inner).map(|k| f64::from(a(at / m, k)) * f64::from(b(k, at % m))).sum())
            .collect()
    }

    fn close(got: &[f32], want: &[f64], tolerance: f64) -> bool {
        got.iter().zip(want).all(|(&g, &w)| (f64::from(g) - w).abs() <= tolerance)
    }

    proptest! {
        #[test]
        fn products_equal_their_naive_twins(n in 1usize..40, inner in 1usize..40, m in 1usize..40, salt: u32) {
            let (a, b, bt, c) = (values(n * inner, salt), values(inner * m, salt ^ 1), values(m * inner, salt ^ 2), values(n * m, salt ^ 3));
            let mut out = vec![0f32; n * m];
            matmul(&a, &b, inner, m, &mut out, false);
            let want = naive(n, inner, m, |i, k| a[i * inner + k], |k, j| b[k * m + j]);
            prop_assert!(close(&out, &want, 1e-4));
            matmul(&a, &b, inner, m, &mut out, true);
            let twice: Vec<f64> = want.iter().map(|v| v * 2.0).collect();
            prop_assert!(close(&out, &twice, 1e-4));
            matmul_transposed(&a, &bt, inner, m, &mut out, false);
            prop_assert!(close(&out, &naive(n, inner, m, |i, k| a[i * inner + k], |k, j| bt[j * inner + k]), 1e-4));
            let mut small = vec![0f32; inner * m];
            transposed_matmul(&a, &c, inner, m, &mut small);
            prop_assert!(close(&small, &naive(inner, n, m, |i, k| a[k * inner + i], |k, j| c[k * m + j]), 1e-4));
        }

        #[test]
        fn rows_times_a_vector_are_dots(n in 0usize..9, width in 0usize..70, salt: u32) {
            let (rows, x) = (values(n * width, salt), values(width, salt ^ 7));
            let mut out = vec![f32::NAN; n];
            matvec(&rows, &x, &mut out);
            for (at, out) in out.iter().enumerate() {
                let naive: f64 = (0..width).map(|k| f64::from(rows[at * width + k]) * f64::from(x[k])).sum();
                prop_assert!((f64::from(*out) - naive).abs() < 1e-5, "{out} {naive}");
            }
        }

        #[test]
        fn several_vectors_at_once_are_to_the_bit_one_after_another(n in 0usize..9, width in 0usize..70, vectors in 0usize..11, salt: u32) {
            let (rows, xs) = (values(n * width, salt), values(vectors * width, salt ^ 7));
            let vectors = if width == 0 { 0 } else { vectors };
            let mut out = vec![f32::NAN; n * vectors];
            matvecs(&rows, &xs, width, &mut out);
            for at in 0..vectors {
                let mut one = vec![f32::NAN; n];
                matvec(&rows, &xs[at * width..(at + 1) * width], &mut one);
                prop_assert_eq!(&out[at * n..(at + 1) * n], &one[..]);
            }
        }

        #[test]
        fn dot_equals_its_naive_twin(n in 0usize..200, salt: u32) {
            let (a, b) = (values(n, salt), values(n, salt ^ 7));
            let want: f64 = a.iter().zip(&b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            prop_assert!((f64::from(dot(&a, &b)) - want).abs() < 1e-4);
            let portable = f64::from(Isa::Portable.run(Dot { a: &a, b: &b }));
            prop_assert!((portable - want).abs() < 1e-4);
        }
    }

    #[test]
    fn long_sums_do_not_depend_on_the_number_of_threads() {
        let (n, p, m) = (5000, 8, 6);
        let (a, b) = (values(n * p, 1), values(n * m, 2));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = vec![0f32; p * m];
            pool.install(|| transposed_matmul(&a, &b, p, m, &mut out));
            out
        };
        assert_eq!(run(1), run(4));
    }
}
