//! What went wrong, in words and as an exit code.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use grease::explain::ExplainError;
use grease::graph::read::ReadError;
use grease::graph::write::WriteError;
use grease::graph::{GraphError, ScoreError};
use grease::models::folder::FolderError;
use grease::models::import::TensorsError;
use grease::models::train::TrainError;
use grease::{ImportError, JournalError, LookupError, ReadRecordsError, TrainingError};

/// The exit codes that `grease --help` promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    Unexpected = 1,
    Usage = 2,
    Data = 3,
    Model = 4,
    Unknown = 5,
    NotConfirmed = 6,
    Interrupted = 130,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code as u8)
    }
}

/// An error on its way to the person.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What happened and, where we know, what to do.
    Said { code: Code, message: String, help: Option<String> },
    /// Nobody reads our results any more (`| head`): not an error.
    NobodyReads,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Display) -> Self {
        Self::Said { code, message: message.to_string(), help: None }
    }

    pub(crate) fn unexpected(message: impl Display) -> Self {
        Self::new(Code::Unexpected, message)
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(Code::Usage, message)
    }

    /// For what somebody asked to end.
    pub(crate) fn interrupted(message: impl Display) -> Self {
        Self::new(Code::Interrupted, message)
    }

    /// For the files of a run that cannot be gone on with.
    pub(crate) fn damaged(message: impl Display) -> Self {
        Self::new(Code::Data, message).help("the run can only be started over, by --force without --resume")
    }

    /// With a word on what to do.
    pub(crate) fn help(self, advice: impl Into<String>) -> Self {
        match self {
            Self::Said { code, message, .. } => Self::Said { code, message, help: Some(advice.into()) },
            other => other,
        }
    }

    /// Where a name was unknown, says which file of the model folder lists those that are known.
    pub(crate) fn known_in(self, model: &Path, names: &str) -> Self {
        match self {
            Self::Said { code: Code::Unknown, .. } => {
                let list = model.join(names);
                self.help(format!("{} lists all the model knows", list.display()))
            }
            other => other,
        }
    }

    /// For an error of writing results.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::NobodyReads,
            _ => Self::unexpected(format!("the results could not be written: {error}")),
        }
    }

    /// Says it on stderr, as `error: …` and `help: …`.
    pub(crate) fn report(self) -> ExitCode {
        let Self::Said { code, message, help } = self else { return ExitCode::SUCCESS };
        let mut stderr = io::stderr().lock();
        let colour =
            stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let label = |name: &str, code: &str| {
            if colour { format!("\x1b[1;{code}m{name}:\x1b[0m") } else { format!("{name}:") }
        };
        // Where stderr itself is gone there is nobody left to tell.
        let _ = writeln!(stderr, "{} {message}", label("error", "31"));
        if let Some(help) = help {
            let _ = writeln!(stderr, " {} {help}", label("help", "36"));
        }
        code.into()
    }
}

/// Of writing results: what else is read or written says which file it was.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::stdout(&error)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let code = match error {
            ReadError::BadOption { .. } => Code::Usage,
            ReadError::Io { .. } => Code::Unexpected,
            _ => Code::Data,
        };
        Self::new(code, error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let code = match error {
            WriteError::Name { .. } => Code::Usage,
            WriteError::Id { .. } => Code::Data,
            _ => Code::Unexpected,
        };
        Self::new(code, error)
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        let (code, advice) = match &error {
            FolderError::Io { error, .. } if error.kind() != io::ErrorKind::NotFound => {
                (Code::Unexpected, None)
            }
            FolderError::NotAModel { .. } | FolderError::Hash { .. } => (Code::Model, None),
            _ => (Code::Model, Some("copy the whole folder again, or train anew")),
        };
        let failure = Self::new(code, error);
        match advice {
            Some(advice) => failure.help(advice),
            None => failure,
        }
    }
}

