//! Work over many people: kept on disk as it is done, in the order asked for, in parts for several machines.

mod batch;
mod finished;
mod gather;
mod in_order;
mod job;
mod journal;
mod line;
mod lists;
mod merge;
mod observer;
mod people;
mod person;
mod settings;
mod shard;
mod summary;
#[cfg(test)]
mod tests;
mod units;

#[cfg(fuzzing)]
pub use batch::rows_of_journal;
pub use batch::{Batch, BatchRequest};
pub use gather::{GatherRequest, gather};
pub use in_order::in_order;
pub use job::{Answered, Job, Run, RunError};
pub(crate) use journal::UNITS;
pub use journal::{Journal, JournalError, Opening, Units};
pub use lists::Lists;
pub use merge::{MergeError, merge};
pub use observer::RunObserver;
pub use people::sample_users;
pub use person::Person;
pub use settings::run_settings;
pub use shard::Shard;
pub use summary::Summary;
pub use units::run_units;
