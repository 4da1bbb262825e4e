//! Which instructions the machine has, asked once.

use std::sync::atomic::{AtomicU8, Ordering};

/// The instruction sets the kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// What every target of the compiler has.
    Portable,
    /// x86-64 with AVX2, FMA and the count of bits that every such machine has: eight lanes, fused multiply-add.
    Avx2Fma,
}

const UNASKED: u8 = 0;
const PORTABLE: u8 = 1;
const AVX2_FMA: u8 = 2;

static CHOSEN: AtomicU8 = AtomicU8::new(UNASKED);

impl Isa {
    /// What the machine offers.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("popcnt")
        {
            return Isa::Avx2Fma;
        }
        Isa::Portable
    }

    /// What the kernels use: the best the machine offers, unless [`Isa::restrict`] said otherwise.
    #[inline]
    pub fn current() -> Self {
        match CHOSEN.load(Ordering::Relaxed) {
            AVX2_FMA => Isa::Avx2Fma,
            PORTABLE => Isa::Portable,
            _ => {
                let isa = Self::detect();
                Self::store(isa);
                isa
            }
        }
    }

    /// Makes the whole process use `isa`, or the best available if the machine lacks it. For comparing the
    /// two paths in benchmarks; results differ in the last bits, as FMA rounds once where the portable path
    /// rounds twice.
    pub fn restrict(isa: Isa) {
        Self::store(if isa == Isa::Portable { isa } else { Self::detect() });
    }

    fn store(isa: Isa) {
        let code = if isa == Isa::Avx2Fma { AVX2_FMA } else { PORTABLE };
        CHOSEN.store(code, Ordering::Relaxed);
    }
}

/// A piece of work compiled twice, with and without AVX2/FMA. `run` is `#[inline(always)]`, so that each caller
/// compiles it with its own instructions.
pub(crate) trait Kernel {
    /// What it gives back.
    type Output;
    /// The work; `FMA` says whether a fused multiply-add is one instruction.
    fn run<const FMA: bool>(self) -> Self::Output;
}

impl Isa {
    /// Runs a kernel with these instructions.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the guard has just asked the processor (the answer is cached by the standard library).
            Isa::Avx2Fma if Isa::detect() == Isa::Avx2Fma => unsafe { with_avx2_fma(kernel) },
            _ => kernel.run::<false>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt")]
fn with_avx2_fma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<true>()
}

/// Runs plain loops over slices compiled for the best instruction set: the closure is compiled into a caller that has it.
///
/// Loops without sums across elements give the same bits on every instruction set.
///
/// ```
/// let (x, mut y) = (vec![1.0f32; 100], vec![2.0f32; 100]);
/// grease_kernels::vectorise(|| y.iter_mut().zip(&x).for_each(|(y, x)| *y += 0.5 * x));
/// assert_eq!(y[99], 2.5);
/// ```
#[inline]
pub fn vectorise<R>(loops: impl FnOnce() -> R) -> R {
    Isa::current().run(Loops(loops))
}

struct Loops<F>(F);

impl<R, F: FnOnce() -> R> Kernel for Loops<F> {
    type Output = R;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> R {
        (self.0)()
    }
}

/// `a * b + c`, fused where that is one instruction.
#[inline(always)]
pub(crate) fn mul_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}
