//! Models that were trained elsewhere: weights and interactions in, a model folder out, like any other.
//!
//! ```text
//! tensors -recognise-> rows -ids-> Dataset + Weights -build-> ModelFolder -check_lists-> the same lists? -save_import-> files
//! ```

mod error;
mod ids;
mod lists;
mod rows;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use grease_graph::{Edges, Interactions};
use grease_models::folder::{CHECKPOINT, Dataset, Imported, ModelFolder, VALID, hash_of_lines};
use grease_models::import::{Layout, NamedTensor, NamedTensors, Recognised, WeightFile, recognise};
use grease_models::ranking::evaluate;
use grease_models::train::WATCH_K;
use grease_models::{Kind, Model};

use crate::train::{claim_for_import, discard, may_go_to};

pub use error::ImportError;
pub use ids::read_ids;
pub use lists::{DifferentList, ExpectedList, ListCheck, check_lists, read_lists};

/// What is brought.
#[derive(Debug, Clone)]
pub enum ImportSource {
    /// The weights of a LightGCN or an NGCF: it can be asked everything.
    Network {
        kind: Kind,
        /// Its tensors, by the names some program gave them.
        tensors: NamedTensors,
        /// Which program, where that should not be found out by the names.
        layout: Option<Layout>,
        /// Propagation layers, where the tensors do not say.
        layers: Option<usize>,
    },
    /// Output embeddings of anything: it can be asked for lists, and for nothing else.
    Embeddings { users: NamedTensor, items: NamedTensor, score: Score },
}

/// What a score of two output embeddings is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Score {
    /// Their dot product.
    #[default]
    Dot,
    /// Their cosine.
    Cosine,
}

/// A model from elsewhere, and the interactions it was trained on.
#[derive(Debug, Clone)]
pub struct ImportRequest<'a> {
    pub source: ImportSource,
    /// The files it came from; none where it came from memory.
    pub files: Vec<WeightFile>,
    /// What the model was trained on. A split the data came with is respected; otherwise all of it is the model's graph.
    pub interactions: &'a Interactions,
    /// The users' ids in the order of the rows; without them ids are row numbers.
    pub user_ids: Option<Vec<String>>,
    /// The items' ids likewise.
    pub item_ids: Option<Vec<String>>,
}

impl<'a> ImportRequest<'a> {
    /// A source whose rows are numbers, from memory.
    pub fn new(source: ImportSource, interactions: &'a Interactions) -> Self {
        Self { source, files: Vec::new(), interactions, user_ids: None, item_ids: None }
    }

    /// Whether an import may go to this folder: [`save_import`] asks too, but only once everything is read.
    pub fn check_folder(out: &Path, force: bool) -> Result<(), ImportError> {
        Ok(may_go_to(out, force)?)
    }

    /// The model folder, in memory: its hashes are those it would have on disk.
    pub fn build(self) -> Result<ModelFolder, ImportError> {
        let Self { source, files, interactions, user_ids, item_ids } = self;
        let weights_hash = match (&source, &files[..]) {
            (_, [_, ..]) => hash_of_lines(files.iter().map(|file| file.hash.as_str())),
            (ImportSource::Network { tensors, .. }, []) => tensors.hash(),
            (ImportSource::Embeddings { users, items, .. }, []) => {
                let mut tensors = NamedTensors::new();
                tensors.insert("user_embedding", &users.shape, users.data.clone())?;
                tensors.insert("item_embedding", &items.shape, items.data.clone())?;
                tensors.hash()
            }
        };
        let recognised = match source {
            ImportSource::Network { kind, tensors, layout, layers } => {
                recognise(tensors, kind, layout, layers)?
            }
            ImportSource::Embeddings { users, items, score } => {
                Recognised::embeddings(users, items, score == Score::Cosine)?
            }
        };
        let named = rows::name(&recognised, interactions, user_ids, item_ids)?;
        let mut data = dataset(interactions, &named)?;
        let (layout, architecture) = (recognised.layout, recognised.architecture);
        let weights = recognised.weights(data.users.len(), data.items.len(), named.skipped())?;
        let graph = data.train.graph(data.users.len(), data.items.len())?;
        data.train = Edges::Of(Arc::clone(&graph));
        let model = Model::new(architecture, Arc::clone(&graph), weights)
            .map_err(|error| ImportError::Tensors(error.into()))?;
        let quality =
            (!data.test.is_empty()).then(|| evaluate(model.output(), &graph, &data.test, &[WATCH_K])[0]);
        let imported = Imported {
            layout: layout.to_string(),
            from: files.into_iter().map(|file| file.name).collect(),
            weights: weights_hash,
        };
        Ok(ModelFolder::imported(data, model, imported, quality)?)
    }
}

/// The interactions by the rows of the weights.
fn dataset(interactions: &Interactions, named: &rows::Named) -> Result<Dataset, ImportError> {
    let Interactions { users, items, edges, given_test, words } = interactions;
    let (users, user_rows) = named.users.catalogue(users)?;
    let (items, item_rows) = named.items.catalogue(items)?;
    let moved = |edges: &[grease_graph::Edge]| {
        let mut edges: Vec<_> = edges
            .iter()
            .map(|edge| grease_graph::Edge::new(user_rows[edge.user.row()], item_rows[edge.item.row()]))
            .collect();
        edges.sort_unstable();
        edges
    };
    let (train, test) = (moved(edges), moved(given_test.as_deref().unwrap_or_default()));
    Ok(Dataset { users, items, train: train.into(), test, valid: Vec::new(), words: words.clone() })
}

/// Writes an imported model into a folder, never over somebody's work unless `force` says so, and then only over a model.
pub fn save_import(folder: &ModelFolder, out: &Path, force: bool) -> Result<(), ImportError> {
    let _lock = claim_for_import(out, force)?;
    folder.write(out)?;
    // Of a model that was there before; this one has neither.
    discard(&out.join(CHECKPOINT))?;
    Ok(discard(&out.join(VALID))?)
}
