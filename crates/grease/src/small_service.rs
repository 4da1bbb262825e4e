//! A model for tests: invented, small, and trained once.

use std::sync::OnceLock;

use grease_graph::{SampleOptions, sample};
use grease_models::folder::ModelFolder;
use grease_models::train::{Loss, TrainOptions};

use crate::{Subject, TrainRequest, prepare};

/// The same, to be explained.
pub(crate) fn subject() -> &'static Subject {
    static SUBJECT: OnceLock<Subject> = OnceLock::new();
    SUBJECT.get_or_init(|| folder().clone().into())
}

/// A small trained service.
pub(crate) fn folder() -> &'static ModelFolder {
    static FOLDER: OnceLock<ModelFolder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let service = sample(&SampleOptions { users: 80, artists: 60, ..SampleOptions::default() });
        let options = TrainOptions {
            loss: Loss::Bpr,
            epochs: 30,
            dim: 16,
            batch: 256,
            learning_rate: 0.01,
            ..TrainOptions::default()
        };
        let place = tempfile::tempdir().unwrap();
        let data = prepare(&service.interactions, 0.8, options.seed, None);
        TrainRequest::new(data, options, &place.path().join("model")).run(&mut ()).unwrap().0
    })
}
