//! Any of the models, where it does not matter which.

use std::sync::Arc;

use grease_graph::{
    Access, Closely, Edge, Edit, Embeddings, Graph, ItemId, Profile, Recommender, ScoreError, UserId,
    Weighed, Work,
};

use crate::architecture::{Architecture, Kind, Variant};
use crate::frozen::Frozen;
use crate::lightgcn::LightGcn;
use crate::ngcf::Ngcf;
use crate::stored::Stored;
use crate::weights::{Weights, WeightsError};

/// A LightGCN, an NGCF, or embeddings from elsewhere.
#[derive(Debug, Clone)]
pub enum Model {
    /// LightGCN.
    LightGcn(LightGcn),
    /// NGCF.
    Ngcf(Ngcf),
    /// Exported embeddings.
    Frozen(Frozen),
}

impl Model {
    /// A model from weights, checked: names, shapes, finite values, and a direction for every row whose cosine is asked for.
    pub fn new(
        architecture: Architecture,
        graph: Arc<Graph>,
        weights: Weights,
    ) -> Result<Self, WeightsError> {
        weights.check(&architecture.tensors(graph.users(), graph.items()))?;
        if architecture.variant == Variant::Cosine {
            weights.check_directions()?;
        }
        Ok(Self::trained(architecture, graph, weights))
    }

    /// A model from weights that are known to fit.
    pub(crate) fn trained(architecture: Architecture, graph: Arc<Graph>, weights: Weights) -> Self {
        match architecture.kind {
            Kind::LightGcn => Model::LightGcn(LightGcn::trained(graph, architecture.layers, weights)),
            Kind::Ngcf => Model::Ngcf(Ngcf::trained(graph, architecture, weights)),
            Kind::Frozen => Model::Frozen(Frozen::new(graph, architecture.variant, weights)),
        }
    }

    /// A model from weights that are known to fit, with what a store has of it besides; none where that does not fit.
    pub(crate) fn stored(
        architecture: Architecture,
        graph: Arc<Graph>,
        weights: Weights,
        file: &Stored,
    ) -> Option<Self> {
        match architecture.kind {
            Kind::LightGcn => {
                LightGcn::stored(graph, architecture.layers, weights, file).map(Model::LightGcn)
            }
            Kind::Ngcf | Kind::Frozen => Some(Self::trained(architecture, graph, weights)),
        }
    }

    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        match self {
            Model::LightGcn(m) => m.architecture(),
            Model::Ngcf(m) => m.architecture(),
            Model::Frozen(m) => m.architecture(),
        }
    }

    /// The learned tensors.
    pub fn weights(&self) -> &Weights {
        match self {
            Model::LightGcn(m) => m.weights(),
            Model::Ngcf(m) => m.weights(),
            Model::Frozen(m) => m.weights(),
        }
    }

    /// Output embeddings of all users and items; computed when first asked for.
    pub fn output(&self) -> Embeddings<'_> {
        match self {
            Model::LightGcn(m) => m.output(),
            Model::Ngcf(m) => m.output(),
            Model::Frozen(m) => m.output(),
        }
    }

    fn as_recommender(&self) -> &dyn Recommender {
        match self {
            Model::LightGcn(m) => m,
            Model::Ngcf(m) => m,
            Model::Frozen(m) => m,
        }
    }
}

impl Recommender for Model {
    fn graph(&self) -> &Graph {
        self.as_recommender().graph()
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.as_recommender().score(user, profile, edits, out)
    }

    fn score_each(&self, users: &[UserId], out: &mut [f32]) -> Result<(), ScoreError> {
        self.as_recommender().score_each(users, out)
    }

    fn closely(&self, user: UserId, candidates: &[bool]) -> Option<Box<dyn Closely + '_>> {
        self.as_recommender().closely(user, candidates)
    }

    fn weighed(
        &self,
        user: UserId,
        profile: Profile,
        edit: &Edit,
        edges: &[Edge],
        items: &[ItemId],
    ) -> Result<Option<Box<dyn Weighed + '_>>, ScoreError> {
        self.as_recommender().weighed(user, profile, edit, edges, items)
    }

    fn access(&self) -> Access {
        self.as_recommender().access()
    }

    fn repeats_itself(&self) -> bool {
        self.as_recommender().repeats_itself()
    }

    fn score_items(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        items: &[ItemId],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        self.as_recommender().score_items(user, profile, edits, items, out)
    }

    fn work(&self) -> Option<Work> {
        self.as_recommender().work()
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        Some(self.output())
    }

    fn input_features(&self) -> Option<Embeddings<'_>> {
        self.as_recommender().input_features()
    }
}
