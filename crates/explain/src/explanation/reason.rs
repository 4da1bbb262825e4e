//! Why nothing was found.

use std::fmt;
use std::str::FromStr;

use grease_graph::counted;
use serde::{Deserialize, Serialize};

/// Why nothing was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// The questions the task allows were used up.
    OutOfBudget { asked: usize },
    /// As many edges as allowed do not do it.
    CapReached {
        cap: usize,
        /// Size of the smallest set found that does it; none where no larger set was tried.
        found: Option<usize>,
        /// The best rank within the cap; none where ties decide.
        best_rank: Option<usize>,
    },
    /// None of the sets that were tried does it, that of all edges among them.
    NothingSuffices {
        /// How many edges could be cited.
        edges: usize,
        /// How many sets of them were tried.
        tried: usize,
        /// The best rank within the cap; none where ties decide.
        best_rank: Option<usize>,
    },
    /// With all own interactions gone the item is still on the list, by what was learned about the person, and no smaller
    /// set that was tried does it either.
    CarriedByProfile {
        /// The rank without any own interaction.
        rank: usize,
        /// How many sets were tried.
        tried: usize,
    },
    /// Some interactions are enough, and some are needed, but no set that was tried is both.
    NoSetIsBoth {
        /// How many sets were tried.
        tried: usize,
    },
    /// A method from outside: what it proposed does not do it, and it left out some of what may be cited.
    ProposalFallsShort {
        /// How many edges it proposed.
        proposed: usize,
        /// The best rank within the cap; none where ties decide.
        best_rank: Option<usize>,
    },
    /// Method `paper`: the surrogate itself sees no way.
    SurrogateFoundNone {
        /// Where it ranks the item before any edit, if it sees it at all.
        rank: Option<usize>,
    },
    /// The person has no interaction that may be cited.
    NoHistory,
    /// The item has no interactions.
    ItemWithoutInteractions,
    /// The item is not on the list to begin with (as the profile was read).
    AlreadyOutside { rank: usize },
    /// The item is on the list already: there is no "why not".
    AlreadyInside { rank: usize },
    /// Fewer candidates than places: the item cannot leave the list.
    FewerCandidatesThanPlaces,
    /// Asked the decisive question again, the recommender answered something else.
    AnswersDiffer {
        /// The ranks it gave.
        ranks: (usize, usize),
    },
}

impl Reason {
    /// Which of them it is.
    pub fn code(&self) -> ReasonCode {
        match self {
            Reason::OutOfBudget { .. } => ReasonCode::OutOfBudget,
            Reason::CapReached { .. } => ReasonCode::CapReached,
            Reason::NothingSuffices { .. } => ReasonCode::NothingSuffices,
            Reason::CarriedByProfile { .. } => ReasonCode::CarriedByProfile,
            Reason::NoSetIsBoth { .. } => ReasonCode::NoSetIsBoth,
            Reason::ProposalFallsShort { .. } => ReasonCode::ProposalFallsShort,
            Reason::SurrogateFoundNone { .. } => ReasonCode::SurrogateFoundNone,
            Reason::NoHistory => ReasonCode::NoHistory,
            Reason::ItemWithoutInteractions => ReasonCode::ItemWithoutInteractions,
            Reason::AlreadyOutside { .. } => ReasonCode::AlreadyOutside,
            Reason::AlreadyInside { .. } => ReasonCode::AlreadyInside,
            Reason::FewerCandidatesThanPlaces => ReasonCode::FewerCandidatesThanPlaces,
            Reason::AnswersDiffer { .. } => ReasonCode::AnswersDiffer,
        }
    }
}

/// Which reason it is, without its figures: a name that stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    OutOfBudget,
    CapReached,
    NothingSuffices,
    CarriedByProfile,
    NoSetIsBoth,
    ProposalFallsShort,
    SurrogateFoundNone,
    NoHistory,
    ItemWithoutInteractions,
    AlreadyOutside,
    AlreadyInside,
    FewerCandidatesThanPlaces,
    AnswersDiffer,
}

