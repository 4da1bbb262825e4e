//! A model for tests: invented, small, and trained once a process.

use std::sync::OnceLock;

use grease::graph::{SampleOptions, sample};
use grease::models::folder::ModelFolder;
use grease::models::train::{Loss, TrainOptions};
use grease::{TrainRequest, prepare};

/// A small trained music service: 80 listeners, 60 artists.
///
/// # Panics
/// If it cannot be trained.
pub fn folder() -> &'static ModelFolder {
    static FOLDER: OnceLock<ModelFolder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let service = sample(&SampleOptions { users: 80, artists: 60, ..SampleOptions::default() });
        let (loss, dim, batch, learning_rate) = (Loss::Bpr, 16, 256, 0.01);
        let options = TrainOptions { loss, epochs: 30, dim, batch, learning_rate, ..TrainOptions::default() };
        let place = tempfile::tempdir().expect("a temporary folder");
        let data = prepare(&service.interactions, 0.8, options.seed, None);
        let request = TrainRequest::new(data, options, &place.path().join("model"));
        request.run(&mut ()).expect("a small model can be trained").0
    })
}
