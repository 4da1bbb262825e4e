//! What a second look at an explanation came to.

use std::fmt;

use grease_explain::Status;

/// What a second look at an explanation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The recommender still says so.
    Holds {
        was: Option<usize>,
        rank: usize,
        /// Whether its sentence says the same in other words than would be used now.
        reworded: bool,
    },
    /// It does not.
    Broken(Broken),
    /// It could not be asked.
    Unchecked(Obstacle),
    /// The record claims nothing: nothing was found, or it was never checked.
    NoClaim(Status),
}

impl Verdict {
    /// A word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Holds { .. } => "still_holds",
            Self::Broken(_) => "no_longer_holds",
            Self::Unchecked(_) => "not_checked",
            Self::NoClaim(_) => "without_claim",
        }
    }
}

/// What is no longer so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// The item is on the other side of the list's end before anything is imagined.
    Start { rank: usize, k: usize },
    /// The edges do not bring it where the record says.
    Rank { was: Option<usize>, rank: usize },
    /// An edge that is to go is not there, or one that is to come already is.
    NoSuchInteraction,
    /// It holds without this one too.
    Spare { item: String },
    /// This one does not come onto the list instead.
    Replacement { item: String },
    /// Its sentence names other items or numbers than its fields.
    Sentence,
}

/// Why the recommender could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Somebody appears under a pseudonym.
    Pseudonym(String),
    /// The model knows nobody of this id.
    UnknownUser(String),
    /// The model knows nothing of this id.
    UnknownItem(String),
    /// The item is in the person's history now, or excluded.
    NotACandidate,
    /// Goal, status, eviction and edges do not go together.
    Contradictory,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Holds { was, rank, reworded } => {
                match was {
                    Some(was) if was != rank => write!(f, "still holds (was rank {was}, now {rank})")?,
                    _ => write!(f, "still holds (rank {rank})")?,
                }
                f.write_str(if *reworded { "; its sentence is worded otherwise now" } else { "" })
            }
            Verdict::Broken(broken) => write!(f, "no longer holds: {broken}"),
            Verdict::Unchecked(obstacle) => write!(f, "cannot be re-checked: {obstacle}"),
            Verdict::NoClaim(Status::NotFound) => f.write_str("claims nothing: none was found"),
            Verdict::NoClaim(Status::Refuted) => f.write_str("claims nothing: it was denied from the start"),
            Verdict::NoClaim(_) => f.write_str("claims nothing: it was a guess"),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Start { rank, k } if rank <= k => {
                write!(f, "the item is in the top {k} anyway, at rank {rank}")
            }
            Broken::Start { rank, k } => write!(f, "the item is not in the top {k} any more, at rank {rank}"),
            Broken::Rank { was: Some(was), rank } => write!(f, "was rank {was}, now {rank}"),
            Broken::Rank { was: None, rank } => write!(f, "now rank {rank}"),
            Broken::NoSuchInteraction => {
                f.write_str("it cites an interaction that is not as it says in the model's data")
            }
            Broken::Replacement { item } => {
                write!(f, "'{}' does not come onto the list instead", item.escape_debug())
            }
            Broken::Sentence => f.write_str("its sentence names other items or numbers than its fields"),
            Broken::Spare { item } => {
                write!(f, "not all of it is needed, '{}' can be spared", item.escape_debug())
            }
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Pseudonym(name) => {
                write!(
                    f,
                    "'{name}' is a pseudonym; store explanations with `show_user_ids` to check them again"
                )
            }
            Obstacle::UnknownUser(id) => write!(f, "the model knows no user '{}'", id.escape_debug()),
            Obstacle::UnknownItem(id) => write!(f, "the model knows no item '{}'", id.escape_debug()),
            Obstacle::NotACandidate => {
                f.write_str("the item is in the person's history or excluded, so it is never recommended")
            }
            Obstacle::Contradictory => f.write_str("its goal, status, evicted and edges do not go together"),
        }
    }
}
