//! What can go wrong in the library, as [`Refusal`]s: which sort it is, and what to do about it.

use std::io;

use grease_explain::ExplainError;
use grease_graph::read::ReadError;
use grease_graph::write::WriteError;
use grease_graph::{Field, GraphError, ScoreError};
use grease_models::WeightsError;
use grease_models::folder::FolderError;
use grease_models::import::TensorsError;
use grease_models::train::TrainError;
use grease_oracle::OracleError;
use grease_tell::table::TableError;

use crate::import::ImportError;
use crate::lookup::{LookupError, Sort};
use crate::refusal::Refusal;
use crate::refusal::RefusalKind::{
    Ambiguous, Cancelled, Data, Declined, Method, Model, Recommender, Unexpected, Unknown, Usage,
};
use crate::run::{JournalError, MergeError, RunError, UNITS};
use crate::train::TrainingError;
use crate::verify::ReadRecordsError;

/// A file that is not there is wrong input; any other trouble with a file is nobody's doing.
fn unless_missing(error: &io::Error, missing: crate::RefusalKind) -> crate::RefusalKind {
    if error.kind() == io::ErrorKind::NotFound { missing } else { Unexpected }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::BadOption { option, .. } => Self::usage(error).about(option),
            ReadError::Io { .. } => Self::new(Unexpected, error),
            _ => Self::new(Data, error),
        }
    }
}

impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Self {
        let kind = match error {
            WriteError::Name { .. } | WriteError::Beside { .. } => Usage,
            WriteError::Id { .. } => Data,
            WriteError::Interrupted(_) => Cancelled,
            _ => Unexpected,
        };
        Self::new(kind, error)
    }
}

impl From<GraphError> for Refusal {
    fn from(error: GraphError) -> Self {
        Self::new(Data, error)
    }
}

impl From<LookupError> for Refusal {
    fn from(error: LookupError) -> Self {
        let message = error.to_string();
        match error {
            LookupError::Unknown { sort, near, .. } => {
                let field = if sort == Sort::User { Field::User } else { Field::Items };
                Self { near, ..Self::new(Unknown, message).about(field) }
            }
            LookupError::Ambiguous { .. } => Self::new(Ambiguous, message).about(Field::Items),
        }
    }
}

impl From<ScoreError> for Refusal {
    fn from(error: ScoreError) -> Self {
        match error {
            ScoreError::Failed(said) => Self::new(Recommender, said),
            ScoreError::NotFinite(_) => Self::new(Recommender, error).help(format_args!(
                "the weights are damaged, or too large to be multiplied: train anew, with a smaller {}, or import weights \
                 as they were trained",
                Field::LearningRate
            )),
            ScoreError::Refused(_) => Self::new(Declined, error),
            ScoreError::Cancelled => Self::new(Cancelled, error),
            error => Self::usage(error),
        }
    }
}

impl From<ExplainError> for Refusal {
    fn from(error: ExplainError) -> Self {
        match error {
            ExplainError::Score(error) => error.into(),
            ExplainError::Method(error) => Self::new(Method, error),
            ExplainError::FactualHops => Self::usage(error).about(Field::Scope).help(format_args!(
                "use {} target, or ask for {} counterfactual alone",
                Field::Scope,
                Field::Goals
            )),
            ExplainError::NotFirm | ExplainError::TooFirm { .. } => Self::usage(error).about(Field::Firm),
            ExplainError::NoShare(_) => Self::usage(error).about(Field::Share),
            ExplainError::ListBeyondOwn => Self::usage(error).about(Field::Scope),
            ExplainError::JointBeyondOwn => Self::usage(error).about(Field::Scope),
            ExplainError::JointProfile => Self::usage(error).about(Field::Profile),
            ExplainError::JointByPaper | ExplainError::JointOfFrozen => {
                Self::usage(error).about(Field::Goals)
            }
            error => Self::usage(error),
        }
    }
}

