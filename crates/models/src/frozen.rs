//! Embeddings that were exported elsewhere: they score, and answer nothing about any other graph than the one they came from.

use std::sync::Arc;

use grease_graph::{
    Access, Edit, Embeddings, Graph, Profile, Recommender, ScoreError, UserId, check_frozen, check_request,
};
use grease_kernels::dense::dot;
use rayon::prelude::*;

use crate::architecture::{Architecture, Kind, Variant};
use crate::halves::{Halves, row};
use crate::weights::{Tensor, Weights};

/// Somebody's output embeddings. A score is a dot product, or a cosine.
#[derive(Debug, Clone)]
pub struct Frozen {
    graph: Arc<Graph>,
    variant: Variant,
    weights: Weights,
    /// For cosines: the rows divided by their lengths, so that dot products are the scores.
    directions: Option<Halves>,
}

impl Frozen {
    /// From embeddings whose shapes are known to be right.
    pub(crate) fn new(graph: Arc<Graph>, variant: Variant, weights: Weights) -> Self {
        let directions = (variant == Variant::Cosine)
            .then(|| Halves { users: directions(&weights.0[0]), items: directions(&weights.0[1]) });
        Self { graph, variant, weights, directions }
    }

    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        Architecture { variant: self.variant, ..Architecture::new(Kind::Frozen, 0, self.dim()) }
    }

    /// The embeddings as they were given.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The embeddings whose dot products are the scores.
    pub fn output(&self) -> Embeddings<'_> {
        let width = self.dim();
        match &self.directions {
            Some(Halves { users, items }) => Embeddings { users, items, width },
            None => Embeddings { users: self.weights.users(), items: self.weights.items(), width },
        }
    }

    fn dim(&self) -> usize {
        self.weights.0[0].shape[1]
    }
}

/// Rows of length 1. In `f64`: an export may have rows whose squares leave the range of `f32`.
fn directions(table: &Tensor) -> Vec<f32> {
    let mut out = table.data.to_vec();
    out.par_chunks_exact_mut(table.shape[1]).for_each(|row| {
        let length = row.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt();
        row.iter_mut().for_each(|v| *v = (f64::from(*v) / length) as f32);
    });
    out
}

impl Recommender for Frozen {
    fn graph(&self) -> &Graph {
        &self.graph
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
        check_request(&self.graph, user, edits, out)?;
        check_frozen(&self.graph, user, profile, edits)?;
        let Embeddings { users, items, width } = self.output();
        let own = row(users, width, user.0);
        for out in out.chunks_exact_mut(self.graph.items().max(1)) {
            out.par_iter_mut()
                .zip(items.par_chunks_exact(width))
                .with_min_len(1024)
                .for_each(|(score, item)| *score = dot(own, item));
        }
        Ok(())
    }

    fn access(&self) -> Access {
        Access::Frozen
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        Some(self.output())
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::conformance;

    use super::*;
    use crate::model::Model;
    use crate::weights::WeightsError;

    fn frozen(graph: &Graph, variant: Variant) -> Model {
        let architecture = Architecture { variant, ..Architecture::new(Kind::Frozen, 0, 5) };
        let weights = architecture.initial_weights(graph, 1);
        Model::new(architecture, Arc::new(graph.clone()), weights).unwrap()
    }

    #[test]
    fn frozen_embeddings_pass_the_suite() {
        for variant in [Variant::Usual, Variant::Cosine] {
            conformance::check(&|graph| Box::new(frozen(graph, variant)));
        }
    }

    fn two_by_two(variant: Variant, users: [f32; 4], items: [f32; 4]) -> Result<Model, WeightsError> {
        let table = |name: &str, data: [f32; 4]| Tensor {
            name: name.into(),
            shape: [2, 2],
            data: data.to_vec().into(),
        };
        let weights = Weights(vec![table("user_embedding", users), table("item_embedding", items)]);
        let graph = Arc::new(Graph::new(2, 2, &[]).unwrap());
        Model::new(Architecture { variant, ..Architecture::new(Kind::Frozen, 0, 2) }, graph, weights)
    }

    #[test]
    fn a_score_is_a_dot_product_or_a_cosine() {
        let (users, items) = ([3.0, 4.0, 1.0, 0.0], [6.0, 8.0, 0.0, -2.0]);
        let dots = two_by_two(Variant::Usual, users, items).unwrap();
        assert_eq!(dots.scores(UserId(0)).unwrap(), [50.0, -8.0]);
        let cosines = two_by_two(Variant::Cosine, users, items).unwrap();
        assert_eq!(cosines.scores(UserId(0)).unwrap(), [1.0, -0.8]);
        assert_eq!(cosines.weights().users(), users, "kept as they were given");
    }

    #[test]
    fn cosines_of_huge_and_tiny_rows_are_cosines() {
        let model = two_by_two(Variant::Cosine, [1e30, 1e30, 1e-30, 0.0], [1e-40, 1e-40, 0.0, 1e38]).unwrap();
        assert!((model.scores(UserId(0)).unwrap()[0] - 1.0).abs() < 1e-6);
        assert_eq!(model.scores(UserId(1)).unwrap()[1], 0.0);
    }

    #[test]
    fn a_row_of_zeros_has_no_cosine() {
        let error = two_by_two(Variant::Cosine, [1.0; 4], [1.0, 1.0, 0.0, -0.0]).unwrap_err();
        assert_eq!(error, WeightsError::NoDirection { name: "item_embedding".into(), row: 1 });
        assert!(two_by_two(Variant::Usual, [1.0; 4], [1.0, 1.0, 0.0, -0.0]).is_ok());
    }
}
