//! Interaction data, the bipartite graph built from it, edits to that graph as values, and what a
//! recommender is.
//!
//! ```text
//! file -read-> Interactions -split-> Split -build-> Graph        Edit: a graph minus/plus edges, as a value
//! ```

mod catalogue;
mod describe;
mod edge;
mod interactions;
mod sample;
pub mod seed;
mod split;

pub use catalogue::{Catalogue, CatalogueBuilder};
pub use describe::{Bucket, Degrees, Description, GivenSplit, describe};
pub use edge::{Edge, ItemId, UserId};
pub use interactions::{Interactions, Words};
pub use sample::{Sample, SampleOptions, Taste, sample};
pub use split::{HOLD_OUT_FROM, Split};
