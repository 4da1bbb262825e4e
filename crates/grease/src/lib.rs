//! The library behind the command line: data in, a trained model, lists, and what put each item on them.
//!
//! ```text
//! Interactions -prepare-> Dataset -train-> ModelFolder -explain-> Explanation -Record::new-> Record -> sentence, picture, page, JSON
//! ```
//!
//! Nothing here prints, exits or reads the environment; progress and cancellation go through
//! [`models::train::Observer`].
//!
//! ```
//! use grease::explain::{Explainer, Goal, Items, Method, Task};
//! use grease::graph::{SampleOptions, sample};
//! use grease::models::train::TrainOptions;
//! use grease::{Subject, TrainRequest, Who, find_user, prepare};
//!
//! let folder = tempfile::tempdir()?;
//! let service = sample(&SampleOptions { users: 60, artists: 30, ..SampleOptions::default() });
//! let options = TrainOptions { epochs: 2, dim: 8, ..TrainOptions::default() };
//! let data = prepare(&service.interactions, 0.8, options.seed, options.early_stopping);
//! let out = folder.path().join("model");
//! let (model, _) = TrainRequest::new(data, options, &out).run(&mut ())?;
//!
//! let mira = Who::Known(find_user(&model.data.users, "mira")?);
//! let explainer = Explainer::new(Subject::from(model).shared(), Method::Grease);
//! let why = explainer.explain(&Task::new(mira, 5), &Items::List, &[Goal::Factual, Goal::Counterfactual])?;
//! assert_eq!(why.len(), 2 * 5, "both goals for each of five items");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use grease_explain as explain;
pub use grease_graph as graph;
pub use grease_models as models;
pub use grease_oracle as oracle;
pub use grease_tell as tell;

mod asked;
mod batch;
mod import;
mod in_order;
mod journal;
mod lookup;
mod people;
mod prepare;
mod request;
mod run_observer;
mod subject;
mod training;
mod verify;
mod what_if;

pub use grease_graph::{Candidates, Listed, Moved, WhatIf, WhatIfError, Who, recommend, what_if};
pub use grease_tell::table::{Row, TableError, TableFormat, TableReader, TableWriter, record_batch};
pub use grease_tell::{
    CitedEdge, NamedList, Names, Recommendation, Record, SCHEMA, certificate, page, picture, sentence, text,
};

pub use asked::{Asked, AskedError, find_items, find_who};
pub use batch::{Batch, BatchError, BatchRequest, MergeError, Person, Shard, Summary, merge};
pub use import::{
    DifferentList, ExpectedList, ImportError, ImportRequest, ImportSource, ListCheck, Score, check_lists,
    read_ids, read_lists, save_import,
};
pub use in_order::{in_order, in_order_ahead};
pub use journal::{Journal, JournalError, Opening, Units};
pub use lookup::{LookupError, Sort, find_item, find_user};
pub use people::sample_users;
pub use prepare::prepare;
pub use request::{RequestError, SearchRequest};
pub use run_observer::RunObserver;
pub use subject::{Foreign, Subject};
pub use training::{TrainReport, TrainRequest, TrainingError};
pub use verify::{Broken, Obstacle, ReadRecordsError, Standing, Verdict, Verifier, read_records};
pub use what_if::{NamedMoved, NamedWhatIf};
