//! The library behind the command line: data in, a trained model, lists, and what put each item on them.
//!
//! ```text
//! Interactions -prepare-> Dataset -TrainRequest::run-> ModelFolder -> Subject
//! Subject + Question -explain-> Record -> sentence, picture, page, JSON, table
//! ```
//!
//! [`Subject`] is the door: a [`Question`] by names goes in, [`Record`]s come out, and what cannot be answered is a
//! [`Refusal`]. Nothing here prints, exits or reads the environment; progress and cancellation go through
//! [`models::train::Observer`] and [`RunObserver`].
//!
//! ```
//! use grease::graph::{SampleOptions, sample};
//! use grease::models::train::TrainOptions;
//! use grease::{Question, Subject, TrainRequest, prepare};
//!
//! let folder = tempfile::tempdir()?;
//! let service = sample(&SampleOptions { users: 60, artists: 30, ..SampleOptions::default() });
//! let options = TrainOptions { epochs: 2, dim: 8, ..TrainOptions::default() };
//! let data = prepare(&service.interactions, 0.8, options.seed, options.early_stopping);
//! let (model, _) = TrainRequest::new(data, options, &folder.path().join("model")).run(&mut ())?;
//!
//! let subject = Subject::from(model);
//! let why = subject.records(&Question { k: 5, ..Question::of("mira") })?;
//! assert_eq!(why.len(), 2 * 5, "both goals for each of five items");
//! println!("{}", why[0].sentence);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use grease_explain as explain;
pub use grease_graph as graph;
pub use grease_models as models;
pub use grease_oracle as oracle;
pub use grease_tell as tell;

pub mod calibration;
mod described;
mod device;
mod import;
mod lock;
mod lookup;
mod prepare;
mod question;
mod refusal;
mod refusals;
mod run;
mod share;
mod subject;
mod train;
mod verify;

/// Readers from memory, for the fuzzer.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::run::rows_of_journal;
    pub use crate::verify::parse_records;
}

pub use grease_graph::{Candidates, Listed, Moved, WhatIf, WhatIfError, Who, recommend, what_if};
pub use grease_tell::table::{
    Place, Row, Sort as TableSort, TableError, TableFormat, TableReader, TableRow, TableWriter, spark_ddl,
};
pub use grease_tell::{
    CitedEdge, LIST_SCHEMA, ListItem, ListRecord, NamedList, NamedMoved, NamedWhatIf, Names, Recommendation,
    Record, SCHEMA, certificate, list_picture, page, picture, sentence, text,
};

pub use described::DescribedDevice;
pub use device::{Device, Opened};
pub use grease_cuda::CardError;
pub use import::{
    DifferentList, ExpectedList, ImportError, ImportRequest, ImportSource, ListCheck, Score, check_lists,
    read_ids, read_lists, save_import,
};
pub use lookup::{LookupError, Sort, find_item, find_user};
pub use prepare::prepare;
pub use question::{PROVE, Question, Reading};
pub use refusal::{Refusal, RefusalKind};
pub use run::{
    Answered, Batch, BatchRequest, GatherRequest, Job, Journal, JournalError, Lists, MergeError, Opening,
    Person, Run, RunError, RunObserver, Shard, Summary, Units, gather, in_order, merge, run_settings,
    run_units, sample_users,
};
pub use share::Share;
pub use subject::{HALF, Resolved, Subject};
pub use train::{TrainReport, TrainRequest, TrainingError, train_on};
pub use verify::{Broken, Obstacle, ReadRecordsError, Standing, Verdict, read_records};
