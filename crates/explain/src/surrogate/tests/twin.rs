//! The surrogate by its definition, in f64 and with fractional edge weights, and a recommender that shows what it is told to.

use grease_graph::{Edge, Edit, Embeddings, Graph, Profile, Recommender, ScoreError, UserId, seed};

use crate::surrogate::inputs::Inputs;
use crate::surrogate::weights::{Weights, unit};

/// Shows random tables; scores are never asked for.
pub(crate) struct Shows {
    pub(crate) graph: Graph,
    users: Vec<f32>,
    items: Vec<f32>,
    inputs: bool,
    outputs: bool,
}

impl Shows {
    pub(crate) const WIDTH: usize = 3;

    pub(crate) fn new(
        users: usize,
        items: usize,
        pairs: &[(u32, u32)],
        inputs: bool,
        outputs: bool,
        seed: u64,
    ) -> Self {
        let edges: Vec<Edge> = pairs.iter().map(|&(u, i)| Edge::new(u, i)).collect();
        let mut rng = seed::rng(seed, "tables");
        let mut table = |rows: usize| (0..rows * Self::WIDTH).map(|_| unit(&mut rng)).collect();
        let (of_users, of_items) = (table(users), table(items));
        let graph = Graph::new(users, items, &edges).unwrap();
        Self { graph, users: of_users, items: of_items, inputs, outputs }
    }

    fn tables(&self) -> Embeddings<'_> {
        Embeddings { users: &self.users, items: &self.items, width: Self::WIDTH }
    }
}

impl Recommender for Shows {
    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn score(&self, _: UserId, _: Profile, _: &[Edit], _: &mut [f32]) -> Result<(), ScoreError> {
        Err(ScoreError::Frozen)
    }

    fn embeddings(&self) -> Option<Embeddings<'_>> {
        self.outputs.then(|| self.tables())
    }

    fn input_features(&self) -> Option<Embeddings<'_>> {
        // Two columns a row of the same numbers, so that they are not the outputs.
        self.inputs.then(|| Embeddings { width: 2, ..self.tables() })
    }
}

/// Outputs of every node for any edge weights.
pub(crate) struct Twin<'a> {
    pub(crate) inputs: &'a Inputs<'a>,
    pub(crate) widths: [usize; 3],
    /// In the order of [`Weights::tensors`].
    pub(crate) tensors: [Vec<f64>; 6],
}

impl<'a> Twin<'a> {
    pub(crate) fn new(inputs: &'a Inputs<'a>, weights: &Weights) -> Self {
        let tensors = weights.tensors().map(|tensor| tensor.iter().map(|&v| f64::from(v)).collect());
        Self { inputs, widths: [weights.features, weights.hidden, weights.width], tensors }
    }

    /// `[nodes][width]`.
    pub(crate) fn outputs(&self, edges: &[f64]) -> Vec<Vec<f64>> {
        let width = self.widths[0];
        let features = self.inputs.features.chunks_exact(width);
        let features: Vec<Vec<f64>> = features.map(|x| x.iter().map(|&v| f64::from(v)).collect()).collect();
        let [a, b, c, d, e, f] = &self.tensors;
        let mut hidden = self.layer(edges, &features, [a, b, c], self.widths[1]);
        hidden.iter_mut().flatten().for_each(|v| *v = v.max(0.0));
        self.layer(edges, &hidden, [d, e, f], self.widths[2])
    }

    /// The person's score of each node.
    pub(crate) fn scores(&self, edges: &[f64]) -> Vec<f64> {
        let outputs = self.outputs(edges);
        let person = &outputs[self.inputs.neighbourhood.person() as usize];
        let unit = f64::from(self.inputs.shown.score_unit());
        outputs.iter().map(|o| unit * o.iter().zip(person).map(|(a, b)| a * b).sum::<f64>()).collect()
    }

    fn layer(&self, edges: &[f64], x: &[Vec<f64>], matrices: [&Vec<f64>; 3], width: usize) -> Vec<Vec<f64>> {
        let [to_users, to_items, own] = matrices;
        let users = self.inputs.neighbourhood.users().len();
        let times = |x: &[f64], matrix: &[f64]| -> Vec<f64> {
            (0..width).map(|c| x.iter().enumerate().map(|(r, v)| v * matrix[r * width + c]).sum()).collect()
        };
        (0..x.len())
            .map(|node| {
                let mut sum = vec![0.0; x[0].len()];
                let mut degree = 0.0;
                for (edge, &weight) in edges.iter().enumerate() {
                    let (user, item) = self.inputs.neighbourhood.ends(edge as u32);
                    let item = users + item as usize;
                    let other = match node {
                        _ if node == user as usize => item,
                        _ if node == item => user as usize,
                        _ => continue,
                    };
                    degree += weight;
                    sum.iter_mut().zip(&x[other]).for_each(|(sum, v)| *sum += weight * v);
                }
                sum.iter_mut().for_each(|v| *v /= f64::max(degree, 1.0));
                let message = times(&sum, if node < users { to_users } else { to_items });
                message.iter().zip(times(&x[node], own)).map(|(m, o)| m + o).collect()
            })
            .collect()
    }
}
