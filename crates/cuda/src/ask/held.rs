//! A model as a card has it.

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr as _, DeviceRepr};
use grease_graph::{Graph, UserId};
use grease_models::{Architecture, Kind, Variant, Weights};

use crate::ask::desk::{Call, Kernels, Launcher};
use crate::card::{Card, CardError};
use crate::padding::pad;

/// A byte a row says in which layers it is reached, and one bit of it is taken.
pub(super) const MOST_LAYERS: usize = 6;
/// A block keeps sixteen rows at least in the memory it shares.
pub(super) const WIDEST: usize = 256;

/// What kernels read of a model; `Held` in kernels/ask.cu is the same.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    ptr: u64,
    cols: u64,
    roots: u64,
    base: [u64; MOST_LAYERS + 1],
    w1: [u64; MOST_LAYERS],
    w2: [u64; MOST_LAYERS],
    bias: [u64; MOST_LAYERS],
    pub(super) users: u32,
    pub(super) nodes: u32,
    pub(super) stride: u32,
    pub(super) layers: u32,
    normalised: u32,
    unused: u32,
}

// SAFETY: addresses and numbers in C's order.
unsafe impl DeviceRepr for Held {}

/// A model on a card: the graph with a place for somebody new, every layer's rows on the unedited graph, and what was learned.
pub(super) struct Model {
    pub(super) held: Held,
    pub(super) items: usize,
    /// What `held` points to.
    _numbers: Vec<CudaSlice<u32>>,
    _values: Vec<CudaSlice<f32>>,
}

impl Model {
    /// Whether cards can be asked about such a model at all.
    pub(super) fn check(architecture: &Architecture) -> Result<(), CardError> {
        let Architecture { kind, layers, dim, .. } = *architecture;
        if kind != Kind::Ngcf {
            return Err(CardError::Unable(format!("{kind} is not asked on cards")));
        }
        if layers > MOST_LAYERS || dim > WIDEST {
            return Err(CardError::Unable(format!(
                "a model of {layers} layers and width {dim} is not asked on cards: {MOST_LAYERS} and {WIDEST} are the most"
            )));
        }
        Ok(())
    }

    /// Bytes it takes.
    pub(super) fn bytes(graph: &Graph, architecture: &Architecture) -> usize {
        let nodes = graph.users() + 1 + graph.items();
        let row = architecture.dim.div_ceil(4) * 16;
        4 * (2 * graph.len() + 2 * nodes) + row * (nodes + 8 * architecture.dim) * (architecture.layers + 1)
    }

    /// Brings it there, and computes all layers.
    pub(super) fn new(
        card: &Card,
        graph: &Graph,
        architecture: Architecture,
        weights: &Weights,
        kernels: &Kernels,
    ) -> Result<Self, CardError> {
        let Architecture { layers, dim, variant, .. } = architecture;
        let (nodes, stride) = (graph.users() + 1 + graph.items(), dim.div_ceil(4));
        let (offsets, neighbours, roots) = neighbours(graph);
        let numbers = vec![card.upload(&offsets)?, card.upload(&neighbours)?];
        let mut values = vec![card.upload(&roots)?];
        let mut table = weights.users().to_vec();
        table.extend(std::iter::repeat_n(0.0, dim));
        table.extend(weights.items());
        values.push(card.upload(&pad(&table, dim, stride * 4))?);
        for _ in 0..layers {
            values.push(card.zeros(nodes * stride * 4)?);
        }
        for learned in weights.0[2..].chunks_exact(4) {
            let square = |data: &[f32]| -> Vec<f32> {
                let mut square = pad(data, dim, stride * 4);
                square.resize(stride * 4 * stride * 4, 0.0);
                square
            };
            let bias: Vec<f32> = learned[1].data.iter().zip(&learned[3].data).map(|(a, b)| a + b).collect();
            values.push(card.upload(&square(&learned[0].data))?);
            values.push(card.upload(&square(&learned[2].data))?);
            values.push(card.upload(&pad(&bias, dim, stride * 4))?);
        }
        let mut held = Held {
            ptr: address(&numbers[0], &card.stream),
            cols: address(&numbers[1], &card.stream),
            roots: address(&values[0], &card.stream),
            base: [0; MOST_LAYERS + 1],
            w1: [0; MOST_LAYERS],
            w2: [0; MOST_LAYERS],
            bias: [0; MOST_LAYERS],
            users: graph.users() as u32,
            nodes: nodes as u32,
            stride: stride as u32,
            layers: layers as u32,
            normalised: u32::from(variant == Variant::NormalisedLayers),
            unused: 0,
        };
        let at = |index: usize| address(&values[index], &card.stream);
        (0..=layers).for_each(|layer| held.base[layer] = at(1 + layer));
        for layer in 0..layers {
            let first = 2 + layers + 3 * layer;
            (held.w1[layer], held.w2[layer], held.bias[layer]) = (at(first), at(first + 1), at(first + 2));
        }
        let model = Self { held, items: graph.items(), _numbers: numbers, _values: values };
        model.compute(card, kernels)?;
        Ok(model)
    }

    /// Every layer's rows on the unedited graph: an edit of nothing that reaches everybody.
    fn compute(&self, card: &Card, kernels: &Kernels) -> Result<(), CardError> {
        let nodes = self.held.nodes;
        let everybody: Vec<u32> = (0..nodes).collect();
        let list = card.upload(&everybody)?;
        let count = card.upload(&[nodes])?;
        let marks = card.zeros::<u32>(nodes.div_ceil(4) as usize)?;
        let call = Call::of_nothing(address(&marks, &card.stream));
        let launcher = Launcher { stream: &card.stream, kernels, held: &self.held };
        for layer in 0..self.held.layers {
            launcher.layer(&call, layer, &list, &count.as_view(), self.held.base[layer as usize + 1])?;
        }
        // Other streams read it from now on.
        Ok(card.stream.synchronize()?)
    }

    /// The node of a person; somebody new has one, too.
    pub(super) fn person(&self, user: UserId) -> u32 {
        user.0
    }
}

/// Where it lies on the card.
pub(super) fn address<T>(slice: &CudaSlice<T>, stream: &Arc<CudaStream>) -> u64 {
    slice.device_ptr(stream).0
}

/// Offsets, neighbours and `1 / sqrt(degree)` of all nodes: people, somebody new, items.
fn neighbours(graph: &Graph) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
    let (users, items) = (graph.users(), graph.items());
    let mut offsets = Vec::with_capacity(users + items + 2);
    let mut neighbours = Vec::with_capacity(2 * graph.len());
    offsets.push(0);
    for user in 0..users {
        neighbours.extend(graph.by_user().row(user).iter().map(|&item| item_node(users, item)));
        offsets.push(neighbours.len() as u32);
    }
    offsets.push(neighbours.len() as u32);
    for item in 0..items {
        neighbours.extend(graph.by_item().row(item));
        offsets.push(neighbours.len() as u32);
    }
    let root = |ends: &[u32]| match ends[1] - ends[0] {
        0 => 0.0,
        degree => 1.0 / (degree as f32).sqrt(),
    };
    let roots = offsets.windows(2).map(root).collect();
    (offsets, neighbours, roots)
}

/// The node of an item, behind people and somebody new.
pub(super) fn item_node(users: usize, item: u32) -> u32 {
    users as u32 + 1 + item
}
