//! Edits as kernels read them.

use grease_graph::{Edit, Graph, Profile, UserId};
use grease_models::changed_nodes;

use crate::ask::held::item_node;

/// Some edits of one question: which nodes have other neighbours, and which.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Lowered {
    /// Where each edit's nodes begin, and the last one's end.
    pub(super) from: Vec<u32>,
    /// Keys of the nodes, ascending; behind them, one an edit, that of the person where their row of layer 0 is not their own.
    pub(super) keys: Vec<u32>,
    /// Where each node's neighbours begin, and the last one's end.
    pub(super) ptr: Vec<u32>,
    pub(super) cols: Vec<u32>,
    pub(super) roots: Vec<f32>,
    /// Whether the person's row of layer 0 is zero, and would not be.
    pub(super) zeroed: bool,
}

impl Lowered {
    pub(super) fn new(graph: &Graph, user: UserId, profile: Profile, edits: &[Edit]) -> Self {
        let users = graph.users();
        let nodes = (users + 1 + graph.items()) as u32;
        let mut lowered = Self { from: vec![0], ptr: vec![0], ..Self::default() };
        for (first, edit) in (0..).step_by(nodes as usize).zip(edits) {
            let [people, items] = changed_nodes(graph, edit);
            for person in people {
                let neighbours = person.neighbours.iter().map(|&item| item_node(users, item));
                lowered.push(first + person.row, neighbours, person.root);
            }
            for item in items {
                lowered.push(first + item_node(users, item.row), item.neighbours.iter().copied(), item.root);
            }
            lowered.from.push(lowered.keys.len() as u32);
        }
        let is_new = user == graph.newcomer();
        lowered.zeroed = profile == Profile::Neutral && !is_new;
        if lowered.zeroed || is_new {
            lowered
                .keys
                .extend((0..).step_by(nodes as usize).take(edits.len()).map(|first: u32| first + user.0));
        }
        lowered
    }

    fn push(&mut self, key: u32, neighbours: impl Iterator<Item = u32>, root: f32) {
        self.keys.push(key);
        self.cols.extend(neighbours);
        self.ptr.push(self.cols.len() as u32);
        self.roots.push(root);
    }

    /// Nodes that have other neighbours, of all edits.
    pub(super) fn changed(&self) -> usize {
        self.roots.len()
    }
}