impl From<FolderError> for Refusal {
    fn from(error: FolderError) -> Self {
        match &error {
            FolderError::Io { error: cause, .. } if unless_missing(cause, Model) == Unexpected => {
                Self::new(Unexpected, error)
            }
            FolderError::OtherData { .. } => Self::usage(error).help(format_args!(
                "resume with the data, split and {} it was begun with, or train anew with {}",
                Field::Seed,
                Field::Force
            )),
            FolderError::Interrupted => Self::new(Cancelled, error),
            FolderError::NotAModel { .. } | FolderError::Hash { .. } => Self::new(Model, error),
            _ => Self::new(Model, error).help("copy the whole folder again, or train anew"),
        }
    }
}

impl From<WeightsError> for Refusal {
    fn from(error: WeightsError) -> Self {
        Self::new(Model, error)
    }
}

impl From<TensorsError> for Refusal {
    fn from(error: TensorsError) -> Self {
        let kind = match &error {
            TensorsError::Io { error, .. } => unless_missing(error, Data),
            TensorsError::NoLayers { .. } | TensorsError::Files(_) => Usage,
            _ => Data,
        };
        Self::new(kind, error.to_string().trim_end())
    }
}

impl From<OracleError> for Refusal {
    fn from(error: OracleError) -> Self {
        match error {
            OracleError::Url { .. } | OracleError::Token(_) | OracleError::Workers(_) => Self::usage(error),
            OracleError::Graph(error) => error.into(),
            OracleError::UnknownItems { .. } => Self::new(Recommender, error).help(format_args!(
                "{} must be the data of this oracle, with the ids it uses",
                Field::Interactions
            )),
            _ => Self::new(Recommender, error),
        }
    }
}

impl From<TableError> for Refusal {
    fn from(error: TableError) -> Self {
        Self::new(Data, error)
    }
}

impl From<ReadRecordsError> for Refusal {
    fn from(error: ReadRecordsError) -> Self {
        let refusal = Self::new(Data, &error);
        match error {
            ReadRecordsError::Io { .. } => refusal,
            _ => refusal.help("expected explanations as JSON, as JSON lines, or as the table of a batch"),
        }
    }
}

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        let refusal = Self::usage(&error);
        match error {
            JournalError::Exists(_) => refusal.help(format_args!(
                "go on with it by {}, or start over by {}",
                Field::Resume,
                Field::Force
            )),
            JournalError::InUse(_) => {
                refusal.help(format_args!("wait for it to end, or choose another {}", Field::Out))
            }
            JournalError::Differs { .. } => refusal.help(format_args!(
                "resume with the options it was begun with, or start over by {} without {}",
                Field::Force,
                Field::Resume
            )),
            JournalError::Damaged { ref file, .. } if file.ends_with(UNITS) => {
                Self::new(Data, error).help(format_args!(
                    "delete this line and those after it, and {} does them again; or start over, by {} without {0}",
                    Field::Resume,
                    Field::Force
                ))
            }
            JournalError::Damaged { .. } => Self::damaged_run(error),
            _ => Self::new(Unexpected, error),
        }
    }
}

impl Refusal {
    /// The files of a run that cannot be gone on with.
    pub fn damaged_run(message: impl std::fmt::Display) -> Self {
        Self::new(Data, message).help(format_args!(
            "the run can only be started over, by {} without {}",
            Field::Force,
            Field::Resume
        ))
    }

    /// A run that somebody ended, and that can go on.
    pub fn interrupted_run(message: impl std::fmt::Display) -> Self {
        Self::new(Cancelled, message).help(format_args!("the same again with {} goes on", Field::Resume))
    }

    /// A run that ended because a method of somebody's own failed.
    pub fn failed_method(message: impl std::fmt::Display) -> Self {
        Self::new(Method, message)
            .help(format_args!("what is done is kept: once the method is mended, {} goes on", Field::Resume))
    }

    /// A run that ended because its recommender failed.
    pub fn failed_run(message: impl std::fmt::Display) -> Self {
        Self::new(Recommender, message).help(format_args!(
            "what is done is kept: once the recommender is well, {} goes on",
            Field::Resume
        ))
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Journal(error) => error.into(),
            RunError::OtherPerson { .. } => Self::damaged_run(error),
            RunError::Interrupted { .. } => Self::interrupted_run(error),
            RunError::Recommender { .. } => Self::failed_run(error),
            RunError::Method { .. } => Self::failed_method(error),
            RunError::Io { .. } => Self::new(Unexpected, error),
        }
    }
}

