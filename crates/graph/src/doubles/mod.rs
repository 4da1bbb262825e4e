//! Recommenders that need no training, so that what comes after training can be tested without it.
//!
//! Their scores are whole numbers anybody can count by hand, and all of them pass [`conformance`](crate::conformance).

mod counted;
mod from_afar;
mod limited;

pub use counted::{Count, Counted};
pub use from_afar::FromAfar;
pub use limited::Limited;

use crate::{
    Access, Edit, Embeddings, Graph, ItemId, Profile, Recommender, ScoreError, UserId, check_frozen,
    check_request,
};

/// An item's score is the number of people who touched it, whoever asks.
#[derive(Debug, Clone)]
pub struct Popularity {
    graph: Graph,
}

impl Popularity {
    /// On this graph.
    pub fn new(graph: Graph) -> Self {
        Self { graph }
    }
}

impl Recommender for Popularity {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn repeats_itself(&self) -> bool {
        true
    }

    fn score(
        &self,
        user: UserId,
        _profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        on_each_rebuilt(&self.graph, user, edits, out, |graph, out| {
            for (item, score) in out.iter_mut().enumerate() {
                *score = graph.users_of(ItemId(item as u32)).len() as f32;
            }
        })
    }
}

/// An item's score is the number of paths user - touched item - other user - item: "people who touched what you touched also
/// touched".
///
/// Explanations can be worked out by hand: removing an interaction takes away exactly the paths through it.
#[derive(Debug, Clone)]
pub struct CoNeighbours {
    graph: Graph,
}

impl CoNeighbours {
    /// On this graph.
    pub fn new(graph: Graph) -> Self {
        Self { graph }
    }
}

impl Recommender for CoNeighbours {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn repeats_itself(&self) -> bool {
        true
    }

    fn score(
        &self,
        user: UserId,
        _profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        on_each_rebuilt(&self.graph, user, edits, out, |graph, out| {
            out.fill(0.0);
            if user.row() >= graph.users() {
                return;
            }
            for &touched in graph.items_of(user) {
                for &other in graph.users_of(ItemId(touched)).iter().filter(|&&other| other != user.0) {
                    graph.items_of(UserId(other)).iter().for_each(|&item| out[item as usize] += 1.0);
                }
            }
        })
    }
}

/// Another recommender whose scores were exported once: it cannot be asked about an edited graph, a neutral profile or a newcomer.
#[derive(Debug, Clone)]
pub struct Frozen<R>(pub R);

impl<R: Recommender> Recommender for Frozen<R> {
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
        check_request(self.graph(), user, edits, out)?;
        check_frozen(self.graph(), user, profile, edits)?;
        self.0.score(user, profile, edits, out)
    }

    fn access(&self) -> Access {
        Access::Frozen
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        self.0.embeddings()
    }
}

