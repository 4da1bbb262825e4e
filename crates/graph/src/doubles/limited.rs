//! A recommender that can be asked less.

use crate::{
    Abilities, Access, Edit, Embeddings, Graph, Profile, Recommender, ScoreError, UserId, check_abilities,
    check_request,
};

/// Another recommender, of which some things cannot be asked.
#[derive(Debug, Clone)]
pub struct Limited<R> {
    pub inner: R,
    /// What it can be asked.
    pub abilities: Abilities,
}

impl<R: Recommender> Recommender for Limited<R> {
    fn graph(&self) -> &Graph {
        self.inner.graph()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_request(self.graph(), user, edits, out)?;
        check_abilities(self.abilities, self.graph(), user, profile, edits)?;
        self.inner.score(user, profile, edits, out)
    }

    fn access(&self) -> Access {
        self.inner.access()
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        self.inner.embeddings()
    }
}
