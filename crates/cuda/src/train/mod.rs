//! Training on a card.
//!
//! ```text
//! steps      what a trainer asks for, whatever is trained     <- network  what a model being trained has to offer
//! plan       an epoch as the card reads it                    <- epochs   the one under way on the card, and the next
//! batch      what a step does with its batch, whatever is trained
//! lightgcn   its kernels of a step; ngcf/ likewise            <- learned  tensors and moments; width: of a row
//! ```

mod batch;
mod epochs;
mod learned;
mod lightgcn;
mod network;
mod ngcf;
mod plan;
mod steps;
#[cfg(test)]
mod twin;
mod width;

pub use steps::CardSteps;