impl From<ReadRecordsError> for Failure {
    fn from(error: ReadRecordsError) -> Self {
        let failure = Self::new(Code::Data, &error);
        match error {
            ReadRecordsError::Io { .. } => failure,
            _ => failure
                .help("expected what `grease explain --format json` or jsonl writes, or `grease batch`"),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let said = error.to_string();
        match error {
            JournalError::Exists(_) => {
                Self::usage(said).help("go on with it by --resume, or start over by --force")
            }
            JournalError::InUse(_) => Self::usage(said).help("wait for it to end, or choose another --out"),
            JournalError::Differs { .. } => Self::usage(said)
                .help("resume with the options it was begun with, or start over by --force without --resume"),
            JournalError::Damaged { .. } => Self::damaged(said),
            _ => Self::unexpected(said),
        }
    }
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        Self::new(Code::Data, error)
    }
}

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Self {
        Self::new(Code::Unknown, error)
    }
}

impl From<ScoreError> for Failure {
    fn from(error: ScoreError) -> Self {
        match error {
            ScoreError::Failed(said) | ScoreError::Refused(said) => {
                Self::new(Code::Model, said).help("`grease oracle check` looks into what an oracle answers")
            }
            ScoreError::Cancelled => Self::interrupted(error),
            ScoreError::Frozen | ScoreError::NoNeutral | ScoreError::NoNewcomers | ScoreError::NoOthers => {
                Self::usage(error)
            }
            _ => Self::unexpected(error),
        }
    }
}

impl From<ExplainError> for Failure {
    fn from(error: ExplainError) -> Self {
        let said = error.to_string();
        match error {
            ExplainError::Score(error) => error.into(),
            ExplainError::FactualHops => {
                Self::usage(said).help("use --scope target, or ask for --goal counterfactual alone")
            }
            _ => Self::usage(said),
        }
    }
}

impl From<TensorsError> for Failure {
    fn from(error: TensorsError) -> Self {
        let code = match &error {
            TensorsError::Io { error, .. } if error.kind() != io::ErrorKind::NotFound => Code::Unexpected,
            TensorsError::NoLayers { .. } | TensorsError::Files(_) => Code::Usage,
            _ => Code::Data,
        };
        Self::new(code, error.to_string().trim_end())
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let said = error.to_string();
        match error {
            ImportError::Tensors(error) => error.into(),
            ImportError::Graph(error) => error.into(),
            ImportError::Score(error) => error.into(),
            ImportError::Folder(error) => error.into(),
            ImportError::Taken(TrainingError::ModelExists(_) | TrainingError::CheckpointExists(_)) => {
                Self::usage(said).help("replace it by --force, or choose another --out")
            }
            ImportError::Taken(error) => error.into(),
            ImportError::Io { error, .. } if error.kind() != io::ErrorKind::NotFound => {
                Self::unexpected(said)
            }
            _ => Self::new(Code::Data, said),
        }
    }
}

impl From<TrainingError> for Failure {
    fn from(error: TrainingError) -> Self {
        let said = error.to_string();
        match error {
            TrainingError::ModelExists(_) | TrainingError::CheckpointExists(_) => Self::usage(said)
                .help("go on with it by --resume, replace it by --force, or choose another --out"),
            TrainingError::Occupied(_) => Self::usage(said).help("choose another --out"),
            TrainingError::Imported(_) => {
                Self::usage(said).help("train a model of your own into another --out")
            }
            TrainingError::NoCheckpoint(_) => Self::new(Code::Model, said).help("train anew with --force"),
            TrainingError::Beyond { .. } => {
                Self::usage(said).help("ask for more --epochs, or train anew with --force")
            }
            TrainingError::Train(error) => match error {
                TrainError::Options(_) => Self::usage(said),
                TrainError::Differs(option) => {
                    let option = option.replace(' ', "-");
                    Self::usage(format!("this training was begun with another --{option}"))
                        .help("resume with the options it was begun with (but for --epochs), or train anew with --force")
                }
                TrainError::NoInteractions => Self::new(Code::Data, said),
                TrainError::NothingHeldOut => Self::new(Code::Data, said).help("leave out --early-stopping"),
                TrainError::Checkpoint(_) => Self::new(Code::Model, said),
                _ => Self::unexpected(said),
            },
            TrainingError::Folder(error) => error.into(),
            TrainingError::Graph(error) => error.into(),
            _ => Self::unexpected(said),
        }
    }
}