/// Checks the request and scores each edited graph, built anew.
fn on_each_rebuilt(
    graph: &Graph,
    user: UserId,
    edits: &[Edit],
    out: &mut [f32],
    score: impl Fn(&Graph, &mut [f32]),
) -> Result<(), ScoreError> {
    check_request(graph, user, edits, out)?;
    if graph.items() > 0 {
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(graph.items())) {
            score(&graph.rebuilt(edit)?, out);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::{Abilities, Edge, conformance};

    #[test]
    fn the_doubles_pass_the_suite() {
        conformance::check(&|graph| Box::new(Popularity::new(graph.clone())));
        conformance::check(&|graph| Box::new(CoNeighbours::new(graph.clone())));
        conformance::check(&|graph| Box::new(Frozen(CoNeighbours::new(graph.clone()))));
        for abilities in [
            Abilities::NONE,
            Abilities { neutral: true, ..Abilities::NONE },
            Abilities { newcomers: true, ..Abilities::NONE },
            Abilities { others: true, ..Abilities::NONE },
        ] {
            let limited = |graph: &Graph| Limited { inner: CoNeighbours::new(graph.clone()), abilities };
            conformance::check(&|graph| Box::new(limited(graph)));
        }
        conformance::check_ranking(&|graph| Box::new(CoNeighbours::new(graph.clone())));
    }

    #[test]
    fn paths_counted_by_hand() {
        // 0 touched items 0, 1; 1 touched 0, 1, 2; 2 touched 1, 3.
        let pairs = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 3)];
        let graph = Graph::new(3, 4, &pairs.map(|(u, i)| Edge::new(u, i))).unwrap();
        let (paths, popular) = (CoNeighbours::new(graph.clone()), Popularity::new(graph.clone()));
        assert_eq!(paths.scores(UserId(0)).unwrap(), [2.0, 3.0, 2.0, 1.0]);
        let without = Edit::removing([Edge::new(0, 1)]);
        assert_eq!(paths.scores_after(UserId(0), Profile::Kept, &without).unwrap(), [1.0, 1.0, 1.0, 0.0]);
        assert_eq!(popular.scores(UserId(0)).unwrap(), [2.0, 3.0, 1.0, 1.0]);
        assert_eq!(paths.scores(graph.newcomer()).unwrap(), [0.0; 4]);
        let frozen = Frozen(paths);
        assert_eq!(frozen.scores_after(UserId(0), Profile::Kept, &without), Err(ScoreError::Frozen));
    }

    /// Paths with a mistake put in, to see that the suite sees it.
    struct Mistaken {
        right: CoNeighbours,
        mistake: Mistake,
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Mistake {
        ForgetsAdditions,
        ForgetsOtherPeople,
        MixesLanes,
        WelcomesNobody,
        AcceptsAnything,
        DependsOnThreads,
        RemembersProfile,
        PretendsToKnow,
    }

    impl Recommender for Mistaken {
        fn graph(&self) -> &Graph {
            self.right.graph()
        }

        fn abilities(&self) -> Abilities {
            // Somebody it says it cannot welcome gets an answer all the same.
            Abilities { newcomers: self.mistake != Mistake::PretendsToKnow, ..Abilities::ALL }
        }

        fn score(
            &self,
            user: UserId,
            profile: Profile,
            edits: &[Edit],
            out: &mut [f32],
        ) -> Result<(), ScoreError> {
            if self.mistake != Mistake::AcceptsAnything {
                check_request(self.graph(), user, edits, out)?;
            }
            let edits: Vec<Edit> = match self.mistake {
                Mistake::ForgetsAdditions => {
                    edits.iter().map(|e| Edit::removing(e.removed().iter().copied())).collect()
                }
                Mistake::ForgetsOtherPeople => edits
                    .iter()
                    .map(|e| {
                        let own = |edges: &[Edge]| {
                            edges.iter().copied().filter(|e| e.user == user).collect::<Vec<_>>()
                        };
                        Edit::new(own(e.removed()), own(e.added()))
                    })
                    .collect(),
                Mistake::AcceptsAnything => edits
                    .iter()
                    .map(|e| if e.check(self.graph()).is_ok() { e.clone() } else { Edit::none() })
                    .collect(),
                _ => edits.to_vec(),
            };
            self.right.score(user, profile, &edits, out)?;
            match self.mistake {
                Mistake::MixesLanes if edits.len() > 32 => {
                    let items = self.graph().items();
                    out.copy_within(..items, 32 * items);
                }
                Mistake::WelcomesNobody if user == self.graph().newcomer() => out.fill(0.0),
                Mistake::DependsOnThreads => {
                    let threads = rayon::current_num_threads() as f32;
                    out.iter_mut().for_each(|score| *score += threads);
                }
                Mistake::RemembersProfile if user.row() < conformance::USERS => {
                    out.iter_mut()
                        .step_by(self.graph().items())
                        .for_each(|score| *score += 1.0 + user.0 as f32);
                }
                _ => {}
            }
            Ok(())
        }
    }

    #[test]
    fn the_suite_sees_mistakes_and_names_the_check() {
        let cases = [
            (Mistake::ForgetsAdditions, "edit equals rebuilt graph"),
            (Mistake::ForgetsOtherPeople, "edit equals rebuilt graph"),
            (Mistake::MixesLanes, "batch equals single"),
            (Mistake::WelcomesNobody, "newcomer equals one user more"),
            (Mistake::AcceptsAnything, "refusals"),
            (Mistake::DependsOnThreads, "determinism"),
            (Mistake::RemembersProfile, "neutral profile equals newcomer"),
            (Mistake::PretendsToKnow, "inabilities"),
        ];
        for (mistake, check) in cases {
            let suite = || {
                conformance::check(&|graph| {
                    Box::new(Mistaken { right: CoNeighbours::new(graph.clone()), mistake })
                });
            };
            let panic = catch_unwind(AssertUnwindSafe(suite)).expect_err("a mistake passed the suite");
            let text = panic.downcast_ref::<String>().unwrap();
            assert!(text.contains(check), "{mistake:?} was found as: {text}");
        }
    }

    #[test]
    fn popularity_alone_does_not_know_a_checkerboard() {
        let ranking = || conformance::check_ranking(&|graph| Box::new(Popularity::new(graph.clone())));
        assert!(catch_unwind(ranking).is_err());
    }
}
