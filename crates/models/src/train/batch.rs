//! Mini-batches: shuffled positives, one uniform negative each.

use grease_graph::{Graph, UserId, seed};
use grease_kernels::{SparseRows, vectorise};
use rayon::prelude::*;

use crate::halves::{Side, row, row_mut};

/// Users, what they touched, and as many items they did not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Triples {
    pub users: Vec<u32>,
    /// What each touched.
    pub positives: Vec<u32>,
    /// What each did not.
    pub negatives: Vec<u32>,
}

/// Triples that draw from one stream: fixed, so that threads change nothing.
const STREAM: usize = 4096;

/// How often a negative is drawn anew when the user has touched it; somebody who has touched nearly everything
/// keeps the last draw.
const REDRAWS: usize = 100;

/// All training interactions of one epoch in random order, a negative each. A function of seed and epoch alone, so
/// that a resumed run sees what an undisturbed one would.
pub fn draw(graph: &Graph, seed: u64, epoch: u64) -> Triples {
    let mut edges: Vec<(u32, u32)> = graph.edges().map(|e| (e.user.0, e.item.0)).collect();
    seed::shuffle(&mut seed::rng_at(seed, "epoch order", epoch), &mut edges);
    let items = graph.items() as u64;
    let streams = edges.len().div_ceil(STREAM) as u64;
    let negatives = edges
        .par_chunks(STREAM)
        .enumerate()
        .flat_map_iter(|(chunk, edges)| {
            let mut rng = seed::rng_at(seed, "negatives", epoch * streams + chunk as u64);
            edges.iter().map(move |&(user, _)| {
                let touched = graph.items_of(UserId(user));
                let mut draw = || seed::below(&mut rng, items) as u32;
                let mut item = draw();
                for _ in 0..REDRAWS {
                    if touched.binary_search(&item).is_err() {
                        break;
                    }
                    item = draw();
                }
                item
            })
        })
        .collect();
    let (users, positives) = edges.into_iter().unzip();
    Triples { users, positives, negatives }
}

/// One batch by *slots*: the distinct users and items in it get consecutive numbers, so that all that is computed for
/// a batch is as small as the batch.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Slots of each triple.
    pub(crate) triples: Triples,
    users: Slots,
    items: Slots,
}

/// The distinct rows of one side.
#[derive(Debug)]
struct Slots {
    /// Row of each slot.
    rows: Vec<u32>,
    /// Slot of each row.
    of_row: Vec<u32>,
    /// How often each slot's row occurs in the batch.
    counts: Vec<u32>,
}

impl Slots {
    fn new(rows: usize) -> Self {
        Self { rows: Vec::new(), of_row: vec![SparseRows::ZERO; rows], counts: Vec::new() }
    }

    fn clear(&mut self) {
        for row in self.rows.drain(..) {
            self.of_row[row as usize] = SparseRows::ZERO;
        }
        self.counts.clear();
    }

    /// The slots of these rows; a row seen for the first time gets the next one.
    fn assign(&mut self, rows: &[u32], out: &mut Vec<u32>) {
        out.clear();
        out.extend(rows.iter().map(|&row| {
            let slot = &mut self.of_row[row as usize];
            if *slot == SparseRows::ZERO {
                *slot = self.rows.len() as u32;
                self.rows.push(row);
                self.counts.push(0);
            }
            self.counts[*slot as usize] += 1;
            *slot
        }));
    }
}

impl Batch {
    pub(crate) fn new(graph: &Graph) -> Self {
        Self {
            triples: Triples::default(),
            users: Slots::new(graph.users()),
            items: Slots::new(graph.items()),
        }
    }

    /// Number of triples.
    pub(crate) fn len(&self) -> usize {
        self.triples.users.len()
    }

    /// Takes the triples `from..to` of an epoch.
    pub(crate) fn fill(&mut self, epoch: &Triples, from: usize, to: usize) {
        let Self { triples, users, items } = self;
        users.clear();
        items.clear();
        users.assign(&epoch.users[from..to], &mut triples.users);
        items.assign(&epoch.positives[from..to], &mut triples.positives);
        items.assign(&epoch.negatives[from..to], &mut triples.negatives);
    }

    fn side(&self, side: Side) -> &Slots {
        match side {
            Side::Users => &self.users,
            Side::Items => &self.items,
        }
    }

