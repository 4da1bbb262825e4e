//! What went wrong, in words and as an exit code.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use grease::graph::Field;
use grease::graph::read::ReadError;
use grease::graph::write::WriteError;
use grease::models::folder::FolderError;
use grease::models::import::TensorsError;
use grease::oracle::OracleError;
use grease::{
    CardError, ImportError, JournalError, MergeError, ReadRecordsError, Refusal, RefusalKind, RunError,
    TrainingError,
};
use grease_evaluate::EvaluateError;

/// What to do about a recommender that does not answer.
const LOOK: &str = "`grease oracle check` looks into what an oracle answers";

/// The exit codes that `grease --help` promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// Done, as it was asked.
    Done = 0,
    /// Something nobody could foresee, such as a full disk.
    Unexpected = 1,
    /// The command was not used as it should be.
    Usage = 2,
    /// The input data is missing or wrong.
    Data = 3,
    /// The model folder is missing or damaged, or an oracle failed.
    Model = 4,
    /// An unknown user or item was named.
    Unknown = 5,
    /// A stored explanation, an imported model or an oracle did not stand its check.
    NotConfirmed = 6,
    /// Ended by Ctrl-C.
    Interrupted = 130,
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

    /// With a word on what to do.
    pub(crate) fn help(self, advice: impl Into<String>) -> Self {
        match self {
            Self::Said { code, message, .. } => Self::Said { code, message, help: Some(advice.into()) },
            other => other,
        }
    }

    /// With another word on what to do where the general one would be said.
    pub(crate) fn or_help(self, advice: &str) -> Self {
        match &self {
            Self::Said { help: Some(help), .. } if help == LOOK => self.help(advice),
            _ => self,
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
    pub(crate) fn report(self) -> Code {
        let Self::Said { code, message, help } = self else { return Code::Done };
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
        code
    }
}

/// Of writing results: what else is read or written says which file it was.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::stdout(&error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let (message, help) = refusal.rendered(flag);
        let code = match refusal.kind {
            RefusalKind::Usage => Code::Usage,
            RefusalKind::Data => Code::Data,
            RefusalKind::Model | RefusalKind::Recommender | RefusalKind::Declined => Code::Model,
            RefusalKind::Unknown | RefusalKind::Ambiguous => Code::Unknown,
            RefusalKind::Cancelled => Code::Interrupted,
            RefusalKind::Method | RefusalKind::Unexpected => Code::Unexpected,
        };
        let is_asked = matches!(refusal.kind, RefusalKind::Recommender | RefusalKind::Declined);
        let look = || is_asked.then(|| LOOK.to_owned());
        Self::Said { code, message, help: help.or_else(look) }
    }
}

/// A card that was named has to be used, or nothing is.
impl From<CardError> for Failure {
    fn from(error: CardError) -> Self {
        Self::usage(error).help("`grease devices` lists what there is; --device auto takes what can be used")
    }
}

/// A field as it is typed.
pub(crate) fn flag(field: Field) -> String {
    match field {
        Field::K => "-k".to_owned(),
        Field::Goals => "--goal".to_owned(),
        Field::Items => "--item".to_owned(),
        field => format!("--{}", field.name().replace('_', "-")),
    }
}

grease::failures!(
    Failure:
    ReadError,
    WriteError,
    FolderError,
    ReadRecordsError,
    TensorsError,
    ImportError,
    TrainingError,
    OracleError,
    JournalError,
    RunError,
    MergeError,
    EvaluateError,
);