impl From<MergeError> for Refusal {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Table(TableError::Io { .. }) => Self::new(Data, error),
            MergeError::Table(_) => Self::new(Data, error).help(format_args!(
                "expected tables that batches with {} wrote; parts in .jsonl need no more than cat",
                Field::Shard
            )),
            MergeError::NoPart { .. } => Self::new(Data, error)
                .help(format_args!("expected tables that batches with {} wrote", Field::Shard)),
            MergeError::Io { error: ref io, .. } => Self::new(unless_missing(io, Data), error),
            MergeError::NoRun { .. } => {
                Self::new(Data, error).help("expected what `grease.distributed.run` wrote in Python")
            }
            MergeError::OtherPeople { .. } => {
                Self::usage(error).help("give everybody the run is about, in its order").about(Field::Users)
            }
            MergeError::OtherRun { .. } | MergeError::Disagree { .. } => {
                Self::new(Data, error).help("give only parts that were made by this model with these options")
            }
            MergeError::Stranger { .. } => {
                Self::new(Data, error).help("give everybody the parts are about").about(Field::Users)
            }
            MergeError::Absent { .. } => Self::new(Data, error).help(format_args!(
                "a part is missing; or their lists are empty, which {} says is so",
                Field::AllowAbsent
            )),
            error => Self::usage(error).help("name every part of one job once"),
        }
    }
}

impl From<ImportError> for Refusal {
    fn from(error: ImportError) -> Self {
        let refusal = Self::new(Data, &error);
        match error {
            ImportError::Tensors(error) => error.into(),
            ImportError::Graph(error) => error.into(),
            ImportError::Score(error) => error.into(),
            ImportError::Folder(error) => error.into(),
            ImportError::Taken(TrainingError::ModelExists(_) | TrainingError::CheckpointExists(_)) => {
                Self { kind: Usage, ..refusal }.help(format_args!(
                    "replace it by {}, or choose another {}",
                    Field::Force,
                    Field::Out
                ))
            }
            ImportError::Taken(error) => error.into(),
            ImportError::Io { error, .. } => Self { kind: unless_missing(&error, Data), ..refusal },
            _ => refusal,
        }
    }
}

impl From<TrainingError> for Refusal {
    fn from(error: TrainingError) -> Self {
        let (resume, force, out) = (Field::Resume, Field::Force, Field::Out);
        let refusal = Self::usage(&error);
        match error {
            TrainingError::ModelExists(_) | TrainingError::CheckpointExists(_) => refusal.help(format_args!(
                "go on with it by {resume}, replace it by {force}, or choose another {out}"
            )),
            TrainingError::Occupied(_) | TrainingError::NoFolder(_) => {
                refusal.help(format_args!("choose another {out}"))
            }
            TrainingError::InUse(_) => {
                refusal.help(format_args!("wait for it to end, or choose another {out}"))
            }
            TrainingError::Imported(_) => {
                refusal.help(format_args!("train a model of your own into another {out}"))
            }
            TrainingError::NoCheckpoint(_) => {
                Self { kind: Model, ..refusal }.help(format_args!("train anew with {force}"))
            }
            TrainingError::Beyond { .. } => {
                refusal.help(format_args!("ask for more {}, or train anew with {force}", Field::Epochs))
            }
            TrainingError::Card(_) => refusal,
            TrainingError::Train(error) => error.into(),
            TrainingError::Folder(error) => error.into(),
            TrainingError::Graph(error) => error.into(),
        }
    }
}

impl From<TrainError> for Refusal {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Options(_) => Self::usage(error),
            TrainError::Differs(field) => {
                let help = format!(
                    "resume with the options it was begun with (but for {}), or train anew with {}",
                    Field::Epochs,
                    Field::Force
                );
                Self::usage(format_args!("this training was begun with another {field}"))
                    .about(field)
                    .help(help)
            }
            TrainError::NoInteractions => Self::new(Data, error),
            TrainError::NothingHeldOut => {
                Self::new(Data, error).help(format_args!("leave out {}", Field::EarlyStopping))
            }
            TrainError::Checkpoint(_) => Self::new(Model, error),
            _ => Self::new(Unexpected, error),
        }
    }
}
