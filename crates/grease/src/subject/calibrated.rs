//! A model with what was measured on it: how often its explanations hold for a model trained again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use grease_explain::Explanation;
use grease_graph::{Candidates, Watch};
use grease_models::folder::{FolderError, ModelFolder};
use grease_tell::{Names, Record};

use super::{Resolved, Subject};
use crate::calibration::{Calibration, CalibrationError};

/// What stands beside a model, where it is in a folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Measured {
    place: Option<PathBuf>,
    calibration: Option<Arc<Calibration>>,
}

impl Subject {
    /// A model in a folder, with the calibration beside it. What is wrong with that is handed over: explanations go without it.
    pub fn open(folder: &Path) -> Result<(Self, Option<CalibrationError>), FolderError> {
        Self::open_watched(folder, &())
    }

    /// The same, watched: a large model takes long the first time.
    pub fn open_watched(
        folder: &Path,
        watch: &dyn Watch,
    ) -> Result<(Self, Option<CalibrationError>), FolderError> {
        Ok(Self::read_from(Arc::new(ModelFolder::load_watched(folder, watch)?), folder))
    }

    /// The same, where the model was read already.
    pub fn read_from(model: Arc<ModelFolder>, folder: &Path) -> (Self, Option<CalibrationError>) {
        let mut subject = Self::from(model);
        let read = Calibration::read(folder, subject.model_hash(), subject.data_hash());
        let (calibration, error) = match read {
            Ok(calibration) => (calibration.map(Arc::new), None),
            Err(error) => (None, Some(error)),
        };
        subject.measured = Measured { place: Some(folder.to_owned()), calibration };
        (subject, error)
    }

    /// The folder it was read from.
    pub fn place(&self) -> Option<&Path> {
        self.measured.place.as_deref()
    }

    /// What was measured on it.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.measured.calibration.as_deref()
    }

    /// The same, as it was measured just now.
    pub fn set_calibration(&mut self, calibration: Calibration) {
        self.measured.calibration = Some(Arc::new(calibration));
    }
}

impl Resolved<'_> {
    /// With names, and with how often it holds for a model trained again, where that was measured.
    pub(super) fn record(&self, explanation: &Explanation, names: &Names<'_>) -> Record {
        let mut record = Record::new(explanation, names, self.show_user_ids);
        let calibration = self.subject.calibration().filter(|_| self.is_audited(explanation, &record));
        if let Some(holds) = calibration.and_then(|calibration| calibration.promise(&record)) {
            record.promise(holds, names.words);
        }
        record
    }

    /// Whether such explanations are audited: on lists of everything there is, and leaving at least half of a history.
    fn is_audited(&self, explanation: &Explanation, record: &Record) -> bool {
        let history = || self.subject.recommender.graph().items_of(explanation.user).len();
        // A newcomer is not in the graph.
        record.history.is_none()
            && self.task.candidates == Candidates::default()
            && 2 * record.edges.len() <= history()
    }
}

#[cfg(test)]
pub(crate) mod tests;
