//! Which recommender: the arguments of every verb that asks one.

use std::path::PathBuf;

use clap::Args;
use grease::Subject;
use grease::models::folder::ModelFolder;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct SubjectArguments {
    /// A folder made by `grease train` or `grease import`
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
}

impl SubjectArguments {
    pub(crate) fn open(&self) -> Result<Subject, Failure> {
        Ok(ModelFolder::load(&self.model)?.into())
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        self.model.display().to_string()
    }

    /// Where a name was unknown, says which file lists those that are known.
    pub(crate) fn known_in(&self, failure: Failure, names: &str) -> Failure {
        failure.known_in(&self.model, names)
    }
}
