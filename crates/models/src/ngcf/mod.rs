//! NGCF: each layer mixes a node's neighbours with itself through two learned matrices; the layers, normalised, stand
//! side by side in the output. In one variant it is the normalised layers, too, that go on to the next.

mod closely;
mod estimate;
mod layer;
mod readout;
mod rescore;
pub(crate) mod training;
mod weighed;

use std::sync::{Arc, OnceLock};

use grease_graph::{
    Access, Closely, Edge, Edit, Embeddings, Graph, ItemId, Profile, Recommender, ScoreError, UserId,
    Weighed, check_request, check_weighed,
};

use crate::adjacency::{Adjacency, Scaled};
use crate::architecture::{Architecture, Kind, Variant};
use crate::halves::{Halves, Side};
use crate::ngcf::closely::Person;
use crate::ngcf::layer::{Inputs, Layer};
use crate::ngcf::rescore::Rooms;
use crate::weighed::{Asked, ByLayers};
use crate::weights::Weights;

/// A trained NGCF. Scores on an edited graph recompute only the rows the edit reaches.
#[derive(Debug, Clone)]
pub struct Ngcf {
    adjacency: Adjacency,
    layers: usize,
    variant: Variant,
    weights: Weights,
    /// Outputs of layers 1..=L on the unedited graph, as they go on to the next layer.
    hidden: OnceLock<Vec<Halves>>,
    output: OnceLock<Halves>,
    rooms: Rooms,
}

impl Ngcf {
    /// From weights whose shapes are known to be right.
    pub(crate) fn trained(graph: Arc<Graph>, architecture: Architecture, weights: Weights) -> Self {
        Self {
            adjacency: Adjacency::new(graph),
            layers: architecture.layers,
            variant: architecture.variant,
            weights,
            hidden: OnceLock::new(),
            output: OnceLock::new(),
            rooms: Rooms::default(),
        }
    }

    /// Kind and size.
    pub fn architecture(&self) -> Architecture {
        Architecture { variant: self.variant, ..Architecture::new(Kind::Ngcf, self.layers, self.dim()) }
    }

    /// The learned tensors.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Output embeddings of all users and items; computed when first asked for.
    pub fn output(&self) -> Embeddings<'_> {
        let width = self.architecture().output_width();
        let Halves { users, items } = self.output.get_or_init(|| {
            let graph = self.adjacency.graph();
            let mut out = Halves::zeros(graph.users(), graph.items(), width);
            for side in Side::BOTH {
                for l in 0..=self.layers {
                    let rows = self.layer_output(l, side).chunks_exact(self.dim());
                    readout::place(l, rows, l * self.dim(), width, out.side_mut(side));
                }
            }
            out
        });
        Embeddings { users, items, width }
    }

    fn dim(&self) -> usize {
        self.weights.0[0].shape[1]
    }

    /// What layer `l` gives on the unedited graph; layer 0 is the input table.
    fn layer_output(&self, l: usize, side: Side) -> &[f32] {
        match l {
            0 => self.weights.table(side),
            l => self.hidden()[l - 1].side(side),
        }
    }

    /// Rows of layer `l + 1`, from theirs of layer `l` and those of its aggregate.
    fn forward(&self, l: usize, h: &[f32], p: &[f32], out: &mut [f32]) {
        layer::forward(Layer::of(&self.weights, l), self.dim(), h, p, None, out);
        if self.variant == Variant::NormalisedLayers {
            readout::normalise(self.dim(), out);
        }
    }

    /// As [`Self::forward`], on this thread.
    fn forward_here(&self, l: usize, h: &[f32], p: &[f32], inputs: &mut Inputs, out: &mut [f32]) {
        layer::forward_here(Layer::of(&self.weights, l), self.dim(), h, p, inputs, out);
        if self.variant == Variant::NormalisedLayers {
            readout::normalise_here(self.dim(), out);
        }
    }

    fn hidden(&self) -> &[Halves] {
        self.hidden.get_or_init(|| {
            let (graph, dim) = (self.adjacency.graph(), self.dim());
            let zeros = || Halves::zeros(graph.users(), graph.items(), dim);
            let (mut scaled, mut p) = (zeros(), zeros());
            let mut hidden: Vec<Halves> = Vec::with_capacity(self.layers);
            for l in 0..self.layers {
                let input = |side| hidden.last().map_or(self.weights.table(side), |h: &Halves| h.side(side));
                self.adjacency.scale(input(Side::Users), input(Side::Items), dim, &mut scaled);
                self.adjacency.apply(Scaled::Once, None, &scaled, dim, &mut p);
                let mut out = zeros();
                for side in Side::BOTH {
                    self.forward(l, input(side), p.side(side), out.side_mut(side));
                }
                hidden.push(out);
            }
            hidden
        })
    }
}

impl Recommender for Ngcf {
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
        // From outside the pool: a thread of it that waits for help with the layers could take up another question, and then wait for itself.
        self.hidden();
        // From inside the pool: a thread outside it would go to sleep and be woken for each pass.
        rayon::scope(|_| self.rescore(user, profile, edits, out));
        Ok(())
    }

    /// An estimate: exact scores need rows all over the graph, whoever they are asked about.
    fn closely(&self, user: UserId, candidates: &[bool]) -> Option<Box<dyn Closely + '_>> {
        Some(Box::new(Person::new(self, user, candidates)))
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
        // As in `score`.
        self.hidden();
        Ok(Some(Box::new(ByLayers::new(self, &Asked { user, profile, edit, edges, items }))))
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
