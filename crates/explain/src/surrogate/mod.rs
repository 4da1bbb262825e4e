//! The surrogate: a small network that imitates a recommender around one person, and says what an edge does.
//!
//! ```text
//! Neighbourhood + Shown -> Ground -fit-> Surrogate -on-> Activations -> Anchored: scores, standings, slopes after edits
//! ```
//!
//! A recommender that shows nothing but scores, asked what each of somebody's interactions does:
//!
//! ```
//! use grease_explain::Neighbourhood;
//! use grease_explain::search::{Aim, order};
//! use grease_explain::surrogate::{Anchored, Lesson, FeatureChoice, FitOptions, Ground, Lessons, Shown, Surrogate};
//! use grease_graph::{Edge, Edit, Graph, ItemId, Profile, Recommender, UserId, doubles::CoNeighbours};
//!
//! // Somebody touched items 0 and 1; item 2 is recommended because of item 0, item 3 because of item 1.
//! let edges = [(0, 0), (0, 1), (1, 0), (1, 2), (2, 0), (2, 2), (3, 1), (3, 3)].map(|(u, i)| Edge::new(u, i));
//! let recommender = CoNeighbours::new(Graph::new(4, 4, &edges)?);
//! let (graph, person, target) = (recommender.graph(), UserId(0), ItemId(2));
//!
//! let neighbourhood = Neighbourhood::around(graph, person, graph.items_of(person), &[target], 2, Neighbourhood::LIMIT);
//! let ground = Ground::new(&neighbourhood, Shown::new(&recommender, FeatureChoice::Best, 1), Profile::Kept);
//! let real = recommender.scores(person)?;
//! let contenders = [2, 3].map(|item| (ItemId(item), real[item as usize]));
//! let own = neighbourhood.own_edges();
//! let mut answers = Vec::new();
//! for &edge in &own {
//!     let without = Edit::removing([neighbourhood.edge(edge)]);
//!     let scores = recommender.scores_after(person, Profile::Kept, &without)?;
//!     let changes = contenders.map(|(item, score)| (item, scores[item.row()] - score)).to_vec();
//!     answers.push(Lesson { before: vec![], after: vec![edge], changes });
//! }
//! let lessons = Lessons { answers: &answers, scores: &contenders };
//! let surrogate = Surrogate::fit(&ground, lessons, &FitOptions::default(), None);
//! let mut anchored = Anchored::new(&ground, &surrogate, &surrogate.on(&ground), &contenders, &[]);
//!
//! let steps = order(&mut anchored, target, 1, Aim::Lower, &own, 1);
//! assert_eq!(neighbourhood.edge(steps[0].edge), Edge::new(0, 0));
//! assert!(steps[0].margin < 0.0, "without it, item 3 is expected to be ahead");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activations;
mod anchored;
mod batch;
mod fit;
mod ground;
mod lesson;
mod slopes;
#[cfg(test)]
pub(crate) mod tests;
mod weights;

pub use activations::Activations;
pub use anchored::Anchored;
pub use fit::{FitOptions, Lessons, Surrogate};
pub(crate) use ground::Scales;
pub use ground::{FeatureChoice, Ground, Shown};
pub use lesson::{Lesson, spearman};
