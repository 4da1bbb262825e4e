//! Errors as Python exceptions, with the same words as everywhere.

use grease::explain::ExplainError;
use grease::graph::read::ReadError;
use grease::graph::{Catalogue, GraphError, ScoreError};
use grease::models::WeightsError;
use grease::models::folder::FolderError;
use grease::models::import::TensorsError;
use grease::models::train::TrainError;
use grease::oracle::OracleError;
use grease::{
    AskedError, ImportError, JournalError, LookupError, NamedWhatIf, ReadRecordsError, RequestError,
    TrainingError, WhatIfError,
};
use grease_evaluate::EvaluateError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

create_exception!(grease, GreaseError, PyException, "Whatever GREASE refuses or fails at.");
create_exception!(grease, DataError, GreaseError, "Interaction data that makes no sense.");
create_exception!(
    grease,
    ModelError,
    GreaseError,
    "A model, or its folder, that is missing, damaged or does not fit."
);
create_exception!(grease, UnknownIdError, GreaseError, "A user or an item nobody knows.");
create_exception!(grease, UsageError, GreaseError, "Something that cannot be asked for.");
create_exception!(
    grease,
    RecommenderError,
    GreaseError,
    "The recommender refused or failed; `__cause__` is what it raised."
);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("GreaseError", py.get_type::<GreaseError>())?;
    module.add("DataError", py.get_type::<DataError>())?;
    module.add("ModelError", py.get_type::<ModelError>())?;
    module.add("UnknownIdError", py.get_type::<UnknownIdError>())?;
    module.add("UsageError", py.get_type::<UsageError>())?;
    module.add("RecommenderError", py.get_type::<RecommenderError>())
}

/// An error on its way to Python: which exception, and what it says.
#[derive(Debug)]
pub(crate) enum Failure {
    Data(String),
    Model(String),
    Unknown(String),
    Usage(String),
    Recommender(String),
    Other(String),
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Failure {
    pub(crate) fn usage(message: impl ToString) -> Self {
        Self::Usage(message.to_string())
    }

    /// Of imagining another history, with names instead of rows.
    pub(crate) fn what_if(error: WhatIfError, items: &Catalogue) -> Self {
        match error {
            WhatIfError::Score(error) => error.into(),
            other => Self::Usage(NamedWhatIf::refused(&other, items)),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Data(said) => DataError::new_err(said),
            Failure::Model(said) => ModelError::new_err(said),
            Failure::Unknown(said) => UnknownIdError::new_err(said),
            Failure::Usage(said) => UsageError::new_err(said),
            Failure::Recommender(said) => RecommenderError::new_err(said),
            Failure::Other(said) => GreaseError::new_err(said),
            Failure::Interrupted => PyKeyboardInterrupt::new_err(()),
        }
    }
}

macro_rules! becomes {
    ($($error:ty => $failure:ident),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::$failure(error.to_string())
            }
        })*
    };
}

becomes! {
    ReadError => Data,
    GraphError => Data,
    ReadRecordsError => Data,
    FolderError => Model,
    WeightsError => Model,
    TensorsError => Model,
    ImportError => Model,
    LookupError => Unknown,
    OracleError => Recommender,
    TrainError => Usage,
    JournalError => Other,
    serde_json::Error => Usage,
    std::io::Error => Other,
}

impl From<ScoreError> for Failure {
    fn from(error: ScoreError) -> Self {
        let said = error.to_string();
        match error {
            ScoreError::Failed(_) | ScoreError::Refused(_) => Self::Recommender(said),
            ScoreError::Cancelled => Self::Interrupted,
            _ => Self::Usage(said),
        }
    }
}

impl From<EvaluateError> for Failure {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Recommender(error) => error.into(),
            EvaluateError::Interrupted { .. } => Self::Interrupted,
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<ExplainError> for Failure {
    fn from(error: ExplainError) -> Self {
        match error {
            ExplainError::Score(error) => error.into(),
            other => Self::usage(other),
        }
    }
}

impl From<AskedError> for Failure {
    fn from(error: AskedError) -> Self {
        match error {
            AskedError::Explain(error) => error.into(),
            other => Self::usage(other),
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Lookup(error) => error.into(),
            other => Self::usage(other),
        }
    }
}

impl From<TrainingError> for Failure {
    fn from(error: TrainingError) -> Self {
        match error {
            TrainingError::Graph(error) => error.into(),
            TrainingError::Train(error) => error.into(),
            TrainingError::Folder(error) => error.into(),
            other => Self::usage(other),
        }
    }
}
