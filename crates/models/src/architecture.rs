//! What a model is made of, apart from what it has learned.

use std::fmt;
use std::str::FromStr;

use grease_graph::Graph;
use grease_graph::seed;
use serde::{Deserialize, Serialize};

use crate::weights::{Tensor, Weights};

/// The recommenders there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// [LightGCN](https://arxiv.org/abs/2002.02126): propagation and nothing else, mean of layers 0..=L.
    LightGcn,
    /// [NGCF](https://arxiv.org/abs/1905.08108): two weight matrices a layer, LeakyReLU, layers side by side.
    Ngcf,
    /// Output embeddings that were exported elsewhere, and nothing of how they came to be: imported, never trained.
    Frozen,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::LightGcn => "lightgcn",
            Kind::Ngcf => "ngcf",
            Kind::Frozen => "frozen",
        })
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "lightgcn" => Ok(Kind::LightGcn),
            "ngcf" => Ok(Kind::Ngcf),
            "frozen" => Ok(Kind::Frozen),
            _ => Err(format!("`{s}` is no kind of model; known are `lightgcn` and `ngcf`")),
        }
    }
}

/// What is otherwise with a model than with most of its kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Variant {
    /// Nothing.
    #[default]
    Usual,
    /// NGCF: a layer is given the output of the one before divided by its length, as RecBole has it, not as it is.
    NormalisedLayers,
    /// Frozen: a score is the cosine of two embeddings, not their dot product.
    Cosine,
}

/// Kind and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Architecture {
    pub kind: Kind,
    pub layers: usize,
    /// Width of a layer, d.
    pub dim: usize,
    /// What is otherwise with it than with most of its kind.
    pub variant: Variant,
}

impl Architecture {
    /// The usual model of this kind and size.
    pub fn new(kind: Kind, layers: usize, dim: usize) -> Self {
        Self { kind, layers, dim, variant: Variant::Usual }
    }

    /// Length of an output embedding.
    pub fn output_width(&self) -> usize {
        match self.kind {
            Kind::LightGcn | Kind::Frozen => self.dim,
            Kind::Ngcf => self.dim * (self.layers + 1),
        }
    }

    /// Names and shapes of the learned tensors, in order.
    pub fn tensors(&self, users: usize, items: usize) -> Vec<(String, [usize; 2])> {
        let d = self.dim;
        let mut tensors = vec![("user_embedding".into(), [users, d]), ("item_embedding".into(), [items, d])];
        if self.kind == Kind::Ngcf {
            for layer in 0..self.layers {
                tensors.push((format!("layer.{layer}.w1"), [d, d]));
                tensors.push((format!("layer.{layer}.b1"), [1, d]));
                tensors.push((format!("layer.{layer}.w2"), [d, d]));
                tensors.push((format!("layer.{layer}.b2"), [1, d]));
            }
        }
        tensors
    }

    /// Fresh weights: N(0, 0.1) for LightGCN; Xavier uniform for NGCF, its biases 0. Each tensor draws from a stream of its own name.
    pub fn initial_weights(&self, graph: &Graph, seed: u64) -> Weights {
        let tensors = self.tensors(graph.users(), graph.items()).into_iter().map(|(name, shape)| {
            let n = shape[0] * shape[1];
            let mut rng = seed::rng(seed, &format!("initial {name}"));
            let data = match self.kind {
                Kind::LightGcn | Kind::Frozen => (0..n).map(|_| 0.1 * normal(&mut rng)).collect(),
                Kind::Ngcf if shape[0] == 1 && name.contains(".b") => vec![0.0; n],
                Kind::Ngcf => {
                    let bound = (6.0 / (shape[0] + shape[1]) as f32).sqrt();
                    (0..n).map(|_| bound * (2.0 * unit(&mut rng) - 1.0)).collect()
                }
            };
            Tensor { name, shape, data: data.into() }
        });
        Weights(tensors.collect())
    }
}

/// Uniform in [0, 1).
pub(crate) fn unit(rng: &mut impl rand::Rng) -> f32 {
    (rng.next_u32() >> 8) as f32 / (1u32 << 24) as f32
}

/// Standard normal, by Box and Muller.
fn normal(rng: &mut impl rand::Rng) -> f32 {
    let radius = (-2.0 * f64::ln(1.0 - f64::from(unit(rng)))).sqrt();
    let angle = std::f64::consts::TAU * f64::from(unit(rng));
    (radius * angle.cos()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use grease_graph::Edge;

    #[test]
    fn initial_weights_have_the_promised_spread_and_repeat() {
        let edges: Vec<Edge> = (0..200).map(|k| Edge::new(k % 100, k % 90)).collect();
        let graph = Graph::new(100, 90, &edges).unwrap();
        let light = Architecture::new(Kind::LightGcn, 3, 64);
        let weights = light.initial_weights(&graph, 1);
        let spread = |x: &[f32]| (x.iter().map(|v| f64::from(v * v)).sum::<f64>() / x.len() as f64).sqrt();
        assert!((spread(weights.users()) - 0.1).abs() < 0.005);
        assert_eq!(weights, light.initial_weights(&graph, 1));
        assert_ne!(weights, light.initial_weights(&graph, 2));

        let ngcf = Architecture::new(Kind::Ngcf, 2, 16);
        let weights = ngcf.initial_weights(&graph, 1);
        assert_eq!(weights.check(&ngcf.tensors(100, 90)), Ok(()));
        let w1 = &weights.0[2];
        let bound = (6.0f32 / 32.0).sqrt();
        assert!(w1.data.iter().all(|v| v.abs() <= bound) && w1.data.iter().any(|v| v.abs() > 0.9 * bound));
        assert!(weights.0[3].data.iter().all(|&v| v == 0.0), "{}", weights.0[3].name);
    }
}
