//! Training into a model folder: never over somebody's work, and always so that it can go on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use grease_cuda::{CardError, CardSteps};
use grease_graph::atomic::{is_left_over, sweep};
use grease_graph::{Graph, GraphError};
use grease_models::folder::{
    CHECKPOINT, Dataset, FolderError, MANIFEST, ModelFolder, Provenance, VALID, load_checkpoint,
    rehearse_checkpoint, save_checkpoint,
};
use grease_models::ranking::{Ranking, evaluate};
use grease_models::train::{
    BatchProgress, Checkpoint, Ending, EpochRecord, Observer, TrainError, TrainOptions, Trainer, WATCH_K,
};

use crate::device::{Device, Opened};
use crate::lock::{FolderLock, LOCK, LockError};

/// What to train, on what, and where to keep it.
#[derive(Debug, Clone)]
pub struct TrainRequest {
    pub data: Dataset,
    /// What training is set to.
    pub options: TrainOptions,
    /// The model folder to make.
    pub out: PathBuf,
    /// Go on from the folder's checkpoint, if it has one.
    pub resume: bool,
    /// Replace a model that is there.
    pub force: bool,
    /// Epochs between two checkpoints; 0 saves one only at the end and on cancellation.
    pub checkpoint_every: u64,
    /// Where the steps are taken. Not part of the options: a model trained on either is a model for both.
    pub device: Device,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// The folder holds a model.
    #[error("{} already holds a model", .0.display())]
    ModelExists(PathBuf),
    /// The folder holds a checkpoint.
    #[error("{} already holds a training that was interrupted", .0.display())]
    CheckpointExists(PathBuf),
    /// The folder holds something else.
    #[error("{} is not empty and not a model folder; a model would be mixed with what is there", .0.display())]
    Occupied(PathBuf),
    /// There is a file, or a device.
    #[error("{} is no folder", .0.display())]
    NoFolder(PathBuf),
    /// Two would write to the same files.
    #[error("another training or import is writing to {}", .0.display())]
    InUse(PathBuf),
    /// There is a model, but nothing to go on from.
    #[error("{} holds a model but no checkpoint.safetensors to go on from", .0.display())]
    NoCheckpoint(PathBuf),
    /// There is a model, but it was not trained here.
    #[error("{} holds a model that was trained elsewhere and imported: there is no training here to go on with", .0.display())]
    Imported(PathBuf),
    /// The checkpoint is further than what was asked for.
    #[error("{done} epochs are done already, more than the {asked} asked for")]
    Beyond { done: u64, asked: u64 },
    /// The data does not make a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The card that was asked for cannot be used.
    #[error(transparent)]
    Card(#[from] CardError),
    /// The folder could not be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainReport {
    pub ending: Ending,
    /// The epoch it went on from, where it was resumed.
    pub resumed_at: Option<u64>,
    /// Epochs done in all.
    pub epochs: u64,
    /// Quality at 20 on the test part; `None` without one, and after an interruption.
    pub quality: Option<Ranking>,
    /// Where the steps were taken, and why there.
    pub device: String,
}

impl TrainRequest {
    /// A fresh training with a checkpoint at the end.
    pub fn new(data: Dataset, options: TrainOptions, out: &Path) -> Self {
        Self {
            data,
            options,
            out: out.to_path_buf(),
            resume: false,
            force: false,
            checkpoint_every: 0,
            device: Device::Cpu,
        }
    }

    /// Whether a training may go to this folder: [`run`](Self::run) asks too, but only once the data is read.
    pub fn check_folder(out: &Path, resume: bool, force: bool) -> Result<(), TrainingError> {
        Found::allowed(out, resume, force).map(|_| ())
    }

    /// Trains until the end or until the observer cancels; either way the folder then holds a model, and a checkpoint from
    /// which `resume` goes on as if nothing had happened. Also with more epochs than were asked for before.
    pub fn run(self, observer: &mut dyn Observer) -> Result<(ModelFolder, TrainReport), TrainingError> {
        let opened = Opened::to_train(self.device, self.options.kind)?;
        self.run_on(&opened, observer)
    }

