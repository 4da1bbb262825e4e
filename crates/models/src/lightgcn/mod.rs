//! LightGCN: embeddings propagated over the graph and nothing else; the mean of layers 0..=L is the output.

mod propagate;
mod rescore;
pub(crate) mod training;

use std::sync::{Arc, OnceLock};

use grease_graph::{
    Access, Edit, Embeddings, Graph, Profile, Recommender, ScoreError, UserId, check_request,
};

use crate::adjacency::Adjacency;
use crate::architecture::{Architecture, Kind};
use crate::halves::Halves;
use crate::weights::Weights;

/// A trained LightGCN. Scores for one user on an edited graph are exact and need no d-dimensional propagation.
#[derive(Debug, Clone)]
pub struct LightGcn {
    adjacency: Adjacency,
    layers: usize,
    weights: Weights,
    output: OnceLock<Halves>,
}

impl LightGcn {
    /// From weights whose shapes are known to be right.
    pub(crate) fn trained(graph: Arc<Graph>, layers: usize, weights: Weights) -> Self {
        Self { adjacency: Adjacency::new(graph), layers, weights, output: OnceLock::new() }
    }

    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        Architecture::new(Kind::LightGcn, self.layers, self.dim())
    }

    /// The learned tables.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Output embeddings of all users and items; propagated when first asked for.
    pub fn output(&self) -> Embeddings<'_> {
        // Not by `get_or_init`: a thread of the pool that waits for a part of this may take up another question meanwhile,
        // and would wait for itself. Two that come first at the same time both propagate, to the same bytes.
        let Halves { users, items } = match self.output.get() {
            Some(output) => output,
            None => {
                let output = self.propagate();
                self.output.get_or_init(|| output)
            }
        };
        Embeddings { users, items, width: self.dim() }
    }

    fn dim(&self) -> usize {
        self.weights.0[0].shape[1]
    }
}

impl Recommender for LightGcn {
    fn graph(&self) -> &Graph {
        self.adjacency.graph()
    }

    fn repeats_itself(&self) -> bool {
        true
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_request(self.graph(), user, edits, out)?;
        // From inside the pool: a thread outside it would go to sleep and be woken for each pass.
        rayon::scope(|_| self.rescore(user, profile, edits, out));
        Ok(())
    }

    fn access(&self) -> Access {
        Access::Native
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        Some(self.output())
    }

    fn input_features(&self) -> Option<Embeddings<'_>> {
        Some(Embeddings { users: self.weights.users(), items: self.weights.items(), width: self.dim() })
    }
}
