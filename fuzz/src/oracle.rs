//! What an oracle answers.

use grease_graph::{Edge, Edit, Profile, Recommender as _, UserId};
use grease_oracle::fuzzing::saying;

use crate::subject::interactions;

/// Takes the lines for answers: to hello, for scores, for scores after edits, for embeddings.
pub fn answers(bytes: &[u8]) -> bool {
    let Ok(oracle) = saying(bytes, interactions()) else { return false };
    let items = oracle.graph().items();
    let first = oracle.scores(UserId(0));
    if let Ok(scores) = &first {
        assert!(scores.len() == items && scores.iter().all(|score| score.is_finite()));
    }
    let edits = [0, 1].map(|item| Edit::new([Edge::new(1, item)], []));
    let mut scores = vec![0.0; 2 * items];
    if oracle.score(UserId(1), Profile::Kept, &edits, &mut scores).is_ok() {
        assert!(scores.iter().all(|score| score.is_finite()));
    }
    let _ = oracle.embeddings();
    first.is_ok()
}
