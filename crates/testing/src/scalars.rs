//! One person's scores by a LightGCN after an edit, in double precision, by numbers that walk over the edited graph: slow, plain, and
//! quick enough for thousands of claims on graphs of a million interactions.

use grease_graph::{Edit, Graph, Profile, UserId};

/// A LightGCN: its graph and its tables.
pub struct Scalars<'a> {
    pub graph: &'a Graph,
    pub layers: usize,
    pub dim: usize,
    /// `[users, dim]` and `[items, dim]`.
    pub users: &'a [f32],
    pub items: &'a [f32],
}

/// Numbers of all nodes: users (and one more for a newcomer), then items.
type Nodes = Vec<f64>;

impl Scalars<'_> {
    /// Scores of all items.
    pub fn scores(&self, user: UserId, profile: Profile, edit: &Edit) -> Vec<f64> {
        let first_item = self.graph.users() + 1;
        let ends: Vec<(usize, usize)> = self
            .graph
            .edges()
            .filter(|edge| edit.removed().binary_search(edge).is_err())
            .chain(edit.added().iter().copied())
            .map(|edge| (edge.user.row(), first_item + edge.item.row()))
            .collect();
        let nodes = first_item + self.graph.items();
        let mut degrees = vec![0f64; nodes];
        ends.iter().for_each(|&(u, i)| (degrees[u], degrees[i]) = (degrees[u] + 1.0, degrees[i] + 1.0));
        let spread = |x: &Nodes| -> Nodes {
            let mut out = vec![0f64; nodes];
            for &(u, i) in &ends {
                let weight = 1.0 / (degrees[u] * degrees[i]).sqrt();
                out[u] += weight * x[i];
                out[i] += weight * x[u];
            }
            out
        };
        // All layers of walks from here, added up.
        let walked = |mut x: Nodes| -> Nodes {
            let mut sum = x.clone();
            for _ in 0..self.layers {
                x = spread(&x);
                sum.iter_mut().zip(&x).for_each(|(sum, x)| *sum += x);
            }
            sum
        };
        let row = |node: usize| -> Option<&[f32]> {
            let neutral = node == user.row() && profile == Profile::Neutral;
            match node {
                _ if neutral || node == self.graph.users() => None,
                node if node < first_item => Some(&self.users[node * self.dim..][..self.dim]),
                node => Some(&self.items[(node - first_item) * self.dim..][..self.dim]),
            }
        };
        let mut here = vec![0f64; nodes];
        here[user.row()] = 1.0;
        let mut own = vec![0f64; self.dim];
        for (node, share) in walked(here).into_iter().enumerate() {
            let row = row(node).filter(|_| share != 0.0).unwrap_or_default();
            own.iter_mut().zip(row).for_each(|(own, &x)| *own += share * f64::from(x));
        }
        let products: Nodes = (0..nodes)
            .map(|node| {
                row(node).unwrap_or_default().iter().zip(&own).map(|(&x, own)| f64::from(x) * own).sum()
            })
            .collect();
        let layers = (self.layers + 1) as f64;
        walked(products)[first_item..].iter().map(|score| score / (layers * layers)).collect()
    }
}
