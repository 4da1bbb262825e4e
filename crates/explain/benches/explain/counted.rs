//! A recommender that counts what it is asked and the time the answers take.

use std::sync::Mutex;

use grease_graph::{Access, Edit, Embeddings, Graph, Profile, Recommender, ScoreError, UserId};

use crate::common::timed;

/// Passes everything on.
pub(crate) struct Counted<'a> {
    recommender: &'a dyn Recommender,
    /// Edited graphs scored, and seconds it took.
    so_far: Mutex<(usize, f64)>,
}

impl<'a> Counted<'a> {
    pub(crate) fn new(recommender: &'a dyn Recommender) -> Self {
        Self { recommender, so_far: Mutex::default() }
    }

    /// Counts from zero again.
    pub(crate) fn reset(&self) {
        *self.so_far.lock().expect("nobody panicked") = (0, 0.0);
    }

    /// Edited graphs scored.
    pub(crate) fn edits(&self) -> usize {
        self.so_far.lock().expect("nobody panicked").0
    }

    /// Seconds that took.
    pub(crate) fn seconds(&self) -> f64 {
        self.so_far.lock().expect("nobody panicked").1
    }
}

impl Recommender for Counted<'_> {
    fn graph(&self) -> &Graph {
        self.recommender.graph()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        let (seconds, scored) = timed(|| self.recommender.score(user, profile, edits, out));
        let mut so_far = self.so_far.lock().expect("nobody panicked");
        so_far.0 += edits.len();
        so_far.1 += seconds;
        scored
    }

    fn access(&self) -> Access {
        self.recommender.access()
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        self.recommender.embeddings()
    }

    fn input_features(&self) -> Option<Embeddings<'_>> {
        self.recommender.input_features()
    }
}
