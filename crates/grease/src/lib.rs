//! The library behind the command line: data in, a trained model, lists, and what put each item on them.
//!
//! ```text
//! Interactions -prepare-> Dataset -train-> ModelFolder -recommend-> list -contributions-> what each item of the history adds
//! ```
//!
//! Nothing here prints, exits or reads the environment; progress and cancellation go through
//! [`models::train::Observer`].
//!
//! ```
//! use grease::graph::{SampleOptions, sample};
//! use grease::models::train::TrainOptions;
//! use grease::{Candidates, TrainRequest, Who, contributions, find_user, prepare, recommend};
//!
//! let folder = tempfile::tempdir()?;
//! let service = sample(&SampleOptions { users: 60, artists: 30, ..SampleOptions::default() });
//! let options = TrainOptions { epochs: 2, dim: 8, ..TrainOptions::default() };
//! let data = prepare(&service.interactions, 0.8, options.seed, options.early_stopping);
//! let out = folder.path().join("model");
//! let (model, _) = TrainRequest::new(data, options, &out).run(&mut ())?;
//!
//! let mira = Who::Known(find_user(&model.data.users, "mira")?);
//! let list = recommend(&model.model, &mira, 5, &Candidates::default())?;
//! let why = contributions(&model.model, &mira, 5, &Candidates::default(), &[list[0].item])?;
//! assert_eq!(why[0].item, list[0].item);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use grease_explain as explain;
pub use grease_graph as graph;
pub use grease_models as models;

mod contributions;
mod lookup;
mod prepare;
mod record;
mod telling;
mod training;

pub use grease_explain::{Candidates, Listed, Who, recommend};

pub use contributions::{Contribution, Contributions, contributions};
pub use lookup::{LookupError, Sort, find_item, find_user};
pub use prepare::prepare;
pub use record::{CitedEdge, Record, SCHEMA};
pub use telling::{Names, certificate, page, picture, sentence, text};
pub use training::{TrainReport, TrainRequest, TrainingError};
