//! A surrogate's first layer on the whole neighbourhood, computed once and shared by all searches.

use grease_kernels::dense::matmul;
use grease_kernels::vectorise;

use super::fit::Surrogate;
use super::inputs::Inputs;

/// The first layer of every node on the unedited graph; all tables are `[nodes, hidden]`.
#[derive(Debug, Clone)]
pub(crate) struct Activations {
    pub(crate) hidden: usize,
    /// What a node sends to its neighbours.
    pub(crate) sent: Vec<f32>,
    /// What a node gives itself.
    pub(crate) own: Vec<f32>,
    /// Mean of what its neighbours send.
    pub(crate) received: Vec<f32>,
    /// `ReLU(received + own)`.
    pub(crate) a: Vec<f32>,
}

impl Surrogate {
    /// The first layer of every node: `4 n f h + 2 e h` flops.
    pub(crate) fn on(&self, inputs: &Inputs<'_>) -> Activations {
        let weights = &self.weights;
        let (features, hidden) = (weights.features, weights.hidden);
        let users = inputs.neighbourhood.users().len();
        let table = || vec![0f32; inputs.nodes() * hidden];
        let (mut sent, mut own) = (table(), table());
        matmul(&inputs.features, &weights.first.own, features, hidden, &mut own, false);
        let (of_users, of_items) = inputs.features.split_at(users * features);
        let (by_users, by_items) = sent.split_at_mut(users * hidden);
        matmul(of_users, &weights.first.to_items, features, hidden, by_users, false);
        matmul(of_items, &weights.first.to_users, features, hidden, by_items, false);
        let mut activations = Activations { hidden, sent, own, received: table(), a: table() };
        vectorise(|| (0..inputs.nodes() as u32).for_each(|node| activations.refresh(inputs, node, |_| true)));
        activations
    }
}

impl Activations {
    /// Computes one node's first layer anew, from the edges that are `present`.
    #[inline]
    pub(crate) fn refresh(&mut self, inputs: &Inputs<'_>, node: u32, present: impl Fn(u32) -> bool) {
        let hidden = self.hidden;
        let at = node as usize * hidden;
        let received = &mut self.received[at..at + hidden];
        mean_of(inputs, node, &self.sent, hidden, present, received);
        let own = &self.own[at..at + hidden];
        let a = &mut self.a[at..at + hidden];
        a.iter_mut().zip(received.iter()).zip(own).for_each(|((a, r), o)| *a = (r + o).max(0.0));
    }
}

/// The mean of the neighbours' rows of `table` over the edges that are `present`; zeros without any. Returns their number.
#[inline]
pub(crate) fn mean_of(
    inputs: &Inputs<'_>,
    node: u32,
    table: &[f32],
    hidden: usize,
    present: impl Fn(u32) -> bool,
    out: &mut [f32],
) -> usize {
    out.fill(0.0);
    let mut count = 0usize;
    for (edge, other) in inputs.edges_of(node) {
        if present(edge) {
            let row = &table[other as usize * hidden..][..hidden];
            out.iter_mut().zip(row).for_each(|(out, v)| *out += v);
            count += 1;
        }
    }
    let scale = 1.0 / count.max(1) as f32;
    out.iter_mut().for_each(|v| *v *= scale);
    count
}
