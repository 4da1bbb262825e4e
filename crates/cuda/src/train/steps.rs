//! Training's steps on a card: one graph of kernels a step, the same for every step; what a step is about stands in memory, and a counter
//! on the card says which it is.

use std::ops::Range;
use std::sync::Arc;

use grease_graph::Graph;
use grease_models::Kind;
use grease_models::train::{Checkpoint, Steps, TrainError};

use crate::card::{Card, CardError};
use crate::ranking::{self, Ranker};
use crate::train::epochs::Epochs;
use crate::train::lightgcn::LightGcn;
use crate::train::network::Network;
use crate::train::ngcf::Ngcf;

/// Steps between two looks at whoever watches: tens of milliseconds on a large graph.
const AT_A_TIME: u64 = 32;

/// Takes a model's steps on a card.
pub struct CardSteps {
    card: Arc<Card>,
    epochs: Epochs,
    network: Box<dyn Network>,
    ranker: Ranker,
}

// SAFETY: a graph of kernels may be launched from any thread, by one at a time; `&mut self` sees to that.
unsafe impl Send for CardSteps {}

impl CardSteps {
    /// Brings graph, weights and moments to the card.
    pub fn new(card: Arc<Card>, graph: &Arc<Graph>, state: &Checkpoint) -> Result<Self, CardError> {
        card.need(bytes_needed(graph, state))?;
        let network: Box<dyn Network> = match state.options.kind {
            Kind::LightGcn => Box::new(LightGcn::new(&card, graph, state)?),
            Kind::Ngcf => Box::new(Ngcf::new(&card, graph, state)?),
            Kind::Frozen => return Err(CardError::Unable("frozen models are not trained".to_owned())),
        };
        Ok(Self {
            epochs: Epochs::new(&card, graph, state.options)?,
            network,
            ranker: Ranker::new(&card, graph.users())?,
            card,
        })
    }

    fn lists(&self, people: &[u32], k: usize) -> Result<Vec<Vec<u32>>, CardError> {
        let (topology, stride) = (self.network.topology(), self.network.output_stride());
        let mut embeddings = self.card.zeros(topology.nodes as usize * 4 * stride as usize)?;
        self.network.embed(&mut embeddings)?;
        self.ranker.best(topology, &embeddings, stride, people, k)
    }
}

/// Everything that will lie on the card.
fn bytes_needed(graph: &Graph, state: &Checkpoint) -> usize {
    let own = match state.options.kind {
        Kind::Ngcf => Ngcf::bytes_needed(graph, &state.options),
        _ => LightGcn::bytes_needed(graph, &state.options),
    };
    own + crate::train::batch::bytes_needed(graph, &state.options) + ranking::bytes_needed(graph.items())
}

fn failed(error: CardError) -> TrainError {
    TrainError::Device(error.to_string())
}

impl Steps for CardSteps {
    fn begin(&mut self, epoch: u64) -> Result<(), TrainError> {
        self.epochs.begin(&self.card, epoch).map_err(failed)
    }

    fn take(&mut self, state: &mut Checkpoint, batches: Range<u64>) -> Result<Vec<f64>, TrainError> {
        let Self { card, epochs, network, .. } = self;
        let (first, gain) = (state.position.step + 1, network.gain());
        epochs.take(card, first, &batches, gain, |planned| network.launch_step(planned)).map_err(failed)
    }

    fn at_a_time(&self) -> u64 {
        AT_A_TIME
    }

    fn settle(&mut self, state: &mut Checkpoint) -> Result<(), TrainError> {
        self.network.fetch(state).map_err(failed)
    }

    fn best(&mut self, people: &[u32], k: usize) -> Option<Result<Vec<Vec<u32>>, TrainError>> {
        (k <= ranking::LONGEST).then(|| self.lists(people, k).map_err(failed))
    }
}
