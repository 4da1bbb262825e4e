//! What a recommender is, to everything that comes after training: something that scores items for a user on an
//! edited graph.

use std::sync::Arc;
use std::time::Duration;

use crate::request::{check_chosen, check_each};
use crate::{Abilities, Closely, Edge, Edit, Graph, ItemId, Profile, ScoreError, UserId, Weighed};

/// How much a recommender lets others see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Scores of the unedited graph only: explanations cannot be verified.
    Frozen,
    /// Scores on edited graphs: everything works.
    Queryable,
    /// Also embeddings, and fast exact re-scoring.
    Native,
}

/// One vector a user and one an item, in one space; a score is their dot product.
#[derive(Debug, Clone, Copy)]
pub struct Embeddings<'a> {
    /// `[users, width]`.
    pub users: &'a [f32],
    /// `[items, width]`.
    pub items: &'a [f32],
    /// Length of a vector.
    pub width: usize,
}

/// The black box. Two methods are its own; the rest follows from them.
///
/// Every implementation passes [`conformance`](crate::conformance).
pub trait Recommender: Send + Sync {
    /// The graph its scores come from, unedited.
    fn graph(&self) -> &Graph;

    /// Scores of all items for `user`, once for each edit: `out` is `[edits, items]`. Many edits of one user are asked
    /// together because most of the work is shared.
    ///
    /// `user` may be [`Graph::newcomer`], whose history is what the edit adds and whose profile is always neutral.
    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError>;

    /// How much it lets others see.
    fn access(&self) -> Access {
        Access::Queryable
    }

    /// What else it can be asked. What it cannot it refuses, with the error of that name.
    fn abilities(&self) -> Abilities {
        if self.access() == Access::Frozen { Abilities::NONE } else { Abilities::ALL }
    }

    /// Whether the same question is sure to get the same answer. Where it is not, what an explanation rests on is asked twice.
    fn repeats_itself(&self) -> bool {
        false
    }

    /// Whether the answers of [`score`](Self::score) are there to search by, and only those of [`score_anew`](Self::score_anew) count:
    /// a card finds, and the processor says whether it holds. Who is so does not repeat itself.
    fn counts_anew(&self) -> bool {
        false
    }

    /// As [`score`](Self::score), but nothing that is remembered is answered: the question is asked again.
    fn score_anew(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.score(user, profile, edits, out)
    }

    /// Its output embeddings on the unedited graph, where it shows them.
    fn embeddings(&self) -> Option<Embeddings<'_>> {
        None
    }

    /// Its learned input vectors, where it shows them.
    fn input_features(&self) -> Option<Embeddings<'_>> {
        None
    }

    /// One person looked at closely, for many questions about some items; none where that is no quicker than asking for all of them.
    /// `candidates` says of every item whether it could be listed.
    fn closely(&self, user: UserId, candidates: &[bool]) -> Option<Box<dyn Closely + '_>> {
        let _ = (user, candidates);
        None
    }

    /// One person's scores of some items with weights on some interactions, on the graph after an edit; none where it has no gradient by
    /// them. The interactions are those of any people, each once, there or not after the edit: their weights say what counts.
    fn weighed(
        &self,
        user: UserId,
        profile: Profile,
        edit: &Edit,
        edges: &[Edge],
        items: &[ItemId],
    ) -> Result<Option<Box<dyn Weighed + '_>>, ScoreError> {
        let _ = (user, profile, edit, edges, items);
        Ok(None)
    }

    /// Scores of some items for `user`, once for each edit: `out` is `[edits, items]`.
    fn score_items(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        items: &[ItemId],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        score_items_of_all(self, user, profile, edits, items, out)
    }

    /// Scores of all items for several known users on the unedited graph, each to the bit as [`score`](Self::score) has them: `out` is
    /// `[users, items]`.
    fn score_each(&self, users: &[UserId], out: &mut [f32]) -> Result<(), ScoreError> {
        check_each(self.graph(), users, out)?;
        let each = out.chunks_exact_mut(self.graph().items().max(1));
        users
            .iter()
            .zip(each)
            .try_for_each(|(&user, out)| self.score(user, Profile::Kept, &[Edit::none()], out))
    }

    /// How it came by its answers so far, where it counts them.
    fn work(&self) -> Option<Work> {
        None
    }

    /// Whether nobody waits for answers any more, and asking gives [`ScoreError::Cancelled`]: for whoever computes for long without
    /// asking.
    fn is_given_up(&self) -> bool {
        false
    }

    /// Scores of all items for `user` on the unedited graph.
    fn scores(&self, user: UserId) -> Result<Vec<f32>, ScoreError> {
        self.scores_after(user, Profile::Kept, &Edit::none())
    }

    /// Scores of all items for `user` after one edit.
    fn scores_after(&self, user: UserId, profile: Profile, edit: &Edit) -> Result<Vec<f32>, ScoreError> {
        let mut out = vec![0f32; self.graph().items()];
        self.score(user, profile, std::slice::from_ref(edit), &mut out)?;
        Ok(out)
    }
}

