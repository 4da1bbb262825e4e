//! An epoch as a card reads it: for every step which nodes are in it, and for every one of them the triples it is in.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use grease_graph::Graph;
use grease_models::train::{TrainOptions, Triples, draw};
use rayon::prelude::*;

/// No slot.
pub(crate) const NONE: u32 = u32::MAX;

/// What one step is about; `Step` in train.cu is the same.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Step {
    pub(crate) triples: u32,
    pub(crate) slots: u32,
    pub(crate) triple_at: u32,
    pub(crate) slot_at: u32,
    pub(crate) entry_at: u32,
    pub(crate) segment_at: u32,
    pub(crate) rate: f32,
    pub(crate) root: f32,
    pub(crate) penalty: f32,
    pub(crate) share: f32,
    pub(crate) key: u64,
}

// As the kernels have it: ten numbers of four bytes, one of eight.
const _: () = assert!(size_of::<Step>() == 48);

// SAFETY: plain numbers in C's order, for which all bits zero are a value.
unsafe impl DeviceRepr for Step {}
// SAFETY: as above.
unsafe impl ValidAsZeroBits for Step {}

/// The batches of an epoch, one after the other.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// Where each batch lies; what depends on how many steps were taken before is filled in later.
    pub(crate) steps: Vec<Step>,
    /// Three slots a triple: person, touched, other.
    pub(crate) triples: Vec<u32>,
    /// The node of each slot.
    pub(crate) nodes: Vec<u32>,
    /// Where each slot's entries begin, and after the last of a batch where they end.
    pub(crate) segments: Vec<u32>,
    /// 4 times the triple, plus the role in it: 0 person, 1 touched, 2 other.
    pub(crate) entries: Vec<u32>,
}

impl Plan {
    /// Every batch is laid out by itself, so threads change nothing.
    pub(crate) fn of(graph: &Graph, triples: &Triples, batch: usize) -> Self {
        let nodes = graph.users() + graph.items();
        let batches: Vec<_> = (0..triples.users.len().div_ceil(batch))
            .into_par_iter()
            .map_init(
                || vec![NONE; nodes],
                |slot_of, at| {
                    let to = ((at + 1) * batch).min(triples.users.len());
                    Layout::of(graph.users() as u32, triples, at * batch..to, slot_of)
                },
            )
            .collect();
        let mut plan = Self::default();
        for layout in batches {
            plan.steps.push(Step {
                triples: layout.triples.len() as u32 / 3,
                slots: layout.nodes.len() as u32,
                triple_at: plan.triples.len() as u32 / 3,
                slot_at: plan.nodes.len() as u32,
                entry_at: plan.entries.len() as u32,
                segment_at: plan.segments.len() as u32,
                ..Step::default()
            });
            plan.triples.extend(layout.triples);
            plan.nodes.extend(layout.nodes);
            plan.segments.extend(layout.segments);
            plan.entries.extend(layout.entries);
        }
        plan
    }
}

/// One batch.
struct Layout {
    triples: Vec<u32>,
    nodes: Vec<u32>,
    segments: Vec<u32>,
    entries: Vec<u32>,
}

impl Layout {
    /// `slot_of` has no slots before and none afterwards.
    fn of(users: u32, triples: &Triples, range: std::ops::Range<usize>, slot_of: &mut [u32]) -> Self {
        let mut nodes = Vec::new();
        let mut counts: Vec<u32> = Vec::new();
        let mut slots = Vec::with_capacity(3 * range.len());
        for at in range {
            for node in [triples.users[at], users + triples.positives[at], users + triples.negatives[at]] {
                let slot = &mut slot_of[node as usize];
                if *slot == NONE {
                    *slot = nodes.len() as u32;
                    nodes.push(node);
                    counts.push(0);
                }
                counts[*slot as usize] += 1;
                slots.push(*slot);
            }
        }
        nodes.iter().for_each(|&node| slot_of[node as usize] = NONE);
        let mut segments = Vec::with_capacity(nodes.len() + 1);
        let mut end = 0;
        segments.push(0);
        segments.extend(counts.iter().map(|count| {
            end += count;
            end
        }));
        let mut next: Vec<u32> = segments[..nodes.len()].to_vec();
        let mut entries = vec![0; slots.len()];
        for (at, &slot) in slots.iter().enumerate() {
            let place = &mut next[slot as usize];
            entries[*place as usize] = 4 * (at as u32 / 3) + at as u32 % 3;
            *place += 1;
        }
        Self { triples: slots, nodes, segments, entries }
    }
}

