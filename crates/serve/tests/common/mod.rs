//! The small service that tests ask.

use std::sync::OnceLock;

use grease::graph::{SampleOptions, sample};
use grease::models::folder::ModelFolder;
use grease::models::train::{Loss, TrainOptions};
use grease::{TrainRequest, prepare};

/// A small model of an invented music service, trained once a process.
pub(crate) fn folder() -> ModelFolder {
    static FOLDER: OnceLock<ModelFolder> = OnceLock::new();
    let train = || {
        let service = sample(&SampleOptions { users: 80, artists: 60, ..SampleOptions::default() });
        let (loss, dim, batch, learning_rate) = (Loss::Bpr, 16, 256, 0.01);
        let options = TrainOptions { loss, epochs: 30, dim, batch, learning_rate, ..TrainOptions::default() };
        let place = tempfile::tempdir().unwrap();
        let data = prepare(&service.interactions, 0.8, options.seed, None);
        TrainRequest::new(data, options, &place.path().join("model")).run(&mut ()).unwrap().0
    };
    FOLDER.get_or_init(train).clone()
}
