//! Some of the surrogate's outputs, on the unedited graph and on edited ones, as one small computation.
//!
//! A node on a graph that an edit does not touch near it is the node on the unedited graph, so edited graphs cost only
//! the rows they change:
//!
//! ```text
//! a = ReLU(mean W_r + x W_0)      one row for each (node, graph) some output needs
//! o = (mean of a) V_r + a V_0     one row for each output
//! ```
//!
//! `W_r`, `V_r` differ between users and items; users come first everywhere.

use grease_kernels::dense::{matmul, matmul_transposed, transposed_matmul};
use grease_kernels::{Csr, Spmm};

use super::inputs::Inputs;
use super::weights::Weights;

/// Index of an edited graph among [`Graphs`]; 0 is the unedited one.
pub(super) type State = u32;

/// Edited graphs, each by the local edges absent from it; the first is the unedited one.
pub(super) struct Graphs {
    absent: Vec<Vec<u32>>,
    /// The nodes at the ends of those edges, ascending.
    touched: Vec<Vec<u32>>,
}

impl Graphs {
    pub(super) fn new() -> Self {
        Self { absent: vec![Vec::new()], touched: vec![Vec::new()] }
    }

    /// Number of the graph without these edges (ascending).
    pub(super) fn add(&mut self, inputs: &Inputs<'_>, absent: &[u32]) -> State {
        if let Some(known) = self.absent.iter().position(|known| known == absent) {
            return known as State;
        }
        let ends = absent.iter().map(|&edge| inputs.ends(edge));
        let mut touched: Vec<u32> = ends.flat_map(|(user, item)| [user, item]).collect();
        touched.sort_unstable();
        touched.dedup();
        self.absent.push(absent.to_vec());
        self.touched.push(touched);
        self.absent.len() as State - 1
    }

    fn lacks(&self, state: State, edge: u32) -> bool {
        self.absent[state as usize].binary_search(&edge).is_ok()
    }

    /// The state in which a node's first layer is to be computed.
    fn of_first_layer(&self, node: u32, state: State) -> State {
        if self.touched[state as usize].binary_search(&node).is_ok() { state } else { 0 }
    }

    /// The state in which a node's output is to be computed: the unedited one unless it or a neighbour is touched.
    pub(super) fn of_output(&self, inputs: &Inputs<'_>, node: u32, state: State) -> State {
        let touched = &self.touched[state as usize];
        let near = touched.binary_search(&node).is_ok()
            || (!touched.is_empty()
                && inputs.edges_of(node).any(|(_, other)| touched.binary_search(&other).is_ok()));
        if near { state } else { 0 }
    }

    /// The edges of a node in a state, with the nodes at the other ends.
    fn edges_of<'g>(
        &'g self,
        inputs: &'g Inputs<'_>,
        node: u32,
        state: State,
    ) -> impl Iterator<Item = (u32, u32)> + 'g {
        inputs.edges_of(node).filter(move |&(edge, _)| !self.lacks(state, edge))
    }
}

/// Some outputs, ready to be computed for any weights.
pub(super) struct Batch {
    /// What the rows of the output are.
    rows: Vec<(u32, State)>,
    /// Rows of the first layer that are users.
    users_1: usize,
    means_1: Vec<f32>,
    own_1: Vec<f32>,
    /// Rows of the second layer that are users.
    users_2: usize,
    gather: Csr,
    gather_weights: Vec<f32>,
    scatter: Csr,
    scatter_weights: Vec<f32>,
    /// For each output its own row of the first layer.
    own_2: Vec<u32>,
}

/// Where the entries of the first layer stand: unedited ones are marked, edited ones (few) listed.
struct Places {
    /// Ascending.
    entries: Vec<(u32, State)>,
    edited: Vec<(u32, State)>,
    place: Vec<u32>,
    place_edited: Vec<u32>,
}

