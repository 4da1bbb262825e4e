//! What a surrogate stands on: a neighbourhood, the features of its nodes and what it is to imitate.

use std::fmt;

use grease_graph::{Embeddings, ItemId, Profile, Recommender, ScoreError, UserId, seed};
use grease_kernels::Spmm;

use super::neighbourhood::Neighbourhood;
use super::weights::unit;

/// Which vectors the surrogate is given as the nodes' features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FeatureChoice {
    /// The recommender's input vectors where it shows them, else its output embeddings, else random ones.
    #[default]
    Best,
    /// Its output embeddings even where it shows more, else random ones.
    Output,
    /// Random ones, whatever it shows.
    Random,
}

/// Width of random features, and of a surrogate's output where the recommender shows no embeddings.
const HIDDEN_WIDTH: usize = 32;

/// What a recommender shows of itself, scaled to unit size; made once for all its explanations.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    recommender: &'a dyn Recommender,
    features: Option<Embeddings<'a>>,
    outputs: Option<Embeddings<'a>>,
    scales: Scales,
    seed: u64,
}

/// What brings a recommender's tables to unit size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scales {
    features: f32,
    outputs: f32,
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown")
            .field("scales", &self.scales)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl<'a> Shown<'a> {
    /// Linear in what is shown.
    pub(crate) fn new(recommender: &'a dyn Recommender, choice: FeatureChoice, seed: u64) -> Self {
        let shown = Self::scaled(recommender, choice, Scales { features: 1.0, outputs: 1.0 }, seed);
        let scale = |table: Option<Embeddings<'_>>| table.map_or(1.0, unit_scale);
        Self { scales: Scales { features: scale(shown.features), outputs: scale(shown.outputs) }, ..shown }
    }

    /// The same where the scales are known: nothing is looked at.
    pub(crate) fn scaled(
        recommender: &'a dyn Recommender,
        choice: FeatureChoice,
        scales: Scales,
        seed: u64,
    ) -> Self {
        let outputs = recommender.embeddings();
        let features = match choice {
            FeatureChoice::Best => recommender.input_features().or(outputs),
            FeatureChoice::Output => outputs,
            FeatureChoice::Random => None,
        };
        Self { recommender, features, outputs, scales, seed }
    }

    /// Refuses to go on once nobody waits for what comes of it.
    pub(crate) fn check_wanted(&self) -> Result<(), ScoreError> {
        if self.recommender.is_given_up() { Err(ScoreError::Cancelled) } else { Ok(()) }
    }

    /// What brings its tables to unit size.
    pub(crate) fn scales(&self) -> Scales {
        self.scales
    }

    /// Width of the features.
    pub(crate) fn feature_width(&self) -> usize {
        self.features.map_or(HIDDEN_WIDTH, |features| features.width)
    }

    /// Width of the surrogate's output.
    pub(crate) fn output_width(&self) -> usize {
        self.outputs.map_or(HIDDEN_WIDTH, |outputs| outputs.width)
    }

    /// What a product of two of the surrogate's outputs is multiplied with to be a score.
    pub(crate) fn score_unit(&self) -> f32 {
        1.0 / (self.scales.outputs * self.scales.outputs)
    }

    /// The scaled output embedding of an item, where it is shown.
    pub(crate) fn output_of_item(&self, item: ItemId) -> Option<Vec<f32>> {
        let outputs = self.outputs?;
        let row = &outputs.items[item.row() * outputs.width..][..outputs.width];
        Some(row.iter().map(|v| v * self.scales.outputs).collect())
    }

    fn feature_row(&self, node: Node, out: &mut [f32]) {
        match self.features {
            Some(features) => scaled_row(features, node, self.scales.features, out),
            None => {
                // By the row in the graph, so that a node looks the same in every neighbourhood.
                let (name, row) = match node {
                    Node::User(user) => ("user features", user.0),
                    Node::Item(item) => ("item features", item.0),
                };
                let mut rng = seed::rng_at(self.seed, name, u64::from(row));
                out.iter_mut().for_each(|v| *v = 3f32.sqrt() * unit(&mut rng));
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Node {
    User(UserId),
    Item(ItemId),
}

fn scaled_row(table: Embeddings<'_>, node: Node, scale: f32, out: &mut [f32]) {
    let row = match node {
        Node::User(user) => &table.users[user.row() * table.width..],
        Node::Item(item) => &table.items[item.row() * table.width..],
    };
    out.iter_mut().zip(row).for_each(|(out, v)| *out = scale * v);
}

/// One over the root of the mean square; 1 for a table of zeros.
fn unit_scale(table: Embeddings<'_>) -> f32 {
    let square = |values: &[f32]| -> f64 { values.iter().map(|&v| f64::from(v) * f64::from(v)).sum() };
    let count = (table.users.len() + table.items.len()).max(1);
    let mean = (square(table.users) + square(table.items)) / count as f64;
    if mean > 0.0 { (1.0 / mean.sqrt()) as f32 } else { 1.0 }
}

/// A neighbourhood with its nodes' features and their means over neighbours, on the unedited graph.
///
/// Nodes are numbered users first: item `i` is node `users + i`.
#[derive(Debug, Clone)]
pub(crate) struct Inputs<'a> {
    pub(crate) neighbourhood: &'a Neighbourhood,
    pub(crate) shown: Shown<'a>,
    /// `[nodes, features]`.
    pub(crate) features: Vec<f32>,
    /// `[nodes, features]`: mean of the neighbours' features, zeros for a node without any.
    pub(crate) means: Vec<f32>,
    /// What the surrogate's outputs should be, `[nodes, width]`, where the recommender shows it.
    pub(crate) outputs: Option<Vec<f32>>,
    /// The person's node where its output cannot be imitated: what is shown was made with another profile.
    pub(crate) unknown: Option<u32>,
}

impl<'a> Inputs<'a> {
    /// `profile` is that of the person; a newcomer's is always neutral. Neutral features are zeros.
    pub(crate) fn new(neighbourhood: &'a Neighbourhood, shown: Shown<'a>, profile: Profile) -> Self {
        let width = shown.feature_width();
        let users = neighbourhood.users();
        let nodes: Vec<Node> = users
            .iter()
            .map(|&user| Node::User(UserId(user)))
            .chain(neighbourhood.items().iter().map(|&item| Node::Item(ItemId(item))))
            .collect();
        let person = neighbourhood.person();
        let unknown = (neighbourhood.is_newcomer() || profile == Profile::Neutral).then_some(person);
        let gathered = |width: usize, row: &dyn Fn(Node, &mut [f32])| {
            let mut table = vec![0f32; nodes.len() * width];
            for (at, (&node, out)) in nodes.iter().zip(table.chunks_exact_mut(width)).enumerate() {
                if unknown != Some(at as u32) {
                    row(node, out);
                }
            }
            table
        };
        let features = gathered(width, &|node, out| shown.feature_row(node, out));
        let outputs = shown.outputs.map(|outputs| {
            gathered(outputs.width, &|node, out| scaled_row(outputs, node, shown.scales.outputs, out))
        });
        let (of_users, of_items) = features.split_at(users.len() * width);
        let mut means = vec![0f32; features.len()];
        let (means_of_users, means_of_items) = means.split_at_mut(users.len() * width);
        let (by_user, by_item) = (neighbourhood.by_user(), neighbourhood.by_item());
        Spmm::new(by_user).scale(&inverse_degrees(by_user)).apply(of_items, width, means_of_users);
        Spmm::new(by_item).scale(&inverse_degrees(by_item)).apply(of_users, width, means_of_items);
        Self { neighbourhood, shown, features, means, outputs, unknown }
    }

    /// The neighbourhood it stands on.
    pub(crate) fn neighbourhood(&self) -> &'a Neighbourhood {
        self.neighbourhood
    }

    /// Number of users and items.
    pub(crate) fn nodes(&self) -> usize {
        self.neighbourhood.users().len() + self.neighbourhood.items().len()
    }

    /// The node of a local item.
    pub(crate) fn item_node(&self, item: u32) -> u32 {
        self.neighbourhood.users().len() as u32 + item
    }

    /// The nodes at both ends of an edge.
    pub(crate) fn ends(&self, edge: u32) -> (u32, u32) {
        let (user, item) = self.neighbourhood.ends(edge);
        (user, self.item_node(item))
    }

    /// Every edge of a node with the node at its other end, ascending.
    pub(crate) fn edges_of(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (neighbourhood, users) = (self.neighbourhood, self.neighbourhood.users().len() as u32);
        let is_user = node < users;
        let (pattern, row) = if is_user {
            (neighbourhood.by_user(), node as usize)
        } else {
            (neighbourhood.by_item(), (node - users) as usize)
        };
        pattern.edges(row).zip(pattern.row(row)).map(move |(at, &other)| {
            if is_user { (at as u32, users + other) } else { (neighbourhood.item_order()[at], other) }
        })
    }
}

fn inverse_degrees(pattern: &grease_kernels::Csr) -> Vec<f32> {
    (0..pattern.rows()).map(|row| 1.0 / pattern.degree(row).max(1) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::tests::Shows;

    #[test]
    fn a_node_looks_the_same_in_every_neighbourhood_and_a_newcomer_like_nobody() {
        let pairs = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3)];
        for (inputs, outputs) in [(true, true), (false, true), (false, false)] {
            let shows = Shows::new(3, 4, &pairs, inputs, outputs, 5);
            let shown = Shown::new(&shows, FeatureChoice::Best, 9);
            let features = |person: UserId, own: &[u32], profile| {
                let around = Neighbourhood::around(&shows.graph, person, own, &[ItemId(2)], 2, 99);
                let inputs = Inputs::new(&around, shown, profile);
                let width = shown.feature_width();
                let row = |node: u32| inputs.features[node as usize * width..][..width].to_vec();
                let item = row(inputs.item_node(around.item(ItemId(1)).unwrap()));
                (row(around.person()), item, inputs.unknown.is_some())
            };
            let (ada, item, unknown) = features(UserId(0), &[0, 1], Profile::Kept);
            assert!(ada.iter().any(|&v| v != 0.0) && !unknown);
            for (person, own, profile) in
                [(UserId(0), &[0, 1][..], Profile::Neutral), (UserId(3), &[1, 3], Profile::Kept)]
            {
                let (nobody, same, unknown) = features(person, own, profile);
                assert!(nobody.iter().all(|&v| v == 0.0) && unknown);
                assert_eq!(same, item);
            }
        }
    }
}
