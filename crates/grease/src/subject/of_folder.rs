//! The model of a folder, which the folder keeps.

use std::sync::Arc;

use grease_graph::{Edit, Profile, Recommender, ScoreError, UserId};
use grease_models::folder::ModelFolder;

/// The model of a folder.
pub(super) struct OfFolder(pub(super) Arc<ModelFolder>);

impl Recommender for OfFolder {
    grease_graph::as_it_is!(self => self.0.model);

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.0.model.score(user, profile, edits, out)
    }

    fn score_each(&self, users: &[UserId], out: &mut [f32]) -> Result<(), ScoreError> {
        self.0.model.score_each(users, out)
    }
}
