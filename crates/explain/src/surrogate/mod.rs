//! The surrogate: a small network that imitates a recommender around one person, and says what an edge does.
//!
//! ```text
//! Neighbourhood + Shown -> Inputs -fit-> Surrogate -on-> Activations -> Anchored: scores, standings, slopes after edits
//! ```
//!
//! [`LocalSurrogate`] is one that was fitted for a person's list, with a [`Tutor`](tutor::Tutor)'s help or without.

mod activations;
mod anchored;
mod batch;
mod fit;
mod inputs;
mod lessons;
mod local;
mod neighbourhood;
mod slopes;
#[cfg(test)]
pub(crate) mod tests;
mod tutor;
mod weights;

pub use local::SurrogateView;
pub use neighbourhood::NeighbourhoodSize;

pub(crate) use anchored::Anchored;
pub(crate) use fit::{FitOptions, Lessons, Surrogate};
pub(crate) use inputs::{FeatureChoice, Inputs, Scales, Shown};
pub(crate) use local::LocalSurrogate;
pub(crate) use neighbourhood::Neighbourhood;

#[cfg(test)]
use lessons::Lesson;
