//! The numeric kernels of GREASE, and with `cuda` the only crate with `unsafe` in it.
//!
//! | kernel | does |
//! |---|---|
//! | [`Spmm`] | sparse times dense, any width, by rows, by some rows, or from few non-zero input rows |
//! | [`sddmm`] | its gradient by edge weights |
//! | [`normalise`] | edge weights to propagation weights and back, where weight 0 is exactly "edge absent" |
//! | [`dense`] | `sgemm` in the three layouts a hand-written backward pass needs, dot products |
//! | [`top_k`] | the best of many scores, ties to the lower index |
//! | [`Largest`] | the largest few of every column |
//! | [`Adam`] | the optimiser |
//! | [`vectorise`] | any plain loop, compiled for the machine |
//! | [`Array`] | numbers in memory, or in a file that is mapped into it |
//!
//! **Deterministic**: every output row is computed by one thread in one order, and sums across rows are taken
//! over fixed blocks, so the number of threads never changes a bit of the result. AVX2/FMA is picked once at
//! run time ([`Isa`]); the portable twin is the same code compiled without it.

mod adam;
mod array;
mod csr;
pub mod dense;
mod isa;
mod largest;
pub mod normalise;
mod sddmm;
mod spmm;
mod topk;

pub use adam::{Adam, AdamMoments};
pub use array::{Array, Mapped};
pub use csr::{Csr, CsrError};
pub use isa::{Isa, vectorise};
pub use largest::Largest;
pub use sddmm::sddmm;
pub use spmm::{SparseRows, Spmm};
pub use topk::{Ranked, top_k};
