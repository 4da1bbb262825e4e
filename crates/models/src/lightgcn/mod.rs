//! LightGCN: embeddings propagated over the graph and nothing else; the mean of layers 0..=L is the output.

mod local;
mod propagate;
mod rescore;
mod stored;
pub(crate) mod training;
mod weighed;
mod work;

use std::sync::{Arc, OnceLock};

use grease_graph::{
    Access, Closely, Edge, Edit, Embeddings, Graph, ItemId, Profile, Recommender, ScoreError, UserId,
    Weighed, Work, check_chosen, check_each, check_request, check_weighed, score_items_of_all,
};

use crate::adjacency::Adjacency;
use crate::architecture::{Architecture, Kind};
use crate::halves::{Halves, Outputs};
use crate::lightgcn::local::{ByOwn, Local, Spare, Tables};
use crate::lightgcn::work::Counters;
use crate::weighed::{Asked, ByLayers};
use crate::weights::Weights;

/// A trained LightGCN. Scores for one user on an edited graph are exact and need no d-dimensional propagation.
#[derive(Debug, Clone)]
pub struct LightGcn {
    adjacency: Adjacency,
    layers: usize,
    weights: Weights,
    output: OnceLock<Outputs>,
    /// Rows of layers 1..=L on the unedited graph, where weights of interactions are asked about.
    layer_rows: OnceLock<Vec<Halves>>,
    /// What local answers need.
    tables: OnceLock<Box<Tables>>,
    spare: Spare,
    work: Counters,
}

impl LightGcn {
    /// From weights whose shapes are known to be right.
    pub(crate) fn trained(graph: Arc<Graph>, layers: usize, weights: Weights) -> Self {
        Self {
            adjacency: Adjacency::new(graph),
            layers,
            weights,
            output: OnceLock::new(),
            layer_rows: OnceLock::new(),
            tables: OnceLock::new(),
            spare: Spare::default(),
            work: Counters::default(),
        }
    }

    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        Architecture::new(Kind::LightGcn, self.layers, self.dim())
    }

    /// The learned tables.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Output embeddings of all users and items; propagated when first asked for.
    pub fn output(&self) -> Embeddings<'_> {
        // Not by `get_or_init`: a thread of the pool that waits for a part of this may take up another question meanwhile,
        // and would wait for itself. Two that come first at the same time both propagate, to the same bytes.
        let Outputs { users, items } = match self.output.get() {
            Some(output) => output,
            None => {
                let output = self.propagate().into();
                self.output.get_or_init(|| output)
            }
        };
        Embeddings { users, items, width: self.dim() }
    }

    /// What local answers need; made when first asked for, as [`output`](Self::output).
    fn tables(&self) -> &Tables {
        match self.tables.get() {
            Some(tables) => tables,
            None => {
                let tables = Box::new(Tables::of(self));
                self.tables.get_or_init(|| tables)
            }
        }
    }

    /// Rows of layers 1..=L on the unedited graph; propagated when first asked for, as [`output`](Self::output).
    fn layer_rows(&self) -> &[Halves] {
        match self.layer_rows.get() {
            Some(rows) => rows,
            None => {
                let mut rows = Vec::new();
                self.each_layer(self.layers, |layer| rows.push(layer.clone()));
                self.layer_rows.get_or_init(|| rows)
            }
        }
    }

    /// Scores by weights of any interactions.
    pub(crate) fn by_layers(&self, asked: &Asked<'_>) -> ByLayers<'_> {
        // Not in the middle of an answer, as in `output`.
        self.layer_rows();
        ByLayers::new(self, asked)
    }

    fn dim(&self) -> usize {
        self.weights.0[0].shape[1]
    }
}

impl Recommender for LightGcn {
    fn graph(&self) -> &Graph {
        self.adjacency.graph()
    }

    fn repeats_itself(&self) -> bool {
        true
    }

    fn score(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_request(self.graph(), user, edits, out)?;
        self.rescore_whole(user, profile, edits, out);
        Ok(())
    }

    fn score_each(&self, users: &[UserId], out: &mut [f32]) -> Result<(), ScoreError> {
        check_each(self.graph(), users, out)?;
        self.score_each_as_it_is(users, out);
        Ok(())
    }

    fn closely(&self, user: UserId, candidates: &[bool]) -> Option<Box<dyn Closely + '_>> {
        let is_possible =
            self.is_local() && user <= self.graph().newcomer() && candidates.len() == self.graph().items();
        is_possible.then(|| Box::new(Local::new(self, user, candidates)) as Box<dyn Closely>)
    }

    fn score_items(
        &self,
        user: UserId,
        profile: Profile,
        edits: &[Edit],
        items: &[ItemId],
        out: &mut [f32],
    ) -> Result<(), ScoreError> {
        check_chosen(self.graph(), edits, items, out)?;
        let Some(mut close) = self.closely(user, &vec![false; self.graph().items()]) else {
            return score_items_of_all(self, user, profile, edits, items, out);
        };
        let panel = close.choose(&items.iter().map(|item| item.0).collect::<Vec<_>>())?;
        for (edit, out) in edits.iter().zip(out.chunks_exact_mut(items.len().max(1))) {
            close.score(profile, edit, panel, out)?;
        }
        Ok(())
    }

    fn weighed(
        &self,
        user: UserId,
        profile: Profile,
        edit: &Edit,
        edges: &[Edge],
        items: &[ItemId],
    ) -> Result<Option<Box<dyn Weighed + '_>>, ScoreError> {
        check_weighed(self.graph(), user, edit, edges, items)?;
        let asked = Asked { user, profile, edit, edges, items };
        Ok(Some(match ByOwn::new(self, &asked) {
            Some(by_own) => Box::new(by_own),
            None => Box::new(self.by_layers(&asked)),
        }))
    }

    fn work(&self) -> Option<Work> {
        Some(self.work.so_far())
    }

    fn access(&self) -> Access {
        Access::Native
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        Some(self.output())
    }

    fn input_features(&self) -> Option<Embeddings<'_>> {
        Some(Embeddings { users: self.weights.users(), items: self.weights.items(), width: self.dim() })
    }
}