/// Lays epochs out ahead of time: while the card is at one, the processor is at the next.
pub(crate) struct Planner {
    graph: Arc<Graph>,
    options: TrainOptions,
    ahead: Option<(u64, JoinHandle<Plan>)>,
}

impl Planner {
    pub(crate) fn new(graph: Arc<Graph>, options: TrainOptions) -> Self {
        Self { graph, options, ahead: None }
    }

    /// The plan of an epoch; that of the next one is begun.
    pub(crate) fn plan(&mut self, epoch: u64) -> Plan {
        let ahead = self.ahead.take().filter(|(planned, _)| *planned == epoch);
        let plan = ahead.and_then(|(_, thread)| thread.join().ok());
        self.begin(epoch + 1);
        plan.unwrap_or_else(|| lay_out(&self.graph, &self.options, epoch))
    }

    /// The same, where it is there already.
    pub(crate) fn ready(&mut self, epoch: u64) -> Option<Plan> {
        let ready = |ahead: &mut (u64, JoinHandle<Plan>)| ahead.0 == epoch && ahead.1.is_finished();
        let plan = self.ahead.take_if(ready).and_then(|(_, thread)| thread.join().ok())?;
        self.begin(epoch + 1);
        Some(plan)
    }

    fn begin(&mut self, epoch: u64) {
        if epoch < self.options.epochs {
            let (graph, options) = (Arc::clone(&self.graph), self.options);
            self.ahead = Some((epoch, thread::spawn(move || lay_out(&graph, &options, epoch))));
        }
    }
}

fn lay_out(graph: &Graph, options: &TrainOptions, epoch: u64) -> Plan {
    Plan::of(graph, &draw(graph, options.seed, epoch), options.batch)
}

#[cfg(test)]
mod tests {
    use grease_graph::Edge;

    use super::*;

    fn graph() -> Graph {
        let edges: Vec<Edge> =
            (0..40u32).flat_map(|u| (0..5).map(move |k| Edge::new(u, (u * 3 + k * 7) % 60))).collect();
        Graph::new(40, 60, &edges).unwrap()
    }

    #[test]
    fn every_triple_is_found_by_its_slots_and_by_its_entries() {
        let graph = graph();
        let triples = draw(&graph, 7, 0);
        let plan = Plan::of(&graph, &triples, 64);
        assert_eq!(plan.steps.len(), 200_usize.div_ceil(64));
        let mut seen = 0;
        for step in &plan.steps {
            let slots = &plan.triples[3 * step.triple_at as usize..][..3 * step.triples as usize];
            let nodes = &plan.nodes[step.slot_at as usize..][..step.slots as usize];
            for (k, triple) in slots.chunks_exact(3).enumerate() {
                let [user, positive, negative] = [0, 1, 2].map(|role| nodes[triple[role] as usize]);
                assert_eq!(user, triples.users[seen + k]);
                assert_eq!(positive, 40 + triples.positives[seen + k]);
                assert_eq!(negative, 40 + triples.negatives[seen + k]);
            }
            let segments = &plan.segments[step.segment_at as usize..][..=step.slots as usize];
            let entries = &plan.entries[step.entry_at as usize..][..3 * step.triples as usize];
            for (slot, ends) in segments.windows(2).enumerate() {
                let own = &entries[ends[0] as usize..ends[1] as usize];
                assert!(own.is_sorted(), "in the order of the batch");
                assert!(own.iter().all(|entry| slots[(3 * (entry / 4) + entry % 4) as usize] == slot as u32));
            }
            assert_eq!(segments.last(), Some(&(3 * step.triples)));
            seen += step.triples as usize;
        }
        assert_eq!(seen, 200);
    }

    #[test]
    fn planning_ahead_changes_nothing() {
        let graph = Arc::new(graph());
        let options = TrainOptions { batch: 50, epochs: 4, ..TrainOptions::default() };
        let mut planner = Planner::new(Arc::clone(&graph), options);
        for epoch in [0, 1, 3, 2] {
            assert_eq!(planner.plan(epoch), lay_out(&graph, &options, epoch), "epoch {epoch}");
        }
    }
}
