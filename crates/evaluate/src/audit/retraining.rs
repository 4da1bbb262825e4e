//! The same training again, without some interactions.

use std::sync::Arc;

use grease::{Opened, TrainingError, train_on};
use grease_graph::{Edge, Edit, Graph, Recommender, ScoreError};
use grease_models::folder::ModelFolder;
use grease_models::train::{Ending, Observer, TrainOptions, Trainer};
use grease_models::{Model, Weights};

use super::AuditError;

/// What the folder's training makes of its data without `deleted`, from the seed `later` after its own. Rows stay what they were, also
/// those of items that lose everything.
pub(super) fn train_without(
    folder: &ModelFolder,
    deleted: &[Edge],
    later: u64,
    device: &Opened,
    observer: &mut dyn Observer,
) -> Result<Model, AuditError> {
    let options = folder.manifest.train_options().ok_or(AuditError::Foreign)?;
    let options = TrainOptions { seed: options.seed.wrapping_add(later), ..options };
    // Looking at the test part on the way would change nothing but the time.
    let watched = if options.early_stopping.is_some() { folder.data.valid.clone() } else { Vec::new() };
    let graph = without(&folder.model, deleted)?;
    let mut trainer = Trainer::new(graph, watched, options).map_err(TrainingError::from)?;
    match train_on(device, &mut trainer, observer)?.0 {
        Ending::Cancelled => Err(AuditError::Cancelled),
        Ending::Finished | Ending::Early => Ok(trainer.model()),
    }
}

/// The model as it is, with everything `deleted` taken out of its graph at once.
pub(super) fn unretrained(model: &Model, deleted: &[Edge]) -> Result<Model, ScoreError> {
    let same = Model::new(model.architecture(), without(model, deleted)?, model.weights().clone());
    Ok(same.expect("weights that fit a graph fit any other with the same rows"))
}

fn without(model: &Model, deleted: &[Edge]) -> Result<Arc<Graph>, ScoreError> {
    Ok(Arc::new(model.graph().rebuilt(&Edit::removing(deleted.iter().copied()))?))
}

/// Whether two trainings came to the same, zeros' signs included.
pub(super) fn same_bits(one: &Weights, other: &Weights) -> bool {
    let bits = |weights: &Weights| -> Vec<u32> {
        weights.0.iter().flat_map(|tensor| tensor.data.iter().map(|value| value.to_bits())).collect()
    };
    bits(one) == bits(other)
}