    /// The distinct rows of one side, by slot.
    pub(crate) fn rows(&self, side: Side) -> &[u32] {
        &self.side(side).rows
    }

    /// How often each of them occurs.
    pub(crate) fn counts(&self, side: Side) -> &[u32] {
        &self.side(side).counts
    }

    /// A matrix with one row a slot, as a matrix with one row a node.
    pub(crate) fn as_rows<'a>(&'a self, side: Side, values: &'a [f32]) -> SparseRows<'a> {
        SparseRows { slot: &self.side(side).of_row, values }
    }

    /// Copies rows to slots.
    pub(crate) fn pick(&self, side: Side, table: &[f32], width: usize, out: &mut [f32]) {
        for (out, &at) in out.chunks_exact_mut(width).zip(self.rows(side)) {
            out.copy_from_slice(row(table, width, at));
        }
    }

    /// Multiplies each slot by its row's factor.
    pub(crate) fn scale(&self, side: Side, values: &[f32], factors: &[f32], width: usize, out: &mut [f32]) {
        vectorise(|| {
            let slots = out.chunks_exact_mut(width).zip(values.chunks_exact(width));
            for ((out, values), &row) in slots.zip(self.rows(side)) {
                let factor = factors[row as usize];
                out.iter_mut().zip(values).for_each(|(o, v)| *o = factor * v);
            }
        });
    }

    /// Adds each slot to its row.
    pub(crate) fn add_to(&self, side: Side, values: &[f32], width: usize, out: &mut [f32]) {
        vectorise(|| {
            for (values, &row) in values.chunks_exact(width).zip(self.rows(side)) {
                row_mut(out, width, row).iter_mut().zip(values).for_each(|(o, v)| *o += v);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grease_graph::Edge;

    fn graph() -> Graph {
        let edges: Vec<Edge> =
            (0..40u32).flat_map(|u| (0..5).map(move |k| Edge::new(u, (u * 3 + k * 7) % 60))).collect();
        Graph::new(40, 60, &edges).unwrap()
    }

    #[test]
    fn an_epoch_holds_every_interaction_once_and_no_false_negative() {
        let graph = graph();
        let first = draw(&graph, 7, 0);
        let mut pairs: Vec<Edge> =
            first.users.iter().zip(&first.positives).map(|(&u, &i)| Edge::new(u, i)).collect();
        pairs.sort();
        assert_eq!(pairs, graph.edges().collect::<Vec<_>>());
        assert!(first.users.iter().zip(&first.negatives).all(|(&u, &i)| !graph.has(Edge::new(u, i))));
        assert_eq!(first, draw(&graph, 7, 0));
        for other in [draw(&graph, 7, 1), draw(&graph, 8, 0)] {
            assert_ne!(first.positives, other.positives, "another order");
            assert_ne!(first.negatives, other.negatives, "other negatives");
        }
    }

    #[test]
    fn slots_name_the_rows_they_stand_for() {
        let graph = graph();
        let triples = draw(&graph, 1, 0);
        let mut batch = Batch::new(&graph);
        for (from, to) in [(0, 50), (50, 90)] {
            batch.fill(&triples, from, to);
            assert_eq!(batch.len(), to - from);
            for k in 0..batch.len() {
                assert_eq!(batch.rows(Side::Users)[batch.triples.users[k] as usize], triples.users[from + k]);
                assert_eq!(
                    batch.rows(Side::Items)[batch.triples.positives[k] as usize],
                    triples.positives[from + k]
                );
                assert_eq!(
                    batch.rows(Side::Items)[batch.triples.negatives[k] as usize],
                    triples.negatives[from + k]
                );
            }
            let used =
                batch.as_rows(Side::Users, &[]).slot.iter().filter(|&&s| s != SparseRows::ZERO).count();
            assert_eq!(used, batch.rows(Side::Users).len(), "slots of the batch before are forgotten");
        }
    }

    #[test]
    fn somebody_who_touched_everything_does_not_hang_the_sampler() {
        let edges: Vec<Edge> = (0..4).map(|i| Edge::new(0, i)).collect();
        assert_eq!(draw(&Graph::new(1, 4, &edges).unwrap(), 1, 0).negatives.len(), 4);
    }
}
