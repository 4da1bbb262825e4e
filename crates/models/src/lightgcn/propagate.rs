//! All output embeddings at once, by Horner's rule: `(L+1) h = E + A (E + A (E + A E))`; and the rows of each layer.

use std::mem::swap;

use crate::adjacency::Scaled;
use crate::halves::{Halves, Side};
use crate::lightgcn::LightGcn;

impl LightGcn {
    /// Output embeddings of every node: L products with the whole graph.
    pub(super) fn propagate(&self) -> Halves {
        let (graph, dim) = (self.adjacency.graph(), self.dim());
        let (users, items) = (self.weights.users(), self.weights.items());
        let zeros = || Halves::zeros(graph.users(), graph.items(), dim);
        let mut out = Halves { users: users.to_vec(), items: items.to_vec() };
        if self.layers > 0 {
            let (mut base, mut current) = (zeros(), zeros());
            self.adjacency.scale(users, items, dim, &mut base);
            let mut source = &base;
            let mut next = zeros();
            for _ in 1..self.layers {
                self.adjacency.apply(Scaled::Twice, Some(&base), source, dim, &mut next);
                swap(&mut current, &mut next);
                source = &current;
            }
            for side in Side::BOTH {
                let product = self.adjacency.to(side, Scaled::Once).plus(self.weights.table(side));
                product.apply(source.side(side.other()), dim, out.side_mut(side));
            }
        }
        let share = 1.0 / (self.layers + 1) as f32;
        out.users.iter_mut().chain(&mut out.items).for_each(|v| *v *= share);
        out
    }

    /// Shows the rows of layers 1 to `last`, one after another.
    pub(super) fn each_layer(&self, last: usize, mut show: impl FnMut(&Halves)) {
        let (graph, dim) = (self.adjacency.graph(), self.dim());
        let zeros = || Halves::zeros(graph.users(), graph.items(), dim);
        let (mut scaled, mut next) = (zeros(), zeros());
        self.adjacency.scale(self.weights.users(), self.weights.items(), dim, &mut scaled);
        for _ in 0..last {
            self.adjacency.apply(Scaled::Once, None, &scaled, dim, &mut next);
            show(&next);
            self.adjacency.scale(&next.users, &next.items, dim, &mut scaled);
        }
    }
}
