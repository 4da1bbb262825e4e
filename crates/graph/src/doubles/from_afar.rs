//! A recommender that cannot be looked at closely: as others are, and as a slow twin of those that can.

use crate::{Abilities, Access, Edit, Embeddings, Graph, Profile, Recommender, ScoreError, UserId};

/// Everything of another but for [`closely`](Recommender::closely).
#[derive(Debug, Clone)]
pub struct FromAfar<R>(pub R);

impl<R: Recommender> Recommender for FromAfar<R> {
    fn graph(&self) -> &Graph {
        self.0.graph()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.0.score(user, profile, edits, out)
    }

    fn access(&self) -> Access {
        self.0.access()
    }

    fn abilities(&self) -> Abilities {
        self.0.abilities()
    }

    fn repeats_itself(&self) -> bool {
        self.0.repeats_itself()
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        self.0.embeddings()
    }

    fn input_features(&self) -> Option<Embeddings<'_>> {
        self.0.input_features()
    }
}
