//! LightGCN and NGCF: training, exact re-scoring on edited graphs, ranking metrics, model folders.

mod adjacency;
mod architecture;
mod edited;
pub mod folder;
mod frozen;
mod halves;
pub mod import;
mod lightgcn;
mod model;
mod ngcf;
pub mod ranking;
mod stored;
#[cfg(test)]
mod tests;
pub mod train;
mod weighed;
mod weights;

pub use architecture::{Architecture, Kind, Variant};
pub use edited::{Changed, changed_nodes};
pub use frozen::Frozen;
pub use lightgcn::LightGcn;
pub use model::Model;
pub use ngcf::Ngcf;
pub use weights::{Tensor, Weights, WeightsError};
