//! Mini-batches: shuffled positives, one uniform negative each.

use grease_graph::{Graph, UserId, seed};
use grease_kernels::SparseRows;
use rayon::prelude::*;

/// Users, what they touched, and as many items they did not.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Triples {
    pub(crate) users: Vec<u32>,
    pub(crate) positives: Vec<u32>,
    pub(crate) negatives: Vec<u32>,
}

/// Triples that draw from one stream: fixed, so that threads change nothing.
const STREAM: usize = 4096;

/// How often a negative is drawn anew when the user has touched it; somebody who has touched nearly everything
/// keeps the last draw.
const REDRAWS: usize = 100;

/// All training interactions of one epoch in random order, a negative each. A function of seed and epoch alone, so
/// that a resumed run sees what an undisturbed one would.
pub(crate) fn epoch(graph: &Graph, seed: u64, epoch: u64) -> Triples {
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
    /// Distinct user rows, by slot.
    pub(crate) user_rows: Vec<u32>,
    /// Distinct item rows, by slot.
    pub(crate) item_rows: Vec<u32>,
    /// Slots of each triple.
    pub(crate) triples: Triples,
    user_slots: Vec<u32>,
    item_slots: Vec<u32>,
}

impl Batch {
    pub(crate) fn new(graph: &Graph) -> Self {
        Self {
            user_rows: Vec::new(),
            item_rows: Vec::new(),
            triples: Triples::default(),
            user_slots: vec![SparseRows::ZERO; graph.users()],
            item_slots: vec![SparseRows::ZERO; graph.items()],
        }
    }

    /// Number of triples.
    pub(crate) fn len(&self) -> usize {
        self.triples.users.len()
    }

    /// Takes the triples `from..to` of an epoch.
    pub(crate) fn fill(&mut self, epoch: &Triples, from: usize, to: usize) {
        for row in self.user_rows.drain(..) {
            self.user_slots[row as usize] = SparseRows::ZERO;
        }
        for row in self.item_rows.drain(..) {
            self.item_slots[row as usize] = SparseRows::ZERO;
        }
        let Self { user_rows, item_rows, triples, user_slots, item_slots } = self;
        assign(&epoch.users[from..to], user_rows, user_slots, &mut triples.users);
        assign(&epoch.positives[from..to], item_rows, item_slots, &mut triples.positives);
        assign(&epoch.negatives[from..to], item_rows, item_slots, &mut triples.negatives);
    }

    /// A matrix with one row a slot, as a matrix with one row a user.
    pub(crate) fn as_users<'a>(&'a self, values: &'a [f32]) -> SparseRows<'a> {
        SparseRows { slot: &self.user_slots, values }
    }

    /// A matrix with one row a slot, as a matrix with one row an item.
    pub(crate) fn as_items<'a>(&'a self, values: &'a [f32]) -> SparseRows<'a> {
        SparseRows { slot: &self.item_slots, values }
    }
}

/// Gives each distinct row the next slot, and each entry its row's.
fn assign(rows: &[u32], distinct: &mut Vec<u32>, slots: &mut [u32], out: &mut Vec<u32>) {
    out.clear();
    out.extend(rows.iter().map(|&row| {
        let slot = &mut slots[row as usize];
        if *slot == SparseRows::ZERO {
            *slot = distinct.len() as u32;
            distinct.push(row);
        }
        *slot
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use grease_graph::Edge;

    fn graph() -> Graph {
        let edges: Vec<Edge> = (0..40u32).flat_map(|u| (0..5).map(move |k| Edge::new(u, (u * 3 + k * 7) % 60))).collect();
        Graph::new(40, 60, &edges).unwrap()
    }

    #[test]
    fn an_epoch_holds_every_interaction_once_and_no_false_negative() {
        let graph = graph();
        let first = epoch(&graph, 7, 0);
        let mut pairs: Vec<Edge> = first.users.iter().zip(&first.positives).map(|(&u, &i)| Edge::new(u, i)).collect();
        pairs.sort();
        assert_eq!(pairs, graph.edges().collect::<Vec<_>>());
        assert!(first.users.iter().zip(&first.negatives).all(|(&u, &i)| !graph.has(Edge::new(u, i))));
        assert_eq!(first, epoch(&graph, 7, 0));
        assert_ne!(first, epoch(&graph, 7, 1));
        assert_ne!(first, epoch(&graph, 8, 0));
    }

    #[test]
    fn slots_name_the_rows_they_stand_for() {
        let graph = graph();
        let triples = epoch(&graph, 1, 0);
        let mut batch = Batch::new(&graph);
        for (from, to) in [(0, 50), (50, 90)] {
            batch.fill(&triples, from, to);
            assert_eq!(batch.len(), to - from);
            for k in 0..batch.len() {
                assert_eq!(batch.user_rows[batch.triples.users[k] as usize], triples.users[from + k]);
                assert_eq!(batch.item_rows[batch.triples.positives[k] as usize], triples.positives[from + k]);
                assert_eq!(batch.item_rows[batch.triples.negatives[k] as usize], triples.negatives[from + k]);
            }
            let used = batch.as_users(&[]).slot.iter().filter(|&&s| s != SparseRows::ZERO).count();
            assert_eq!(used, batch.user_rows.len(), "slots of the batch before are forgotten");
        }
    }

    #[test]
    fn somebody_who_touched_everything_does_not_hang_the_sampler() {
        let edges: Vec<Edge> = (0..4).map(|i| Edge::new(0, i)).collect();
        assert_eq!(epoch(&Graph::new(1, 4, &edges).unwrap(), 1, 0).negatives.len(), 4);
    }
}
