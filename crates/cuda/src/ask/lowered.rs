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

#[cfg(test)]
mod tests {
    use grease_graph::Edge;

    use super::*;

    fn graph() -> Graph {
        let edges: Vec<Edge> =
            (0..6u32).flat_map(|u| (0..3).map(move |k| Edge::new(u, (u + 2 * k) % 7))).collect();
        Graph::new(6, 7, &edges).unwrap()
    }

    /// Neighbours of a node of the rebuilt graph, by node: people, somebody new, items.
    fn neighbours(graph: &Graph, rebuilt: &Graph, node: u32) -> Vec<u32> {
        let users = graph.users() as u32;
        match node.checked_sub(users + 1) {
            Some(item) => rebuilt.by_item().row(item as usize).to_vec(),
            None if (node as usize) < rebuilt.users() => {
                rebuilt.by_user().row(node as usize).iter().map(|item| users + 1 + item).collect()
            }
            None => Vec::new(),
        }
    }

    #[test]
    fn every_node_has_the_neighbours_of_the_rebuilt_graph() {
        let graph = graph();
        let edits = [
            Edit::removing([Edge::new(0, 0), Edge::new(0, 2)]),
            Edit::none(),
            Edit::new([Edge::new(3, 3)], [Edge::new(1, 0), Edge::new(6, 5)]),
        ];
        let lowered = Lowered::new(&graph, UserId(0), Profile::Kept, &edits);
        let nodes = 6 + 1 + 7;
        assert!(lowered.keys.is_sorted() && lowered.keys.len() == lowered.changed(), "nobody besides");
        for (edit, (ends, number)) in edits.iter().zip(lowered.from.windows(2).zip(0..)) {
            let rebuilt = graph.rebuilt(edit).unwrap();
            let own = ends[0] as usize..ends[1] as usize;
            for node in 0..nodes {
                let (before, after) = (neighbours(&graph, &graph, node), neighbours(&graph, &rebuilt, node));
                match lowered.keys[own.clone()].iter().position(|&key| key == number * nodes + node) {
                    Some(at) => {
                        let at = own.start + at;
                        let range = lowered.ptr[at] as usize..lowered.ptr[at + 1] as usize;
                        let mut found = lowered.cols[range].to_vec();
                        found.sort_unstable();
                        assert_eq!(found, after, "node {node}");
                        let root = if after.is_empty() { 0.0 } else { 1.0 / (after.len() as f32).sqrt() };
                        assert_eq!(lowered.roots[at], root);
                    }
                    None => assert_eq!(before, after, "node {node}"),
                }
            }
        }
    }

    #[test]
    fn whose_own_row_is_not_theirs_comes_last_once_an_edit() {
        let (graph, edits) = (graph(), [Edit::none(), Edit::removing([Edge::new(2, 2)])]);
        let neutral = Lowered::new(&graph, UserId(2), Profile::Neutral, &edits);
        assert_eq!((&neutral.keys[neutral.changed()..], neutral.zeroed), (&[2, 16][..], true));
        let newcomer = Lowered::new(&graph, graph.newcomer(), Profile::Neutral, &edits);
        assert_eq!((&newcomer.keys[newcomer.changed()..], newcomer.zeroed), (&[6, 20][..], false));
    }
}
