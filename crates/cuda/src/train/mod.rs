//! Training on a card.

mod epochs;
mod lightgcn;
mod plan;

pub use lightgcn::LightGcnSteps;
