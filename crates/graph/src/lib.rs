//! Interaction data, the bipartite graph built from it, edits to that graph as values, and what a
//! recommender is.
//!
//! ```text
//! file -read-> Interactions -split-> Split -build-> Graph        Edit: a graph minus/plus edges, as a value
//! ```

pub mod atomic;
mod catalogue;
mod edge;
mod interactions;
pub mod read;
pub mod write;

pub use catalogue::{Catalogue, CatalogueBuilder};
pub use edge::{Edge, ItemId, UserId};
pub use interactions::{Interactions, Words};
