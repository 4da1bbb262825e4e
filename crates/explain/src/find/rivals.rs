//! What taking away sets of one size does to those who could pass an item, by sums: of each how far it is ahead.

use grease_graph::Sums;
use grease_kernels::{Largest, vectorise};

/// The rivals of one item, for sets of one size.
pub(super) struct Rivals {
    /// How far each is ahead with the size known and nothing taken away yet.
    pub(super) start: Vec<f32>,
    /// What each interaction adds to that: `[interactions, rivals]`.
    change: Vec<f32>,
    /// How far sums may be off in any case, and for each unit of weight.
    pub(super) slack: Vec<f32>,
    pub(super) slack_by_weight: Vec<f32>,
    /// One an interaction.
    pub(super) weight: Vec<f32>,
    /// Whoever else there is, as one more rival.
    pub(super) others: Others,
}

/// How far ahead anybody else may be at most.
pub(super) struct Others {
    pub(super) start: f32,
    /// What each interaction adds to that.
    pub(super) change: Vec<f32>,
    pub(super) slack: f32,
    pub(super) slack_by_weight: f32,
}

impl Rivals {
    /// Of a contender, by its place among those the sums are about; those that the best `size` interactions for each cannot bring past
    /// it are left out.
    pub(super) fn of(sums: &Sums, contender: usize, size: usize) -> Self {
        let many = sums.start.len();
        let rows = || sums.change.chunks_exact(many);
        let most: f32 = sums.weight.iter().sum();
        let off = |at: usize| sums.slack[at] + most * sums.slack_by_weight[at];
        let ahead = |at: usize| sums.start[at] + off(at) + off(contender) - sums.start[contender];
        let mut helps: Vec<f32> = (0..many).map(ahead).collect();
        for row in rows() {
            let own = row[contender];
            vectorise(|| {
                helps.iter_mut().zip(row).for_each(|(helps, change)| *helps += (change - own).max(0.0));
            });
        }
        let places: Vec<usize> = (0..many).filter(|&at| at != contender && helps[at] > 0.0).collect();
        let mut largest = Largest::new(size, places.len());
        let mut few = vec![0f32; places.len()];
        for row in rows() {
            few.iter_mut().zip(&places).for_each(|(few, &at)| *few = row[at] - row[contender]);
            largest.add(&few, 1.0);
        }
        let most = largest.sums();
        let could_pass = places.iter().zip(&most).filter(|&(&at, &most)| ahead(at) + most > 0.0);
        let mut places: Vec<usize> = could_pass.map(|(&at, _)| at).collect();
        // The best first: who is k-th best is then found early.
        places.sort_by(|&a, &b| sums.start[b].total_cmp(&sums.start[a]).then(a.cmp(&b)));
        let with_own = |values: &[f32]| places.iter().map(|&at| values[at] + values[contender]).collect();
        Self {
            start: places.iter().map(|&at| sums.start[at] - sums.start[contender]).collect(),
            change: rows().flat_map(|row| places.iter().map(move |&at| row[at] - row[contender])).collect(),
            slack: with_own(&sums.slack),
            slack_by_weight: with_own(&sums.slack_by_weight),
            weight: sums.weight.clone(),
            others: Others {
                start: sums.outside - sums.start[contender],
                change: rows().map(|row| -row[contender]).collect(),
                slack: sums.slack[contender],
                slack_by_weight: sums.slack_by_weight[contender],
            },
        }
    }

    /// What one interaction adds.
    pub(super) fn change(&self, at: usize) -> &[f32] {
        &self.change[at * self.start.len()..][..self.start.len()]
    }

    /// Interactions by what they do for all rivals together, the most first.
    pub(super) fn strongest(&self) -> Vec<usize> {
        let help: Vec<f32> = (0..self.weight.len()).map(|at| self.change(at).iter().sum()).collect();
        let mut order: Vec<usize> = (0..self.weight.len()).collect();
        order.sort_by(|&a, &b| help[b].total_cmp(&help[a]).then(a.cmp(&b)));
        order
    }
}
