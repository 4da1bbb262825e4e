//! What is evaluated, where it is kept, and why there may be no results.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use grease::{JournalError, Refusal, RefusalKind, Subject};
use grease_explain::UnfitPaperOption;
use grease_graph::{Field, Graph};
use serde_json::{Value, json};

use crate::audit::AuditError;
use crate::results::{EVALUATION_SCHEMA, Evaluated};
use crate::settings::Settings;

/// A recommender to evaluate on.
pub struct NamedSubject {
    /// What its data set is called; the paper's figures are shown beside those of names that begin with lastfm or yelp.
    pub name: String,
    pub subject: Subject,
}

/// What to evaluate, and where to keep it.
pub struct Evaluation<'a> {
    pub subjects: &'a [NamedSubject],
    /// What and how much.
    pub settings: &'a Settings,
    /// The folder of the run.
    pub out: &'a Path,
    /// The command that repeats it.
    pub command: String,
    /// Whether other people's ids stand in the rows instead of pseudonyms.
    pub show_user_ids: bool,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The work could not be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Results could not be written.
    #[error("{}: {error}", file.display())]
    Write { file: PathBuf, error: io::Error },
    /// There are results already.
    #[error("{} holds the results of an evaluation", .0.display())]
    Exists(PathBuf),
    /// A list longer than the catalogue.
    #[error("{}", .0.message)]
    TooLong(Refusal),
    /// There is nothing to do.
    #[error("nothing to evaluate: there must be at least one {0}")]
    Nothing(&'static str),
    /// What is done is something else.
    #[error("{}: what is done there is not of this evaluation", folder.display())]
    OtherUnit { folder: PathBuf },
    /// Method `paper` cannot be run so.
    #[error(transparent)]
    Paper(#[from] UnfitPaperOption),
    /// The recommender failed; what is done is kept.
    #[error("the recommender could not score: {0}")]
    Recommender(String),
    /// A method of somebody's own failed; what is done is kept.
    #[error("{0}")]
    Method(String),
    /// A method that is neither built in nor was given.
    #[error("{}", .0.message)]
    Unknown(Refusal),
    /// Training again failed.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// Somebody wanted it to stop; what is done is kept.
    #[error("interrupted after {done} of {all} people")]
    Interrupted { done: usize, all: usize },
}

impl Evaluation<'_> {
    pub(crate) fn check(&self) -> Result<(), EvaluateError> {
        let Settings { ks, goals, methods, tables, repeats, .. } = self.settings;
        let needed = [
            ("model", self.subjects.is_empty()),
            ("length of lists", ks.is_empty() || ks.contains(&0)),
            ("goal", goals.is_empty()),
            ("method", methods.is_empty()),
            ("table", tables.is_empty()),
            ("repeat", *repeats == 0),
        ];
        if let Some((what, _)) = needed.into_iter().find(|(_, missing)| *missing) {
            return Err(EvaluateError::Nothing(what));
        }
        self.settings.paper.check()?;
        for subject in self.subjects {
            let known = methods.iter().try_for_each(|&method| subject.subject.check_method(method));
            known.map_err(EvaluateError::Unknown)?;
            let items = subject.subject.data().items.len();
            if let Some(&k) = ks.iter().find(|&&k| k > items) {
                let called = format!("items of {}", subject.name);
                return Err(EvaluateError::TooLong(Refusal::too_long(k, items, &called)));
            }
        }
        Ok(())
    }

    /// What tells methods from outside from others of their names; nothing where there are none.
    fn versions(&self) -> Option<Value> {
        let subject = &self.subjects.first()?.subject;
        let versions: BTreeMap<&str, &str> = (self.settings.methods.iter())
            .filter_map(|method| Some((method.name(), subject.version_of(*method)?)))
            .collect();
        (!versions.is_empty()).then(|| json!(versions))
    }

    /// All that the units depend on.
    pub(crate) fn identity(&self) -> Value {
        let models: Vec<_> = self
            .subjects
            .iter()
            .map(|subject| {
                json!({
                    "data": subject.name,
                    "model_hash": subject.subject.model_hash(),
                    "data_hash": subject.subject.data_hash(),
                })
            })
            .collect();
        let mut identity =
            json!({ "schema": EVALUATION_SCHEMA, "settings": self.settings, "models": models });
        if let Some(versions) = self.versions() {
            identity["method_versions"] = versions;
        }
        identity
    }
}

impl NamedSubject {
    pub(crate) fn graph(&self) -> &Graph {
        self.subject.recommender().graph()
    }

    pub(crate) fn evaluated(&self) -> Evaluated {
        let graph = self.graph();
        // Only of a model of ours is it known how it was trained.
        let manifest = self.subject.folder().map(|folder| &folder.manifest);
        Evaluated {
            data: self.name.clone(),
            kind: self.subject.kind().to_owned(),
            model_hash: self.subject.model_hash().to_owned(),
            data_hash: self.subject.data_hash().to_owned(),
            users: graph.users(),
            items: graph.items(),
            interactions: graph.len(),
            epochs: manifest.map_or(0, |manifest| manifest.training_log.len() as u64),
            recall_at_20: manifest.and_then(|manifest| manifest.recall_at_20),
            ndcg_at_20: manifest.and_then(|manifest| manifest.ndcg_at_20),
        }
    }
}

/// Of writing the rows, before it is said which file it was.
pub(crate) enum Failed {
    Journal(JournalError),
    Io(io::Error),
}

impl Failed {
    pub(crate) fn writing(self, file: &Path) -> EvaluateError {
        match self {
            Failed::Journal(error) => error.into(),
            Failed::Io(error) => EvaluateError::Write { file: file.to_owned(), error },
        }
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<JournalError> for Failed {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

/// Only a recommender or a method that fails ends an evaluation.
impl From<Refusal> for EvaluateError {
    fn from(refusal: Refusal) -> Self {
        match refusal.kind {
            RefusalKind::Method => Self::Method(refusal.message),
            _ => Self::Recommender(refusal.message),
        }
    }
}

impl From<EvaluateError> for Refusal {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Journal(error) => error.into(),
            EvaluateError::Write { .. } => Self::new(RefusalKind::Unexpected, error),
            EvaluateError::Exists(_) => Self::usage(error).help(format_args!(
                "write its report again by {}, start over by {}, or choose another {}",
                Field::Resume,
                Field::Force,
                Field::Out
            )),
            EvaluateError::TooLong(refusal) | EvaluateError::Unknown(refusal) => refusal,
            EvaluateError::Method(_) => Self::failed_method(error),
            EvaluateError::Nothing(_) | EvaluateError::Paper(_) => Self::usage(error),
            EvaluateError::OtherUnit { .. } => Self::damaged_run(error),
            EvaluateError::Recommender(_) => Self::failed_run(error),
            EvaluateError::Interrupted { .. } => Self::interrupted_run(error),
            EvaluateError::Audit(error) => error.into(),
        }
    }
}

impl From<AuditError> for Refusal {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Cancelled => Self::interrupted_run(error),
            AuditError::Train(error) => error.into(),
            AuditError::Explain(refusal) => refusal,
            error => Self::usage(error),
        }
    }
}
