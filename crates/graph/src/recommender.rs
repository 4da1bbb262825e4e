//! What a recommender is, to everything that comes after training: something that scores items for a user on an
//! edited graph.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Edit, EditError, Graph, UserId};

/// Whether the user's learned row is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// As learned.
    #[default]
    Kept,
    /// Set to zero: the user is known by their interactions alone, as a newcomer with this history would be.
    Neutral,
}

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

/// What a recommender can be asked, beside the scores of people it knows on graphs with their own interactions edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// It can set aside what it has learned about a person: [`Profile::Neutral`].
    pub neutral: bool,
    /// It can score somebody it has never seen: [`Graph::newcomer`].
    pub newcomers: bool,
    /// It can imagine other people's interactions away, or there.
    pub others: bool,
}

impl Abilities {
    /// Everything.
    pub const ALL: Self = Self { neutral: true, newcomers: true, others: true };
    /// Nothing more.
    pub const NONE: Self = Self { neutral: false, newcomers: false, others: false };
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

/// Why scores were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScoreError {
    /// Nobody has this row.
    #[error("user row {row} does not exist; there are {users} users")]
    UnknownUser { row: u32, users: usize },
    /// The edit makes no sense on the recommender's graph.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The recommender cannot be asked about edited graphs.
    #[error("this recommender only has frozen scores and cannot be asked about an edited graph")]
    Frozen,
    /// The recommender cannot do without what it has learned about a person.
    #[error(
        "this recommender cannot set aside what it has learned about a person: the neutral profile cannot be asked for"
    )]
    NoNeutral,
    /// The recommender knows only whom it was trained with.
    #[error("this recommender cannot make a list for somebody it has never seen")]
    NoNewcomers,
    /// The recommender can only imagine another history of the person themselves.
    #[error(
        "this recommender can only imagine the person's own interactions away or there, not those of others"
    )]
    NoOthers,
    /// Room for another number of scores was given.
    #[error("room for {got} scores was given where {expected} are needed (items x edits)")]
    Room { got: usize, expected: usize },
    /// A recommender outside this process is well but will not answer this, say about somebody it does not know.
    #[error("the recommender did not answer: {0}")]
    Refused(String),
    /// A recommender outside this process failed.
    #[error("the recommender could not score: {0}")]
    Failed(String),
    /// Weights so large, or so broken, that their products are no numbers.
    #[error("a score is {0}, which is not a finite number")]
    NotFinite(f32),
    /// Nobody waits for the answer any more: it was interrupted, or took too long.
    #[error("the question was given up")]
    Cancelled,
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

        fn score_anew(
            &$self,
            user: $crate::UserId,
            profile: $crate::Profile,
            edits: &[$crate::Edit],
            out: &mut [f32],
        ) -> Result<(), $crate::ScoreError> {
            $inner.score_anew(user, profile, edits, out)
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
        }
    };
}

is_the_same_behind!(&R);
is_the_same_behind!(Arc<R>);

/// The checks every implementation of [`Recommender::score`] starts with.
pub fn check_request(graph: &Graph, user: UserId, edits: &[Edit], out: &[f32]) -> Result<(), ScoreError> {
    if user > graph.newcomer() {
        return Err(ScoreError::UnknownUser { row: user.0, users: graph.users() });
    }
    let expected = graph.items() * edits.len();
    if out.len() != expected {
        return Err(ScoreError::Room { got: out.len(), expected });
    }
    edits.iter().try_for_each(|edit| edit.check(graph))?;
    Ok(())
}

/// The largest magnitude of these scores; an error where one of them is no finite number.
pub fn check_finite(scores: &[f32]) -> Result<f32, ScoreError> {
    let mut largest = 0f32;
    for &score in scores {
        if !score.is_finite() {
            return Err(ScoreError::NotFinite(score));
        }
        largest = largest.max(score.abs());
    }
    Ok(largest)
}

/// Refuses what a recommender whose scores were exported once cannot be asked: all but the lists of its own people as they are.
pub fn check_frozen(graph: &Graph, user: UserId, profile: Profile, edits: &[Edit]) -> Result<(), ScoreError> {
    let edited = edits.iter().any(|edit| !edit.is_empty());
    match edited || profile == Profile::Neutral || user == graph.newcomer() {
        true => Err(ScoreError::Frozen),
        false => Ok(()),
    }
}

/// Refuses what a recommender of these abilities cannot be asked, for those that lack some.
pub fn check_abilities(
    abilities: Abilities,
    graph: &Graph,
    user: UserId,
    profile: Profile,
    edits: &[Edit],
) -> Result<(), ScoreError> {
    let is_new = user == graph.newcomer();
    if is_new && !abilities.newcomers {
        return Err(ScoreError::NoNewcomers);
    }
    if profile == Profile::Neutral && !is_new && !abilities.neutral {
        return Err(ScoreError::NoNeutral);
    }
    let own = |edit: &Edit| edit.removed().iter().chain(edit.added()).all(|edge| edge.user == user);
    if !abilities.others && !edits.iter().all(own) {
        return Err(ScoreError::NoOthers);
    }
    Ok(())
}
