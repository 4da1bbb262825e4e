//! An edited graph as the fast re-scorers see it: the graph as it is, and the few rows that are different.

use grease_graph::{Edit, Graph};
use grease_kernels::normalise::inverse_root;

use crate::halves::Side;

/// A node whose neighbours an edit changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Its row.
    pub row: u32,
    /// Its neighbours after the edit.
    pub neighbours: Vec<u32>,
    /// Its `1 / sqrt(degree)` after the edit.
    pub root: f32,
}

/// The people whose neighbours `edit` changes, and the items, rows ascending. A newcomer counts as a user.
pub fn changed_nodes(graph: &Graph, edit: &Edit) -> [Vec<Changed>; 2] {
    Side::BOTH.map(|side| changed_rows(graph, edit, side))
}

/// The nodes of one side whose neighbours `edit` changes, rows ascending. A newcomer counts as a user.
pub(crate) fn changed_rows(graph: &Graph, edit: &Edit, side: Side) -> Vec<Changed> {
    let ends = |edges: &[grease_graph::Edge]| -> Vec<(u32, u32)> {
        let mut ends: Vec<(u32, u32)> = edges
            .iter()
            .map(|e| match side {
                Side::Users => (e.user.0, e.item.0),
                Side::Items => (e.item.0, e.user.0),
            })
            .collect();
        ends.sort_unstable();
        ends
    };
    let (removed, added) = (ends(edit.removed()), ends(edit.added()));
    let mut rows: Vec<u32> = removed.iter().chain(&added).map(|end| end.0).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.into_iter()
        .map(|row| {
            let pattern = match side {
                Side::Users => graph.by_user(),
                Side::Items => graph.by_item(),
            };
            let before: &[u32] =
                if (row as usize) < pattern.rows() { pattern.row(row as usize) } else { &[] };
            // Both are sorted: what is gone is found on the way.
            let mut gone = of_row(&removed, row).peekable();
            let mut neighbours: Vec<u32> = Vec::with_capacity(before.len());
            neighbours.extend(before.iter().copied().filter(|&n| gone.next_if_eq(&n).is_none()));
            debug_assert!(gone.next().is_none(), "an edit removes what is there");
            neighbours.extend(of_row(&added, row));
            let root = inverse_root(neighbours.len() as f32);
            Changed { row, neighbours, root }
        })
        .collect()
}

/// The far ends of one row in a sorted list.
fn of_row(ends: &[(u32, u32)], row: u32) -> impl Iterator<Item = u32> + '_ {
    let from = ends.partition_point(|end| end.0 < row);
    ends[from..].iter().take_while(move |end| end.0 == row).map(|end| end.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grease_graph::Edge;

    #[test]
    fn changed_rows_are_those_of_the_rebuilt_graph() {
        let edges: Vec<Edge> =
            (0..6u32).flat_map(|u| (0..3).map(move |k| Edge::new(u, (u + 2 * k) % 7))).collect();
        let graph = Graph::new(6, 7, &edges).unwrap();
        let edit = Edit::new(
            [Edge::new(0, 0), Edge::new(0, 2), Edge::new(3, 3)],
            [Edge::new(1, 0), Edge::new(6, 5)],
        );
        let rebuilt = graph.rebuilt(&edit).unwrap();
        for side in Side::BOTH {
            let pattern = if side == Side::Users { rebuilt.by_user() } else { rebuilt.by_item() };
            let changed = changed_rows(&graph, &edit, side);
            assert_eq!(changed.len(), 4, "five edges, but user 0 and item 0 are in two of them");
            for c in changed {
                let mut neighbours = c.neighbours;
                neighbours.sort_unstable();
                assert_eq!(neighbours, pattern.row(c.row as usize));
                assert_eq!(c.root, inverse_root(pattern.degree(c.row as usize) as f32));
            }
        }
    }
}
