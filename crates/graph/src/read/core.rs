//! The k-core: what is left when everything with fewer than k interactions is taken away, again and
//! again.

use crate::Edge;

/// Which users and items belong to the k-core of `edges` (sorted and unique). Linear in the edges:
/// each row is taken away once, each edge looked at once from either side.
pub(crate) fn k_core(edges: &[Edge], users: usize, items: usize, k: u32) -> (Vec<bool>, Vec<bool>) {
    let user_side = Side::new(users, edges.iter().map(|e| (e.user.row(), e.item.0)));
    let item_side = Side::new(items, edges.iter().map(|e| (e.item.row(), e.user.0)));
    let (mut user_degrees, mut item_degrees) = (user_side.degrees(), item_side.degrees());
    let mut keep = (vec![true; users], vec![true; items]);
    let mut queue: Vec<(bool, usize)> = Vec::new();
    for (is_user, degrees, kept) in [(true, &user_degrees, &mut keep.0), (false, &item_degrees, &mut keep.1)]
    {
        for (row, _) in degrees.iter().enumerate().filter(|&(_, &degree)| degree < k) {
            kept[row] = false;
            queue.push((is_user, row));
        }
    }
    while let Some((is_user, row)) = queue.pop() {
        let (side, degrees, kept) = if is_user {
            (&user_side, &mut item_degrees, &mut keep.1)
        } else {
            (&item_side, &mut user_degrees, &mut keep.0)
        };
        for &other in side.neighbours(row) {
            let other = other as usize;
            degrees[other] -= 1;
            if kept[other] && degrees[other] < k {
                kept[other] = false;
                queue.push((!is_user, other));
            }
        }
    }
    keep
}

/// Neighbours of each row of one side, in one allocation.
struct Side {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Side {
    fn new(rows: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let mut starts = vec![0; rows + 1];
        for (row, _) in pairs.clone() {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[rows]];
        for (row, other) in pairs {
            neighbours[next[row]] = other;
            next[row] += 1;
        }
        Self { starts, neighbours }
    }

    fn neighbours(&self, row: usize) -> &[u32] {
        &self.neighbours[self.starts[row]..self.starts[row + 1]]
    }

    fn degrees(&self) -> Vec<u32> {
        self.starts.windows(2).map(|pair| (pair[1] - pair[0]) as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, word for word.
    fn by_definition(edges: &[Edge], users: usize, items: usize, k: usize) -> (Vec<bool>, Vec<bool>) {
        let (mut u, mut i) = (vec![true; users], vec![true; items]);
        loop {
            let alive: Vec<_> = edges.iter().filter(|e| u[e.user.row()] && i[e.item.row()]).collect();
            let users_left =
                (0..users).map(|r| u[r] && alive.iter().filter(|e| e.user.row() == r).count() >= k);
            let items_left =
                (0..items).map(|r| i[r] && alive.iter().filter(|e| e.item.row() == r).count() >= k);
            let next = (users_left.collect::<Vec<_>>(), items_left.collect::<Vec<_>>());
            if next == (u, i) {
                return next;
            }
            (u, i) = next;
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            pairs in proptest::collection::btree_set((0u32..8, 0u32..8), 0..40),
            k in 0u32..5,
        ) {
            let edges: Vec<_> = pairs.into_iter().map(|(u, i)| Edge::new(u, i)).collect();
            prop_assert_eq!(k_core(&edges, 8, 8, k), by_definition(&edges, 8, 8, k as usize));
        }
    }
}
