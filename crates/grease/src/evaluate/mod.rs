//! How good explanations are: figures to compare with, and questions that go beyond the model at hand.

mod audit;
mod published;

pub use audit::{Audit, AuditError, AuditOptions, Audited, Comparison, Figures, Group, Share, retrain};
pub use published::{Published, published};
