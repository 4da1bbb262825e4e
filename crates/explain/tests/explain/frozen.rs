//! A recommender that cannot be asked: guesses, called so.

use std::sync::Arc;

use grease_explain::{
    ExplainError, Explainer, Goal, Items, Method, ProfileChoice, Reason, Status, Task, Who,
};
use grease_graph::doubles::{CoNeighbours, Counted, Frozen};
use grease_graph::{Access, Edit, Embeddings, Graph, ItemId, Profile, Recommender, ScoreError, UserId};
use grease_models::Model;

use crate::support::{SCOPES, explain, is_defined, models};

/// Panics if it is asked what it said it cannot answer.
struct Touchy<'a>(&'a Model);

impl Recommender for Touchy<'_> {
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
        assert_eq!(profile, Profile::Kept, "asked about a neutral profile");
        assert!(edits.iter().all(Edit::is_empty), "asked about an edited graph");
        self.0.score(user, profile, edits, out)
    }

    fn access(&self) -> Access {
        Access::Frozen
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        Some(self.0.output())
    }
}

#[test]
fn it_is_asked_for_its_list_once_and_nothing_it_could_not_answer() {
    for model in models() {
        let frozen = Arc::new(Counted::new(Touchy(model)));
        let mut guessed = 0;
        for method in Method::ALL {
            let explainer = Explainer::new(frozen.clone(), method);
            for (scope, profile) in
                SCOPES.into_iter().zip([ProfileChoice::Auto, ProfileChoice::Neutral].repeat(2))
            {
                let goals: Vec<Goal> = [Goal::Counterfactual, Goal::Factual, Goal::WhyNot]
                    .into_iter()
                    .filter(|&goal| is_defined(method, scope, goal))
                    .collect();
                if goals.is_empty() {
                    continue;
                }
                let task = Task { scope, profile, ..Task::new(Who::Known(UserId(9)), 4) };
                let found = explainer.explain(&task, &Items::List, &goals).unwrap();
                assert_eq!(frozen.take().edits, 1, "{method}, {scope:?}");
                for e in &found {
                    assert!(matches!(e.status(), Status::Unverified | Status::NotFound), "{e:?}");
                    assert_eq!((e.profile, e.minimal()), (Profile::Kept, None), "{e:?}");
                    assert_eq!(
                        (e.rank_after(), e.margin_after(), e.replaced_by()),
                        (None, None, None),
                        "{e:?}"
                    );
                    assert_eq!(e.edges().is_empty(), e.status() == Status::NotFound, "{e:?}");
                    assert_eq!(e.reason().is_some(), e.status() == Status::NotFound, "{e:?}");
                    guessed += usize::from(e.status() == Status::Unverified);
                }
                let told: f32 = found.iter().map(|e| e.queries).sum();
                assert!((told - 1.0).abs() < 1e-3, "{told} questions told");
            }
        }
        assert!(guessed > 20, "only {guessed} guesses");
    }
}

#[test]
fn it_may_show_nothing_but_scores() {
    let frozen = Frozen(CoNeighbours::new(models()[0].graph().clone()));
    let task = Task::new(Who::Known(UserId(9)), 4);
    let found = explain(&frozen, Method::Grease, &task, &Items::List, &[Goal::Counterfactual]).unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|e| matches!(e.status(), Status::Unverified | Status::NotFound)), "{found:?}");
}

#[test]
fn what_needs_no_question_is_known_all_the_same() {
    let frozen = Frozen(CoNeighbours::new(models()[0].graph().clone()));
    let task = Task::new(Who::Known(UserId(9)), 4);
    let list = grease_graph::recommend(&frozen, &task.who, 6, &task.candidates).unwrap();
    let items = Items::These(vec![list[0].item, list[5].item]);
    let found =
        explain(&frozen, Method::Grease, &task, &items, &[Goal::Counterfactual, Goal::WhyNot]).unwrap();
    assert_eq!(found[1].reason(), Some(Reason::AlreadyInside { rank: 1 }));
    assert_eq!(found[2].reason(), Some(Reason::AlreadyOutside { rank: 6 }));
}

#[test]
fn a_newcomer_is_refused_with_the_reason() {
    let frozen = Frozen(CoNeighbours::new(models()[0].graph().clone()));
    let task = Task::new(Who::Newcomer(vec![ItemId(1)]), 4);
    let error = explain(&frozen, Method::Grease, &task, &Items::List, &[Goal::Counterfactual]).unwrap_err();
    assert_eq!(error, ExplainError::Score(ScoreError::Frozen));
}