    /// As [`run`](Self::run), on a device that was opened before.
    pub fn run_on(
        self,
        device: &Opened,
        observer: &mut dyn Observer,
    ) -> Result<(ModelFolder, TrainReport), TrainingError> {
        let Self { data, options, out, resume, force, checkpoint_every, .. } = self;
        let (_lock, found) = claim(&out, resume, force)?;
        let graph = data.train.graph(data.users.len(), data.items.len())?;
        let watched = if options.early_stopping.is_some() { &data.valid } else { &data.test }.clone();
        let checkpoint = match found {
            Found::Something if resume => {
                let checkpoint = load_checkpoint(&out, &graph)?;
                Some(checkpoint.ok_or_else(|| TrainingError::NoCheckpoint(out.clone()))?)
            }
            _ => None,
        };
        let resumed_at = checkpoint.as_ref().map(|checkpoint| checkpoint.position.epoch);
        if let Some(done) = resumed_at.filter(|&done| done > options.epochs) {
            return Err(TrainingError::Beyond { done, asked: options.epochs });
        }
        let mut trainer = match checkpoint {
            None => Trainer::new(Arc::clone(&graph), watched, options)?,
            Some(checkpoint) => Trainer::resume(Arc::clone(&graph), watched, options, checkpoint)?,
        };
        // A checkpoint that is there stays until this training has one to replace it with.
        rehearse_checkpoint(&out, &graph, trainer.state())?;
        let mut saving = Saving { observer, out: &out, graph: &graph, every: checkpoint_every, failed: None };
        let ended = train_on(device, &mut trainer, &mut saving);
        if let Some(error) = saving.failed {
            return Err(error.into());
        }
        let (ending, device) = ended?;
        save_checkpoint(&out, &graph, trainer.state())?;
        let model = trainer.model();
        let quality = (ending != Ending::Cancelled && !data.test.is_empty())
            .then(|| evaluate(model.output(), &graph, &data.test, &[WATCH_K])[0]);
        let position = &trainer.state().position;
        let log = position.log.clone();
        let provenance = Provenance { options, log, finished: ending != Ending::Cancelled, quality };
        let manifest = ModelFolder::save(&out, &data, trainer.weights(), &provenance)?;
        if data.valid.is_empty() {
            discard(&out.join(VALID))?;
        }
        let report = TrainReport { ending, resumed_at, epochs: position.epoch, quality, device };
        Ok((ModelFolder { manifest, data, model }, report))
    }
}

/// Takes the steps of a training on a device that was opened before, and says how it ended and where they were taken: a card that was only
/// hoped for and turns out to be too small leaves them to the processor.
pub fn train_on(
    device: &Opened,
    trainer: &mut Trainer,
    observer: &mut dyn Observer,
) -> Result<(Ending, String), TrainingError> {
    let steps = device.card().map(|card| CardSteps::new(Arc::clone(card), trainer.graph(), trainer.state()));
    match steps.transpose() {
        Ok(None) => Ok((trainer.run(observer)?, device.to_string())),
        Ok(Some(mut steps)) => Ok((trainer.run_by(&mut steps, observer)?, device.to_string())),
        Err(why) => {
            let here = device.or_processor(why)?.to_string();
            observer.moved(&here);
            Ok((trainer.run(observer)?, here))
        }
    }
}

/// Whether there is a model or a checkpoint in the folder.
enum Found {
    Nothing,
    Something,
}

impl Found {
    /// What is in the folder, if training may go there.
    fn allowed(folder: &Path, resume: bool, force: bool) -> Result<Self, TrainingError> {
        let mut others = match std::fs::read_dir(folder) {
            // What a training that was killed early leaves is nobody's work.
            Ok(entries) => entries.filter(|entry| {
                entry.as_ref().is_ok_and(|entry| {
                    let name = entry.file_name();
                    name != LOCK && !is_left_over(&name)
                })
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                return Err(TrainingError::NoFolder(folder.into()));
            }
            Err(error) => return Err(FolderError::Io { file: folder.into(), error }.into()),
        };
        let (model, checkpoint) = (folder.join(MANIFEST).exists(), folder.join(CHECKPOINT).exists());
        match (model, checkpoint) {
            (false, false) if others.next().is_none() => Ok(Self::Nothing),
            (false, false) => Err(TrainingError::Occupied(folder.into())),
            (true, false) if resume && ModelFolder::manifest(folder)?.imported.is_some() => {
                Err(TrainingError::Imported(folder.into()))
            }
            (true, false) if resume => Err(TrainingError::NoCheckpoint(folder.into())),
            _ if resume || force => Ok(Self::Something),
            (true, _) => Err(TrainingError::ModelExists(folder.into())),
            (false, true) => Err(TrainingError::CheckpointExists(folder.into())),
        }
    }
}

/// Has the folder alone, if training may go there, and clears away what those who were killed left in it.
fn claim(out: &Path, resume: bool, force: bool) -> Result<(FolderLock, Found), TrainingError> {
    // Before the lock is taken: where training may not go nothing is written.
    Found::allowed(out, resume, force)?;
    let lock = FolderLock::take(out).map_err(|error| match error {
        LockError::InUse => TrainingError::InUse(out.into()),
        LockError::Io { path, error } => FolderError::Io { file: path, error }.into(),
    })?;
    let found = Found::allowed(out, resume, force)?;
    sweep(out).map_err(|error| FolderError::Io { file: out.into(), error })?;
    Ok((lock, found))
}

/// Whether a model that is not trained here may go to this folder.
pub(crate) fn may_go_to(out: &Path, force: bool) -> Result<(), TrainingError> {
    Found::allowed(out, false, force).map(|_| ())
}

/// Has the folder alone for a model that is not trained here.
pub(crate) fn claim_for_import(out: &Path, force: bool) -> Result<FolderLock, TrainingError> {
    claim(out, false, force).map(|(lock, _)| lock)
}

/// Removes a file, if it is there.
pub(crate) fn discard(file: &Path) -> Result<(), FolderError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(FolderError::Io { file: file.into(), error })
        }
        _ => Ok(()),
    }
}

