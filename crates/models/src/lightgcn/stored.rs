//! What a LightGCN works out before its first answer, as a store keeps it.

use std::sync::{Arc, OnceLock};

use grease_graph::Graph;

use super::LightGcn;
use super::local::{DEEPEST, Tables};
use crate::halves::Outputs;
use crate::stored::{Parts, Stored};
use crate::weights::Weights;

impl LightGcn {
    /// Works it out, and names it.
    pub(crate) fn put<'m>(&'m self, parts: &mut Parts<'m>) {
        let output = self.output();
        parts.put("output.users", output.users);
        parts.put("output.items", output.items);
        if self.is_local() {
            self.tables().put(parts);
        }
    }

    /// A model whose weights are known to fit, with what is stored of it; none where that is not all of it.
    pub(crate) fn stored(graph: Arc<Graph>, layers: usize, weights: Weights, file: &Stored) -> Option<Self> {
        let (users, items, dim) = (graph.users(), graph.items(), weights.0[0].shape[1]);
        let output = Outputs {
            users: file.numbers("output.users", users * dim)?,
            items: file.numbers("output.items", items * dim)?,
        };
        let model = Self { output: OnceLock::from(output), ..Self::trained(graph, layers, weights) };
        if !model.is_local() {
            return Some(model);
        }
        let tables = Box::new(Tables::stored(file, layers, items, dim)?);
        Some(Self { tables: OnceLock::from(tables), ..model })
    }

    /// Whether answers can be had without the rest of the graph.
    pub(super) fn is_local(&self) -> bool {
        (1..=DEEPEST).contains(&self.layers)
    }
}
