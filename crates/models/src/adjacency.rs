//! The normalised adjacency `A = D^-1/2 W D^-1/2` of a graph, as both models propagate with it.
//!
//! With all weights 1, `A x = S W (S x)` where `S = D^-1/2`: the kernel then needs no weights at all, only the
//! pattern and a factor a row. Chains of products stay in the scaled space: with `y = S t`,
//! `S (b + A t) = S b + S^2 W y`.

use std::sync::Arc;

use grease_graph::Graph;
use grease_kernels::normalise::inverse_root;
use grease_kernels::{Csr, Spmm, vectorise};
use rayon::prelude::*;

use crate::halves::{Halves, Side, on_both};

/// A graph and its nodes' `1 / sqrt(degree)`.
#[derive(Debug, Clone)]
pub(crate) struct Adjacency {
    graph: Arc<Graph>,
    /// `S`.
    roots: Halves,
    /// `S^2`.
    squares: Halves,
}

/// What a product's rows are multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scaled {
    /// `S`: gives `A t` from `S t`.
    Once,
    /// `S^2`: gives `S A t` from `S t`.
    Twice,
}

impl Adjacency {
    pub(crate) fn new(graph: Arc<Graph>) -> Self {
        let roots = |pattern: &Csr| -> Vec<f32> {
            (0..pattern.rows()).map(|row| inverse_root(pattern.degree(row) as f32)).collect()
        };
        let roots = Halves { users: roots(graph.by_user()), items: roots(graph.by_item()) };
        let square = |s: &[f32]| s.iter().map(|v| v * v).collect();
        let squares = Halves { users: square(&roots.users), items: square(&roots.items) };
        Self { graph, roots, squares }
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// `1 / sqrt(degree)` of every node.
    pub(crate) fn roots(&self) -> &Halves {
        &self.roots
    }

    /// `1 / degree` of every node.
    pub(crate) fn squares(&self) -> &Halves {
        &self.squares
    }

    fn factors(&self, scaled: Scaled) -> &Halves {
        match scaled {
            Scaled::Once => &self.roots,
            Scaled::Twice => &self.squares,
        }
    }

    /// The product that gives the rows of `side` from those of the other side.
    pub(crate) fn to(&self, side: Side, scaled: Scaled) -> Spmm<'_> {
        let pattern = match side {
            Side::Users => self.graph.by_user(),
            Side::Items => self.graph.by_item(),
        };
        Spmm::new(pattern).scale(self.factors(scaled).side(side))
    }

    /// `out = S x`.
    pub(crate) fn scale(&self, users: &[f32], items: &[f32], width: usize, out: &mut Halves) {
        on_both((users, &mut out.users), (items, &mut out.items), |side, (x, out)| {
            scale_rows(x, self.roots.side(side), width, out);
        });
    }

    /// `out = add + S^(1 or 2) W x`, both halves.
    pub(crate) fn apply(
        &self,
        scaled: Scaled,
        add: Option<&Halves>,
        x: &Halves,
        width: usize,
        out: &mut Halves,
    ) {
        on_both(&mut out.users, &mut out.items, |side, out| {
            let mut product = self.to(side, scaled);
            if let Some(add) = add {
                product = product.plus(add.side(side));
            }
            product.apply(x.side(side.other()), width, out);
        });
    }
}

/// Multiplies each row by its factor.
pub(crate) fn scale_rows(x: &[f32], factors: &[f32], width: usize, out: &mut [f32]) {
    const ROWS: usize = 512;
    out.par_chunks_mut(ROWS * width).zip(x.par_chunks(ROWS * width)).zip(factors.par_chunks(ROWS)).for_each(
        |((out, x), factors)| {
            vectorise(|| {
                for ((out, x), &factor) in out.chunks_exact_mut(width).zip(x.chunks_exact(width)).zip(factors)
                {
                    out.iter_mut().zip(x).for_each(|(o, x)| *o = factor * x);
                }
            });
        },
    );
}