/// Saves a checkpoint now and then, and passes everything on.
struct Saving<'a> {
    observer: &'a mut dyn Observer,
    out: &'a Path,
    graph: &'a Graph,
    every: u64,
    failed: Option<FolderError>,
}

impl Observer for Saving<'_> {
    fn moved(&mut self, device: &str) {
        self.observer.moved(device);
    }

    fn batch_done(&mut self, progress: BatchProgress) {
        self.observer.batch_done(progress);
    }

    fn epoch_done(&mut self, record: &EpochRecord) {
        self.observer.epoch_done(record);
    }

    fn cancelled(&mut self) -> bool {
        self.observer.cancelled()
    }

    fn checkpoint_due(&self, epoch: u64) -> bool {
        (self.every > 0 && epoch.is_multiple_of(self.every)) || self.observer.checkpoint_due(epoch)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), String> {
        let epoch = checkpoint.position.epoch;
        // The last one is saved with the model.
        if self.every > 0 && epoch.is_multiple_of(self.every) && epoch < checkpoint.options.epochs {
            save_checkpoint(self.out, self.graph, checkpoint).map_err(|error| {
                let said = error.to_string();
                self.failed = Some(error);
                said
            })?;
        }
        self.observer.checkpoint(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use grease_graph::{SampleOptions, sample};
    use grease_models::train::EarlyStopping;

    use super::*;
    use crate::prepare;

    fn request(out: &Path, epochs: u64) -> TrainRequest {
        let data = sample(&SampleOptions { users: 30, artists: 24, ..SampleOptions::default() }).interactions;
        let options = TrainOptions { epochs, dim: 8, batch: 16, ..TrainOptions::default() };
        TrainRequest::new(prepare(&data, 0.8, options.seed, None), options, out)
    }

    /// Cancels after so many batches.
    struct Impatient(u64);

    impl Observer for Impatient {
        fn batch_done(&mut self, _: BatchProgress) {
            self.0 -= 1;
        }
        fn cancelled(&mut self) -> bool {
            self.0 == 0
        }
    }

    #[test]
    fn what_is_there_is_not_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("m");
        let (model, report) = request(&out, 1).run(&mut ()).unwrap();
        assert_eq!((report.ending, report.epochs, report.resumed_at), (Ending::Finished, 1, None));
        assert_eq!(report.quality.map(|quality| quality.recall), model.manifest.recall_at_20);
        let refused = request(&out, 1).run(&mut ()).unwrap_err();
        assert!(matches!(refused, TrainingError::ModelExists(_)), "{refused}");
        TrainRequest { force: true, ..request(&out, 1) }.run(&mut ()).unwrap();
        let beyond = TrainRequest { resume: true, ..request(&out, 0) }.run(&mut ()).unwrap_err();
        assert!(matches!(beyond, TrainingError::Beyond { done: 1, asked: 0 }), "{beyond}");

        std::fs::remove_file(out.join(CHECKPOINT)).unwrap();
        let nothing = TrainRequest { resume: true, ..request(&out, 2) }.run(&mut ()).unwrap_err();
        assert!(matches!(nothing, TrainingError::NoCheckpoint(_)), "{nothing}");
        std::fs::remove_file(out.join(MANIFEST)).unwrap();
        let occupied = TrainRequest { force: true, ..request(&out, 1) }.run(&mut ()).unwrap_err();
        assert!(matches!(occupied, TrainingError::Occupied(_)), "somebody's files: {occupied}");
    }

    #[test]
    fn what_is_loaded_and_written_again_is_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (out, again) = (folder.path().join("m"), folder.path().join("again"));
        request(&out, 1).run(&mut ()).unwrap();
        ModelFolder::load(&out).unwrap().write(&again).unwrap();
        for entry in std::fs::read_dir(&again).unwrap() {
            let name = entry.unwrap().file_name();
            assert_eq!(std::fs::read(again.join(&name)).unwrap(), std::fs::read(out.join(&name)).unwrap());
        }
        let manifest = std::fs::read_to_string(out.join(MANIFEST)).unwrap();
        assert!(!manifest.contains("imported") && !manifest.contains("normalised_layers"));
    }

    #[test]
    fn cancelled_anywhere_and_resumed_is_as_if_nothing_had_happened() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, _) = request(&folder.path().join("whole"), 3).run(&mut ()).unwrap();
        for batches in [0, 1, 9] {
            let out = folder.path().join(batches.to_string());
            let (cut, report) = request(&out, 3).run(&mut Impatient(batches)).unwrap();
            assert_eq!((report.ending, cut.manifest.finished), (Ending::Cancelled, false));
            assert_eq!(ModelFolder::load(&out).unwrap().manifest, cut.manifest);
            let (resumed, report) = TrainRequest { resume: true, ..request(&out, 3) }.run(&mut ()).unwrap();
            assert!(report.resumed_at.is_some());
            assert_eq!(resumed.manifest, whole.manifest, "hashes of all files included");
        }
    }

    #[test]
    fn checkpoints_are_saved_on_the_way() {
        struct Looking(PathBuf, Vec<bool>);
        impl Observer for Looking {
            fn checkpoint(&mut self, _: &Checkpoint) -> Result<(), String> {
                self.1.push(self.0.exists());
                Ok(())
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("m");
        let mut looking = Looking(out.join(CHECKPOINT), Vec::new());
        TrainRequest { checkpoint_every: 2, ..request(&out, 3) }.run(&mut looking).unwrap();
        assert_eq!(looking.1, [false, true, true]);
    }

    #[test]
    fn stopping_early_needs_something_to_stop_by() {
        let folder = tempfile::tempdir().unwrap();
        let mut request = request(&folder.path().join("m"), 1);
        request.options.early_stopping = Some(EarlyStopping { share: 0.1, patience: 1 });
        assert!(matches!(request.run(&mut ()), Err(TrainingError::Train(TrainError::NothingHeldOut))));
    }
}
