//! Recommenders whose quick answers are there to search by, such as a card's: what a certificate says comes from the answers that count.

use grease_explain::{Goal, Method, Status};
use grease_graph::doubles::CoNeighbours;
use grease_graph::{Edit, Graph, Profile, Recommender, ScoreError, UserId};

use crate::support::{graph, one, task};

/// Answers quickly by `quick`, which is handed the edit and the scores that count.
#[derive(Clone)]
struct Hasty {
    inner: CoNeighbours,
    quick: fn(&Edit, &mut [f32]),
}

impl Recommender for Hasty {
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
        self.inner.score(user, profile, edits, out)?;
        let each = edits.iter().zip(out.chunks_exact_mut(self.graph().items()));
        each.for_each(|(edit, scores)| (self.quick)(edit, scores));
        Ok(())
    }

    fn score_anew(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.inner.score(user, profile, edits, out)
    }

    fn counts_anew(&self) -> bool {
        true
    }
}

/// Item 3 has two paths for person 0, items 4 and 5 one.
fn inner() -> CoNeighbours {
    CoNeighbours::new(graph(6, &[&[0, 1, 2], &[0, 3], &[0, 3], &[1, 4], &[2, 5]]))
}

#[test]
fn a_certificate_has_the_numbers_that_count() {
    let sure = one(&inner(), Method::Grease, &task(1), 3, Goal::Counterfactual);
    assert_eq!(sure.status(), Status::Verified);
    // As much as the last digits of a card.
    let quick = |_: &Edit, scores: &mut [f32]| scores.iter_mut().for_each(|score| *score *= 1.0 + 3e-7);
    let hasty = Hasty { inner: inner(), quick };
    let found = one(&hasty, Method::Grease, &task(1), 3, Goal::Counterfactual);
    assert_eq!((found.outcome(), found.edges()), (sure.outcome(), sure.edges()));
}

#[test]
fn what_can_be_spared_after_all_is_not_called_minimal() {
    // Hastily, one interaction is never enough.
    let quick = |edit: &Edit, scores: &mut [f32]| {
        if edit.removed().len() == 1 {
            scores[3] += 10.0;
        }
    };
    let hasty = Hasty { inner: inner(), quick };
    let found = one(&hasty, Method::Grease, &task(1), 3, Goal::Counterfactual);
    assert_eq!((found.status(), found.edges().len()), (Status::Verified, 2), "{found:?}");
    assert_eq!(found.minimal(), Some(false), "without one of them it is gone as well");
}
