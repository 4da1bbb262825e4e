//! Interaction data, the bipartite graph built from it, edits to that graph as values, and what a
//! recommender is, and the lists it makes.
//!
//! ```text
//! file -read-> Interactions -split-> Split -build-> Graph        Edit: a graph minus/plus edges, as a value
//! Recommender + Who + Candidates -recommend-> [Listed]           -what_if-> WhatIf: two lists, as it is and as it would be
//! ```

pub mod atomic;
mod catalogue;
mod closely;
pub mod conformance;
mod count;
mod describe;
mod destination;
pub mod doubles;
mod edge;
mod edges;
mod edit;
mod field;
mod folded;
mod graph;
mod id;
mod interactions;
mod list;
pub mod read;
mod recommender;
mod request;
mod row_hash;
mod sample;
pub mod seed;
mod split;
mod watch;
mod weighed;
pub mod write;

pub use catalogue::{Catalogue, CatalogueBuilder, CatalogueParts, Search};
pub use closely::{Closely, Panel, Sight, Sums};
pub use count::{counted, grouped};
pub use describe::{Bucket, Degrees, Description, GivenSplit, describe};
pub use destination::Destination;
pub use edge::{Edge, ItemId, UserId};
pub use edges::Edges;
pub use edit::{Edit, EditError};
pub use field::Field;
pub use graph::{Graph, GraphError};
pub use id::{BadId, check_id};
pub use interactions::{Interactions, Words};
pub use list::{Candidates, Listed, Moved, WhatIf, WhatIfError, Who, recommend, recommend_each, what_if};
pub use recommender::{Access, CardWork, Embeddings, Recommender, Work, score_items_of_all};
pub use request::{
    Abilities, Profile, ScoreError, check_abilities, check_chosen, check_each, check_finite, check_frozen,
    check_request, check_weighed, check_weights,
};
pub use row_hash::{RowHash, RowHasher};
pub use sample::{Sample, SampleOptions, Taste, sample, write_sample, write_sample_embeddings};
pub use split::{HOLD_OUT_FROM, Split};
pub use watch::{Interrupted, Watch};
pub use weighed::Weighed;
