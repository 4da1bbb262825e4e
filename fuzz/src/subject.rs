//! A recommender small enough to be made anew by every process.

use std::sync::OnceLock;

use grease::graph::Interactions;
use grease::graph::read::{InputFormat, ReadOptions, parse_bytes};
use grease::models::folder::Dataset;
use grease::models::train::TrainOptions;
use grease::{Subject, TrainRequest, prepare};

/// Seeds were made from it: see `seeds.py`.
const DATA: &[u8] = include_bytes!("../data.tsv");

pub(crate) fn interactions() -> &'static Interactions {
    static INTERACTIONS: OnceLock<Interactions> = OnceLock::new();
    INTERACTIONS.get_or_init(|| {
        parse_bytes(InputFormat::Delimited, DATA, &ReadOptions::default()).expect("a table").0
    })
}

/// All of it is what a model learns from.
pub(crate) fn data() -> Dataset {
    prepare(interactions(), 1.0, 1, None)
}

pub(crate) fn subject() -> &'static Subject {
    static SUBJECT: OnceLock<Subject> = OnceLock::new();
    SUBJECT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let options = TrainOptions { epochs: 2, dim: 2, layers: 1, ..TrainOptions::default() };
        let request = TrainRequest::new(data(), options, &folder.path().join("model"));
        Subject::from(request.run(&mut ()).expect("a model").0)
    })
}
