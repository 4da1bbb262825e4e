//! How good explanations are: figures to compare with, and questions that go beyond the model at hand.

mod published;

pub use published::{Published, published};
