//! How fast the margin rises with each edge's weight, at the graph as it is.

use grease_graph::ItemId;
use grease_kernels::dense::dot;

use super::anchored::{Anchored, times_transposed};

/// `d margin / d weight` of some edges: only those within two steps of the person, the item and the one on the threshold
/// have one that is not 0.
struct Slopes {
    hidden: usize,
    /// `dL/da`, then `dL/dz`, of the nodes that have one, `[reached, hidden]`.
    rows: Vec<f32>,
    /// Each node's place in `rows`, or `NONE`.
    place: Vec<u32>,
    reached: Vec<u32>,
}

/// A node whose output the margin depends on.
struct End<'a> {
    node: u32,
    mean: &'a [f32],
    /// Slope by its mean.
    by_mean: Vec<f32>,
    /// Slope by its own first layer.
    by_own: Vec<f32>,
}

const NONE: u32 = u32::MAX;

impl Anchored<'_> {
    /// For each of `edges`, how fast the margin of `item` (its score minus the k-th best of the other contenders) rises
    /// with the edge's weight. Zeros where `item` does not contend.
    ///
    /// With `o` the outputs, `D = max(edges left, 1)` and `m` the mean at a node, an edge to `c` adds
    /// `(dm . a_c - dm . m) / D` at its node in the second layer and the same with what `c` sends in the first; the term
    /// `dm . m`, which comes from the degree, is there only where the degree moves `D`: for an edge to be put back where at
    /// least one is left, for an edge to be taken away where more than one is. So each slope is that of the only way the
    /// edge can go, and a node without edges has slopes too.
    ///
    /// Linear in the edges of the person, the item and the threshold's item, plus two products of `hidden` for each of
    /// `edges` near them.
    pub(crate) fn slopes(&mut self, item: ItemId, k: usize, edges: &[u32]) -> Vec<f32> {
        self.update();
        let threshold = |at| self.threshold(at, k);
        self.slot_of(item)
            .map_or_else(|| vec![0.0; edges.len()], |at| self.slopes_above(at, threshold(at), edges))
    }

    /// The same of the sum of `factors[at] * score[at]` over the contenders.
    pub(crate) fn slopes_of_sum(&mut self, factors: &[f32], edges: &[u32]) -> Vec<f32> {
        self.update();
        let some: Vec<(usize, f32)> =
            factors.iter().copied().enumerate().filter(|&(_, factor)| factor != 0.0).collect();
        self.slopes_of(&some, edges)
    }

    /// The same of the item's score by itself.
    pub(crate) fn score_slopes(&mut self, item: ItemId, edges: &[u32]) -> Vec<f32> {
        self.update();
        self.slot_of(item).map_or_else(|| vec![0.0; edges.len()], |at| self.slopes_above(at, None, edges))
    }

    /// Of a contender's score less that of another, where there is one.
    fn slopes_above(&self, at: usize, threshold: Option<usize>, edges: &[u32]) -> Vec<f32> {
        let both: Vec<(usize, f32)> =
            std::iter::once((at, 1.0)).chain(threshold.map(|at| (at, -1.0))).collect();
        self.slopes_of(&both, edges)
    }

    fn slopes_of(&self, contenders: &[(usize, f32)], edges: &[u32]) -> Vec<f32> {
        let ends = self.ends(contenders);
        let hidden = self.layer.hidden;
        let mut slopes = Slopes::new(hidden, self.inputs.nodes());
        for end in &ends {
            slopes.add(end.node, 1.0, &end.by_own);
            let share = 1.0 / self.degree[end.node as usize].max(1) as f32;
            for (edge, other) in self.inputs.edges_of(end.node) {
                if self.present[edge as usize] {
                    slopes.add(other, share, &end.by_mean);
                }
            }
        }
        slopes.through_relu(&self.layer.a);
        // What each node's degree takes back, first and second layer.
        let first: Vec<f32> = slopes
            .reached
            .iter()
            .zip(slopes.rows.chunks_exact(hidden))
            .map(|(&node, row)| dot(row, self.received(node)))
            .collect();
        let second: Vec<f32> = ends.iter().map(|end| dot(&end.by_mean, end.mean)).collect();
        let unit = self.inputs.shown.score_unit();
        let slope = |&edge: &u32| {
            let (user, item) = self.inputs.ends(edge);
            let present = self.present[edge as usize];
            let mut slope = 0.0;
            for (node, other) in [(user, item), (item, user)] {
                let degree = self.degree[node as usize];
                let moves = if present { degree > 1 } else { degree > 0 };
                let mut add = |message: f32, taken_back: f32| {
                    slope += (message - if moves { taken_back } else { 0.0 }) / degree.max(1) as f32;
                };
                if let Some(row) = slopes.row(node) {
                    let at = slopes.place[node as usize] as usize;
                    add(dot(row, self.sent(other)), first[at]);
                }
                for (end, &taken_back) in ends.iter().zip(&second).filter(|(end, _)| end.node == node) {
                    add(dot(&end.by_mean, self.row(other)), taken_back);
                }
            }
            unit * slope
        };
        edges.iter().map(slope).collect()
    }

    /// The person and some contenders, each by its place and how much its score counts, as far as they are in the neighbourhood.
    fn ends(&self, contenders: &[(usize, f32)]) -> Vec<End<'_>> {
        let second = &self.surrogate.weights.second;
        let mut by_person = vec![0f32; self.person_output.len()];
        for &(at, factor) in contenders {
            by_person.iter_mut().zip(self.output_of(at)).for_each(|(by, o)| *by += factor * o);
        }
        let mut ends = vec![End {
            node: self.inputs.neighbourhood.person(),
            mean: &self.person_mean,
            by_mean: times_transposed(&by_person, &second.to_users),
            by_own: times_transposed(&by_person, &second.own),
        }];
        let hidden = self.layer.hidden;
        for &(at, factor) in contenders {
            let Some(node) = self.contenders[at].node else { continue };
            let by_output: Vec<f32> = self.person_output.iter().map(|v| factor * v).collect();
            ends.push(End {
                node,
                mean: &self.means[at * hidden..][..hidden],
                by_mean: times_transposed(&by_output, &second.to_items),
                by_own: times_transposed(&by_output, &second.own),
            });
        }
        ends
    }

    fn received(&self, node: u32) -> &[f32] {
        &self.layer.received[node as usize * self.layer.hidden..][..self.layer.hidden]
    }

    fn sent(&self, node: u32) -> &[f32] {
        &self.layer.sent[node as usize * self.layer.hidden..][..self.layer.hidden]
    }
}

impl Slopes {
    fn new(hidden: usize, nodes: usize) -> Self {
        Self { hidden, rows: Vec::new(), place: vec![NONE; nodes], reached: Vec::new() }
    }

    fn add(&mut self, node: u32, factor: f32, vector: &[f32]) {
        if self.place[node as usize] == NONE {
            self.place[node as usize] = self.reached.len() as u32;
            self.reached.push(node);
            self.rows.resize(self.rows.len() + self.hidden, 0.0);
        }
        let row = &mut self.rows[self.place[node as usize] as usize * self.hidden..][..self.hidden];
        row.iter_mut().zip(vector).for_each(|(row, v)| *row += factor * v);
    }

    fn through_relu(&mut self, a: &[f32]) {
        for (&node, row) in self.reached.iter().zip(self.rows.chunks_exact_mut(self.hidden)) {
            let a = &a[node as usize * self.hidden..][..self.hidden];
            row.iter_mut().zip(a).for_each(|(row, &a)| *row = if a > 0.0 { *row } else { 0.0 });
        }
    }

    fn row(&self, node: u32) -> Option<&[f32]> {
        let place = self.place[node as usize];
        (place != NONE).then(|| &self.rows[place as usize * self.hidden..][..self.hidden])
    }
}