impl Places {
    /// `needed` may repeat.
    fn new(nodes: usize, needed: impl Iterator<Item = (u32, State)>) -> Self {
        let mut unedited = vec![false; nodes];
        let mut edited: Vec<(u32, State)> = Vec::new();
        for (node, state) in needed {
            match state {
                0 => unedited[node as usize] = true,
                _ => edited.push((node, state)),
            }
        }
        edited.sort_unstable();
        edited.dedup();
        let marked = (0..nodes as u32).filter(|&node| unedited[node as usize]).map(|node| (node, 0));
        let mut entries: Vec<(u32, State)> = marked.chain(edited.iter().copied()).collect();
        entries.sort_unstable();
        let mut place = vec![u32::MAX; nodes];
        let mut place_edited = vec![0u32; edited.len()];
        for (at, entry) in entries.iter().enumerate() {
            match edited.binary_search(entry) {
                Ok(known) => place_edited[known] = at as u32,
                Err(_) => place[entry.0 as usize] = at as u32,
            }
        }
        Self { entries, edited, place, place_edited }
    }

    fn of(&self, entry: (u32, State)) -> u32 {
        match self.edited.binary_search(&entry) {
            Ok(at) if entry.1 != 0 => self.place_edited[at],
            _ => self.place[entry.0 as usize],
        }
    }
}

/// What a backward pass needs of the forward one.
pub(super) struct Tape {
    a: Vec<f32>,
    means_2: Vec<f32>,
    own_2: Vec<f32>,
    /// The outputs.
    pub(super) out: Vec<f32>,
}

impl Batch {
    /// `rows` may repeat.
    pub(super) fn new(inputs: &Inputs<'_>, graphs: &Graphs, mut rows: Vec<(u32, State)>) -> Self {
        rows.sort_unstable();
        rows.dedup();
        let users = inputs.neighbourhood.users().len() as u32;
        let first = |node, state| (node, graphs.of_first_layer(node, state));
        let needed = rows.iter().flat_map(|&(node, state)| {
            let others = graphs.edges_of(inputs, node, state).map(move |(_, other)| other);
            std::iter::once(node).chain(others).map(move |node| first(node, state))
        });
        let places = Places::new(inputs.nodes(), needed);
        let entries = &places.entries;
        let mut offsets = vec![0];
        let (mut indices, mut gather_weights) = (Vec::new(), Vec::new());
        for &(node, state) in &rows {
            let start = indices.len();
            let others = graphs.edges_of(inputs, node, state);
            indices.extend(others.map(|(_, other)| places.of(first(other, state))));
            let count = indices.len() - start;
            gather_weights.extend(std::iter::repeat_n(1.0 / count.max(1) as f32, count));
            offsets.push(indices.len());
        }
        let gather = Csr::new(entries.len(), offsets, indices).expect("places exist");
        let (scatter, order) = gather.transpose();
        let width = inputs.shown.feature_width();
        let (mut means_1, mut own_1) = (Vec::new(), Vec::new());
        for &(node, state) in entries {
            own_1.extend_from_slice(&inputs.features[node as usize * width..][..width]);
            match state {
                0 => means_1.extend_from_slice(&inputs.means[node as usize * width..][..width]),
                _ => means_1.extend(mean_feature(inputs, graphs, node, state)),
            }
        }
        Self {
            users_1: entries.partition_point(|&(node, _)| node < users),
            users_2: rows.partition_point(|&(node, _)| node < users),
            own_2: rows.iter().map(|&(node, state)| places.of(first(node, state))).collect(),
            scatter_weights: order.iter().map(|&edge| gather_weights[edge as usize]).collect(),
            rows,
            means_1,
            own_1,
            gather,
            gather_weights,
            scatter,
        }
    }

    /// The row of the output that is this node in this state.
    pub(super) fn row(&self, node: u32, state: State) -> usize {
        self.rows.binary_search(&(node, state)).expect("an output the batch was made for")
    }

    /// What the rows are.
    pub(super) fn rows(&self) -> &[(u32, State)] {
        &self.rows
    }