impl ReasonCode {
    /// All of them.
    pub const ALL: [ReasonCode; 13] = [
        ReasonCode::OutOfBudget,
        ReasonCode::CapReached,
        ReasonCode::NothingSuffices,
        ReasonCode::CarriedByProfile,
        ReasonCode::NoSetIsBoth,
        ReasonCode::ProposalFallsShort,
        ReasonCode::SurrogateFoundNone,
        ReasonCode::NoHistory,
        ReasonCode::ItemWithoutInteractions,
        ReasonCode::AlreadyOutside,
        ReasonCode::AlreadyInside,
        ReasonCode::FewerCandidatesThanPlaces,
        ReasonCode::AnswersDiffer,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonCode::OutOfBudget => "out_of_budget",
            ReasonCode::CapReached => "cap_reached",
            ReasonCode::NothingSuffices => "nothing_suffices",
            ReasonCode::CarriedByProfile => "carried_by_profile",
            ReasonCode::NoSetIsBoth => "no_set_is_both",
            ReasonCode::ProposalFallsShort => "proposal_falls_short",
            ReasonCode::SurrogateFoundNone => "surrogate_found_none",
            ReasonCode::NoHistory => "no_history",
            ReasonCode::ItemWithoutInteractions => "item_without_interactions",
            ReasonCode::AlreadyOutside => "already_outside",
            ReasonCode::AlreadyInside => "already_inside",
            ReasonCode::FewerCandidatesThanPlaces => "fewer_candidates_than_places",
            ReasonCode::AnswersDiffer => "answers_differ",
        }
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// No reason is called that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no reason `{0}`")]
pub struct UnknownReason(String);

impl FromStr for ReasonCode {
    type Err = UnknownReason;

    fn from_str(code: &str) -> Result<Self, UnknownReason> {
        ReasonCode::ALL.into_iter().find(|c| c.as_str() == code).ok_or_else(|| UnknownReason(code.to_owned()))
    }
}

/// The code, a colon, and what to do about it.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code())?;
        match self {
            Reason::OutOfBudget { asked } => {
                let questions = counted(*asked, "question");
                write!(f, "{questions} to the recommender did not suffice; allow more")
            }
            Reason::CapReached { cap, found: Some(found), .. } => write!(
                f,
                "the smallest set found has {}, and {cap} may be cited; allow more",
                counted(*found, "interaction")
            ),
            Reason::CapReached { cap, found: None, best_rank } => write!(
                f,
                "no set tried of up to {} is enough{}; allow more",
                counted(*cap, "interaction"),
                Best(*best_rank)
            ),
            Reason::NothingSuffices { edges, tried, best_rank } => {
                let (sets, many) = (counted(*tried, "set"), counted(*edges, "interaction"));
                write!(f, "none of {sets} tried of the {many} that may be cited is enough{}; try a wider scope", Best(*best_rank))
            }
            Reason::CarriedByProfile { rank, tried } => {
                let sets = counted(*tried, "set");
                write!(
                    f,
                    "with all of the person's interactions gone the item still has rank {rank}, and none of {sets} tried of them is enough; try the neutral profile"
                )
            }
            Reason::NoSetIsBoth { tried } => {
                let sets = counted(*tried, "set");
                write!(f, "none of {sets} tried is both enough and needed; see the parts, or ask for each goal by itself")
            }
            Reason::ProposalFallsShort { proposed, best_rank } => fall_short(f, *proposed, *best_rank),
            Reason::SurrogateFoundNone { rank: Some(rank) } => {
                write!(f, "the stand-in model, which ranks the item {rank}, sees no way; try method grease")
            }
            Reason::SurrogateFoundNone { rank: None } => {
                f.write_str("the item is outside what the stand-in model sees; try method grease")
            }
            Reason::NoHistory => f.write_str("the person has no interactions that may be cited"),
            Reason::ItemWithoutInteractions => {
                f.write_str("nobody in the training data has interacted with the item; try scope own")
            }
            Reason::AlreadyOutside { rank } => {
                write!(f, "the item has rank {rank}, outside the list, before anything is changed; ask why not instead")
            }
            Reason::AlreadyInside { rank } => write!(f, "the item is on the list already, at rank {rank}; ask why"),
            Reason::AnswersDiffer { ranks: (first, second) } => write!(
                f,
                "asked the same question twice, the recommender put the item at rank {first} and then at rank {second}; give it a fixed seed, or no randomness"
            ),
            Reason::FewerCandidatesThanPlaces => {
                f.write_str("there are no more candidates than places on the list, so nothing can leave it; ask for a shorter list")
            }
        }
    }
}

/// What a method from outside proposed, and that it is not enough.
fn fall_short(f: &mut fmt::Formatter<'_>, proposed: usize, best_rank: Option<usize>) -> fmt::Result {
    match proposed {
        0 => f.write_str("the method proposed nothing; try method grease"),
        _ => write!(
            f,
            "the {} that the method proposed are not enough{}, nor are the first of them; try method grease",
            counted(proposed, "interaction"),
            Best(best_rank)
        ),
    }
}

/// " (best rank 12)", where there is one.
struct Best(Option<usize>);

impl fmt::Display for Best {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |rank| write!(f, " (best rank {rank})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        for code in ReasonCode::ALL {
            assert_eq!(code.as_str().parse(), Ok(code));
            assert_eq!(serde_json::to_string(&code).unwrap(), format!("\"{code}\""));
        }
        assert!("capreached".parse::<ReasonCode>().is_err());
    }
}
