//! What a recommender can be asked, and why it refuses.

use serde::{Deserialize, Serialize};

use crate::{Edge, Edit, EditError, Graph, ItemId, UserId};

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

/// Why scores were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScoreError {
    /// Nobody has this row.
    #[error("user row {row} does not exist; there are {users} users")]
    UnknownUser { row: u32, users: usize },
    /// Nothing has this row.
    #[error("item row {row} does not exist; there are {items} items")]
    UnknownItem {
        row: u32,
        /// Items there are.
        items: usize,
    },
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
    /// A weight that no interaction can have.
    #[error(
        "the weight of an interaction is {0}, where a finite number from 0 is expected: 0 is not there, 1 is there"
    )]
    Weight(f32),
    /// The same interaction has two weights.
    #[error("an interaction is given a weight twice (user row {}, item row {})", .0.user.0, .0.item.0)]
    WeighedTwice(Edge),
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

/// The checks every implementation of [`Recommender::score_items`](crate::Recommender::score_items) adds to [those of the edits](check_request).
pub fn check_chosen(graph: &Graph, edits: &[Edit], items: &[ItemId], out: &[f32]) -> Result<(), ScoreError> {
    if let Some(item) = items.iter().find(|item| item.row() >= graph.items()) {
        return Err(ScoreError::UnknownItem { row: item.0, items: graph.items() });
    }
    let expected = items.len() * edits.len();
    match out.len() == expected {
        true => Ok(()),
        false => Err(ScoreError::Room { got: out.len(), expected }),
    }
}

/// The checks every implementation of [`Recommender::score`](crate::Recommender::score) starts with.
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

/// The checks every implementation of [`Recommender::weighed`](crate::Recommender::weighed) starts with.
pub fn check_weighed(
    graph: &Graph,
    user: UserId,
    edit: &Edit,
    edges: &[Edge],
    items: &[ItemId],
) -> Result<(), ScoreError> {
    if user > graph.newcomer() {
        return Err(ScoreError::UnknownUser { row: user.0, users: graph.users() });
    }
    check_chosen(graph, &[], items, &[])?;
    edit.check(graph)?;
    if let Some(&edge) = edges.iter().find(|e| e.user > graph.newcomer() || e.item.row() >= graph.items()) {
        return Err(EditError::Outside(edge).into());
    }
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ScoreError::WeighedTwice(pair[0])),
        None => Ok(()),
    }
}

/// Refuses weights that are negative or no finite numbers.
///
/// # Panics
///
/// Where there is not one for each of so many interactions.
pub fn check_weights(weights: &[f32], interactions: usize) -> Result<(), ScoreError> {
    assert_eq!(weights.len(), interactions, "one weight an interaction");
    match weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
        Some(&weight) => Err(ScoreError::Weight(weight)),
        None => Ok(()),
    }
}

/// The same of several people as they are, all of them known.
pub fn check_each(graph: &Graph, users: &[UserId], out: &[f32]) -> Result<(), ScoreError> {
    if let Some(user) = users.iter().find(|user| user.row() >= graph.users()) {
        return Err(ScoreError::UnknownUser { row: user.0, users: graph.users() });
    }
    let expected = graph.items() * users.len();
    if out.len() != expected {
        return Err(ScoreError::Room { got: out.len(), expected });
    }
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
