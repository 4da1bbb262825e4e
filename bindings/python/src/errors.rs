//! Errors as Python exceptions, with the same words as everywhere.

use grease::graph::GraphError;
use grease::graph::read::ReadError;
use grease::models::WeightsError;
use grease::models::folder::FolderError;
use grease::models::import::TensorsError;
use grease::oracle::OracleError;
use grease::{CardError, ImportError, Refusal, RefusalKind, TrainingError};
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
create_exception!(
    grease,
    MethodError,
    GreaseError,
    "A method of somebody's own proposed, or asked about, what cannot be."
);
create_exception!(
    grease,
    OutOfBudgetError,
    GreaseError,
    "A method of somebody's own asked more questions than are left; nothing was asked."
);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("GreaseError", py.get_type::<GreaseError>())?;
    module.add("DataError", py.get_type::<DataError>())?;
    module.add("ModelError", py.get_type::<ModelError>())?;
    module.add("UnknownIdError", py.get_type::<UnknownIdError>())?;
    module.add("UsageError", py.get_type::<UsageError>())?;
    module.add("RecommenderError", py.get_type::<RecommenderError>())?;
    module.add("MethodError", py.get_type::<MethodError>())?;
    module.add("OutOfBudgetError", py.get_type::<OutOfBudgetError>())
}

/// An error on its way to Python: which exception, and what it says.
#[derive(Debug)]
pub(crate) enum Failure {
    Data(String),
    Model(String),
    Unknown(String),
    Usage(String),
    Recommender(String),
    Method(String),
    Other(String),
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Failure {
    pub(crate) fn usage(message: impl ToString) -> Self {
        Self::Usage(message.to_string())
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
            Failure::Method(said) => MethodError::new_err(said),
            Failure::Other(said) => GreaseError::new_err(said),
            Failure::Interrupted => PyKeyboardInterrupt::new_err(()),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let said = refusal.to_string();
        match refusal.kind {
            RefusalKind::Usage => Self::Usage(said),
            RefusalKind::Data => Self::Data(said),
            RefusalKind::Model => Self::Model(said),
            RefusalKind::Unknown | RefusalKind::Ambiguous => Self::Unknown(said),
            RefusalKind::Recommender | RefusalKind::Declined => Self::Recommender(said),
            RefusalKind::Method => Self::Method(said),
            RefusalKind::Cancelled => Self::Interrupted,
            RefusalKind::Unexpected => Self::Other(said),
        }
    }
}

grease::failures!(Failure: GraphError, OracleError, TrainingError, EvaluateError);

/// Here the exception says what was being read, whatever was wrong with it.
macro_rules! exceptions {
    ($($error:ty => $exception:ident),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::$exception(Refusal::from(error).to_string())
            }
        })*
    };
}

exceptions! {
    ReadError => Data,
    FolderError => Model,
    WeightsError => Model,
    TensorsError => Model,
    ImportError => Model,
}

/// A card that was named has to be used, or nothing is.
impl From<CardError> for Failure {
    fn from(error: CardError) -> Self {
        Self::Usage(format!("{error}; devices() lists what there is, and \"auto\" takes what can be used"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::usage(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.to_string())
    }
}