    /// All outputs.
    pub(super) fn forward(&self, weights: &Weights) -> Tape {
        let Weights { features, hidden, width, first, second } = weights;
        let (features, hidden, width) = (*features, *hidden, *width);
        let entries = self.gather.cols();
        let mut a = vec![0f32; entries * hidden];
        matmul(&self.own_1, &first.own, features, hidden, &mut a, false);
        let (to_users, to_items) = a.split_at_mut(self.users_1 * hidden);
        let (of_users, of_items) = self.means_1.split_at(self.users_1 * features);
        matmul(of_users, &first.to_users, features, hidden, to_users, true);
        matmul(of_items, &first.to_items, features, hidden, to_items, true);
        a.iter_mut().for_each(|v| *v = v.max(0.0));

        let mut means_2 = vec![0f32; self.rows.len() * hidden];
        Spmm::new(&self.gather).weights(&self.gather_weights).apply(&a, hidden, &mut means_2);
        let mut own_2 = Vec::with_capacity(self.rows.len() * hidden);
        self.own_2.iter().for_each(|&at| own_2.extend_from_slice(&a[at as usize * hidden..][..hidden]));
        let mut out = vec![0f32; self.rows.len() * width];
        matmul(&own_2, &second.own, hidden, width, &mut out, false);
        let (to_users, to_items) = out.split_at_mut(self.users_2 * width);
        let (of_users, of_items) = means_2.split_at(self.users_2 * hidden);
        matmul(of_users, &second.to_users, hidden, width, to_users, true);
        matmul(of_items, &second.to_items, hidden, width, to_items, true);
        Tape { a, means_2, own_2, out }
    }

    /// From `dL/d out` to `dL/d weights`:
    ///
    /// ```text
    /// dV_0 = a^T do     dV_r = mean^T do     da = own rows of (do V_0^T) + mean^T of (do V_r^T)
    /// dz = da where a > 0     dW_0 = x^T dz     dW_r = (mean x)^T dz
    /// ```
    pub(super) fn backward(&self, weights: &Weights, tape: &Tape, grad: &[f32], out: &mut Weights) {
        let Weights { features, hidden, width, second, .. } = weights;
        let (features, hidden, width) = (*features, *hidden, *width);
        let (of_users, of_items) = grad.split_at(self.users_2 * width);
        let (mean_users, mean_items) = tape.means_2.split_at(self.users_2 * hidden);
        transposed_matmul(&tape.own_2, grad, hidden, width, &mut out.second.own);
        transposed_matmul(mean_users, of_users, hidden, width, &mut out.second.to_users);
        transposed_matmul(mean_items, of_items, hidden, width, &mut out.second.to_items);

        let mut by_mean = vec![0f32; self.rows.len() * hidden];
        let (by_users, by_items) = by_mean.split_at_mut(self.users_2 * hidden);
        matmul_transposed(of_users, &second.to_users, width, hidden, by_users, false);
        matmul_transposed(of_items, &second.to_items, width, hidden, by_items, false);
        let mut by_a = vec![0f32; tape.a.len()];
        Spmm::new(&self.scatter).weights(&self.scatter_weights).apply(&by_mean, hidden, &mut by_a);
        let by_own = &mut by_mean;
        matmul_transposed(grad, &second.own, width, hidden, by_own, false);
        for (&at, by_own) in self.own_2.iter().zip(by_own.chunks_exact(hidden)) {
            let by_a = &mut by_a[at as usize * hidden..][..hidden];
            by_a.iter_mut().zip(by_own).for_each(|(a, own)| *a += own);
        }
        by_a.iter_mut().zip(&tape.a).for_each(|(by, &a)| *by = if a > 0.0 { *by } else { 0.0 });

        let (of_users, of_items) = by_a.split_at(self.users_1 * hidden);
        let (mean_users, mean_items) = self.means_1.split_at(self.users_1 * features);
        transposed_matmul(&self.own_1, &by_a, features, hidden, &mut out.first.own);
        transposed_matmul(mean_users, of_users, features, hidden, &mut out.first.to_users);
        transposed_matmul(mean_items, of_items, features, hidden, &mut out.first.to_items);
    }
}

/// The mean feature of a node's neighbours on an edited graph.
fn mean_feature(inputs: &Inputs<'_>, graphs: &Graphs, node: u32, state: State) -> Vec<f32> {
    let width = inputs.shown.feature_width();
    let mut sum = vec![0f32; width];
    let mut count = 0usize;
    for (_, other) in graphs.edges_of(inputs, node, state) {
        let feature = &inputs.features[other as usize * width..][..width];
        sum.iter_mut().zip(feature).for_each(|(sum, v)| *sum += v);
        count += 1;
    }
    let scale = 1.0 / count.max(1) as f32;
    sum.iter_mut().for_each(|v| *v *= scale);
    sum
}
