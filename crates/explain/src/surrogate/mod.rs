//! The surrogate: a small network that imitates a recommender around one person, and says what an edge does.
//!
//! ```text
//! Neighbourhood + Shown -> Ground -fit-> Surrogate -on-> Activations -> Anchored: scores, standings, slopes after edits
//! ```

mod activations;
mod anchored;
mod answer;
mod batch;
mod fit;
mod ground;
mod slopes;
#[cfg(test)]
pub(crate) mod tests;
mod weights;

pub use activations::Activations;
pub use anchored::Anchored;
pub use answer::{Answer, spearman};
pub use fit::{FitOptions, Lessons, Surrogate};
pub use ground::{FeatureChoice, Ground, Shown};