/// Within an `impl Recommender`: everything but `score` and [`Recommender::is_given_up`] is as another recommender has it.
///
/// ```
/// use grease_graph::{Edit, Profile, Recommender, ScoreError, UserId};
///
/// struct Polite<R>(R);
///
/// impl<R: Recommender> Recommender for Polite<R> {
///     grease_graph::as_it_is!(self => self.0);
///
///     fn score(&self, user: UserId, profile: Profile, edits: &[Edit], out: &mut [f32]) -> Result<(), ScoreError> {
///         self.0.score(user, profile, edits, out)
///     }
/// }
/// ```
#[macro_export]
macro_rules! as_it_is {
    ($self:ident => $inner:expr) => {
        fn graph(&$self) -> &$crate::Graph {
            $inner.graph()
        }

        fn access(&$self) -> $crate::Access {
            $inner.access()
        }

        fn abilities(&$self) -> $crate::Abilities {
            $inner.abilities()
        }

        fn repeats_itself(&$self) -> bool {
            $inner.repeats_itself()
        }

        fn counts_anew(&$self) -> bool {
            $inner.counts_anew()
        }

        fn score_anew(
            &$self,
            user: $crate::UserId,
            profile: $crate::Profile,
            edits: &[$crate::Edit],
            out: &mut [f32],
        ) -> Result<(), $crate::ScoreError> {
            $inner.score_anew(user, profile, edits, out)
        }

        fn closely(
            &$self,
            user: $crate::UserId,
            candidates: &[bool],
        ) -> Option<Box<dyn $crate::Closely + '_>> {
            $inner.closely(user, candidates)
        }

        fn weighed(
            &$self,
            user: $crate::UserId,
            profile: $crate::Profile,
            edit: &$crate::Edit,
            edges: &[$crate::Edge],
            items: &[$crate::ItemId],
        ) -> Result<Option<Box<dyn $crate::Weighed + '_>>, $crate::ScoreError> {
            $inner.weighed(user, profile, edit, edges, items)
        }

        fn score_items(
            &$self,
            user: $crate::UserId,
            profile: $crate::Profile,
            edits: &[$crate::Edit],
            items: &[$crate::ItemId],
            out: &mut [f32],
        ) -> Result<(), $crate::ScoreError> {
            $inner.score_items(user, profile, edits, items, out)
        }

        fn work(&$self) -> Option<$crate::Work> {
            $inner.work()
        }

        fn embeddings(&$self) -> Option<$crate::Embeddings<'_>> {
            $inner.embeddings()
        }

        fn input_features(&$self) -> Option<$crate::Embeddings<'_>> {
            $inner.input_features()
        }
    };
}

/// Behind a pointer, it is the same.
macro_rules! is_the_same_behind {
    ($pointer:ty) => {
        impl<R: Recommender + ?Sized> Recommender for $pointer {
            as_it_is!(self => (**self));

            fn is_given_up(&self) -> bool {
                (**self).is_given_up()
            }

            fn score(
                &self,
                user: UserId,
                profile: Profile,
                edits: &[Edit],
                out: &mut [f32],
            ) -> Result<(), ScoreError> {
                (**self).score(user, profile, edits, out)
            }

            fn score_each(&self, users: &[UserId], out: &mut [f32]) -> Result<(), ScoreError> {
                (**self).score_each(users, out)
            }
        }
    };
}

is_the_same_behind!(&R);
is_the_same_behind!(Arc<R>);

/// How a recommender came by its answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Edits answered about some items, without the rest of the graph.
    pub local: u64,
    /// Edits for which the whole catalogue was looked at: every item scored by one product, or ruled out.
    pub products: u64,
    /// Edits propagated over the whole graph.
    pub whole: u64,
    /// What a card did of it.
    pub card: CardWork,
}

/// What a card answered, and what of it was asked anew of the processor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CardWork {
    /// Edits the card answered.
    pub answered: u64,
    /// How long people waited for that, all together.
    pub answering: Duration,
    /// Edits the processor was asked about because something rests on the answer.
    pub checked: u64,
    /// How long people waited for that.
    pub checking: Duration,
}

/// [`Recommender::score_items`] by asking for all.
pub fn score_items_of_all<R: Recommender + ?Sized>(
    recommender: &R,
    user: UserId,
    profile: Profile,
    edits: &[Edit],
    items: &[ItemId],
    out: &mut [f32],
) -> Result<(), ScoreError> {
    check_chosen(recommender.graph(), edits, items, out)?;
    let mut all = vec![0f32; recommender.graph().items()];
    for (edit, out) in edits.iter().zip(out.chunks_exact_mut(items.len().max(1))) {
        recommender.score(user, profile, std::slice::from_ref(edit), &mut all)?;
        out.iter_mut().zip(items).for_each(|(out, item)| *out = all[item.row()]);
    }
    Ok(())
}
