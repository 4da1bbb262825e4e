//! What is explained: a recommender, wherever it runs, and the names behind its rows.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use grease_graph::{Edit, Interactions, ItemId, Profile, Recommender, ScoreError, UserId, Who};
use grease_models::folder::{Dataset, ModelFolder, hash_of_lines};
use grease_oracle::Oracle;
use grease_tell::Names;

/// A recommender with the data its rows belong to.
pub enum Subject {
    /// A model of ours, as its folder has it.
    Folder(Arc<ModelFolder>),
    /// Somebody else's: another process, a service, a Python object.
    Foreign(Box<Foreign>),
}

/// Somebody else's recommender.
pub struct Foreign {
    /// Whom and what it scores.
    pub data: Dataset,
    /// The black box.
    pub recommender: Arc<dyn Recommender>,
    /// What sort of recommender it is, in a word.
    pub kind: String,
    model_hash: String,
    data_hash: String,
}

impl Foreign {
    /// `identity` is what tells this recommender from another, as far as anybody can know: its name, its version.
    pub fn new<'i>(
        data: Dataset,
        recommender: Arc<dyn Recommender>,
        kind: &'i str,
        identity: impl IntoIterator<Item = &'i str>,
    ) -> Self {
        let (model_hash, data_hash) = (hash_of_lines([kind].into_iter().chain(identity)), data.hash());
        Self { data, recommender, kind: kind.to_owned(), model_hash, data_hash }
    }

    /// An oracle that was opened for these interactions; all of them are its graph, but for a part that came held out.
    pub fn oracle(oracle: Oracle, interactions: &Interactions) -> Self {
        let data = Dataset {
            users: oracle.users().clone(),
            items: oracle.items().clone(),
            train: interactions.edges.clone(),
            test: interactions.given_test.clone().unwrap_or_default(),
            valid: Vec::new(),
            words: interactions.words.clone(),
        };
        let (name, version) =
            (oracle.hello().name.clone(), oracle.hello().version.clone().unwrap_or_default());
        Self::new(data, Arc::new(oracle), "oracle", [name.as_str(), version.as_str()])
    }
}

impl Subject {
    /// The black box.
    pub fn recommender(&self) -> &dyn Recommender {
        match self {
            Self::Folder(folder) => &folder.model,
            Self::Foreign(foreign) => foreign.recommender.as_ref(),
        }
    }

    /// The black box, for whoever keeps it.
    pub fn shared(&self) -> Arc<dyn Recommender> {
        match self {
            Self::Folder(folder) => Arc::new(OfFolder(Arc::clone(folder))),
            Self::Foreign(foreign) => Arc::clone(&foreign.recommender),
        }
    }

    /// Whom and what it scores.
    pub fn data(&self) -> &Dataset {
        match self {
            Self::Folder(folder) => &folder.data,
            Self::Foreign(foreign) => &foreign.data,
        }
    }

    /// The same, to say how to speak about it.
    pub fn data_mut(&mut self) -> &mut Dataset {
        match self {
            Self::Folder(folder) => &mut Arc::make_mut(folder).data,
            Self::Foreign(foreign) => &mut foreign.data,
        }
    }

    /// The model folder, where it is a model of ours: only such a one can be trained again.
    pub fn folder(&self) -> Option<&ModelFolder> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Foreign(_) => None,
        }
    }

    /// What sort of recommender it is, in a word.
    pub fn kind(&self) -> String {
        match self {
            Self::Folder(folder) => folder.manifest.kind.to_string(),
            Self::Foreign(foreign) => foreign.kind.clone(),
        }
    }

    /// The hash explanations name the model by.
    pub fn model_hash(&self) -> &str {
        match self {
            Self::Folder(folder) => folder.model_hash(),
            Self::Foreign(foreign) => &foreign.model_hash,
        }
    }

    /// The hash explanations name the data by: that of the rows' names and the training interactions.
    pub fn data_hash(&self) -> String {
        match self {
            Self::Folder(folder) => folder.data_hash(),
            Self::Foreign(foreign) => foreign.data_hash.clone(),
        }
    }

    /// What joins names to the rows of explanations for `who`.
    pub fn names<'a>(&'a self, who: &Who, never_name: &'a BTreeSet<ItemId>) -> Names<'a> {
        let data = self.data();
        Names {
            users: &data.users,
            items: &data.items,
            words: &data.words,
            model: self.model_hash().to_owned(),
            data: self.data_hash(),
            newcomer: match who {
                Who::Known(_) => None,
                Who::Newcomer(items) => Some(items.clone()),
            },
            never_name,
        }
    }
}

/// The model of a folder.
struct OfFolder(Arc<ModelFolder>);

impl Recommender for OfFolder {
    grease_graph::as_it_is!(self => self.0.model);

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.0.model.score(user, profile, edits, out)
    }
}

impl From<ModelFolder> for Subject {
    fn from(folder: ModelFolder) -> Self {
        Self::Folder(Arc::new(folder))
    }
}

impl From<Foreign> for Subject {
    fn from(foreign: Foreign) -> Self {
        Self::Foreign(Box::new(foreign))
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("kind", &self.kind()).field("model", &self.model_hash()).finish()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use grease_graph::Graph;
    use grease_graph::doubles::CoNeighbours;

    use super::*;
    use grease_testing::folder;

    /// The small service, to be explained.
    pub(crate) fn subject() -> &'static Subject {
        static SUBJECT: std::sync::OnceLock<Subject> = std::sync::OnceLock::new();
        SUBJECT.get_or_init(|| folder().clone().into())
    }

    #[test]
    fn the_same_data_has_the_same_hash_whoever_recommends() {
        let folder = folder();
        let graph = Graph::new(folder.data.users.len(), folder.data.items.len(), &folder.data.train).unwrap();
        let other =
            Foreign::new(folder.data.clone(), Arc::new(CoNeighbours::new(graph)), "double", ["paths", "1"]);
        let other = Subject::from(other);
        assert_eq!(other.data_hash(), folder.data_hash());
        assert_ne!(other.model_hash(), folder.model_hash());
        assert!(other.folder().is_none());
    }
}
