//! Where some items stand among the candidates, without sorting all of them.

use std::collections::HashMap;

use grease_kernels::top_k;

use crate::RowHash;

/// The best candidates, and where some items stand.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Ranks {
    /// The candidates that were asked for or are ahead of one, best first, as far as that is known.
    best: Vec<u32>,
    /// From 1, of candidates.
    ranks: HashMap<u32, usize, RowHash>,
    scores: HashMap<u32, f32, RowHash>,
}

impl Ranks {
    /// Of candidates in order, from the best on without a gap, and the scores of these and others.
    pub(super) fn of_order(order: impl Iterator<Item = u32> + Clone, scores: &[(u32, f32)]) -> Self {
        Self {
            best: order.clone().collect(),
            ranks: order.zip(1..).collect(),
            scores: scores.iter().copied().collect(),
        }
    }

    /// Of all scores: the `k` best, and `also` some others.
    pub(super) fn of_all(scores: &[f32], allowed: &[bool], k: usize, also: &[u32]) -> Self {
        let best: Vec<u32> = best(scores, allowed, k);
        let mut wanted: Vec<u32> = best.iter().chain(also).copied().collect();
        wanted.sort_unstable();
        wanted.dedup();
        let known = wanted.iter().map(|&item| (item, scores[item as usize])).collect();
        // The best first; at equal scores the lower row.
        let mut order: Vec<u32> = wanted.into_iter().filter(|&item| allowed[item as usize]).collect();
        let is_better =
            |a: u32, b: u32| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)).is_lt();
        order.sort_unstable_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        let Some(&lowest) = order.last() else { return Self { best, scores: known, ..Self::default() } };
        // Of each wanted item those that are ahead of it and not of the one before.
        let mut between = vec![0usize; order.len()];
        for item in (0..scores.len() as u32).filter(|&item| scores[item as usize] >= scores[lowest as usize])
        {
            let place = order.partition_point(|&wanted| !is_better(item, wanted));
            if allowed[item as usize] && place < order.len() {
                between[place] += 1;
            }
        }
        let mut ahead = 0;
        let rank = |(item, between): (u32, usize)| {
            ahead += between;
            (item, ahead + 1)
        };
        Self { best, ranks: order.into_iter().zip(between).map(rank).collect(), scores: known }
    }

    /// The best.
    pub(super) fn list(&self, k: usize) -> &[u32] {
        &self.best[..k.min(self.best.len())]
    }

    /// An item's rank; none where it is no candidate.
    pub(super) fn rank(&self, item: u32) -> Option<usize> {
        self.ranks.get(&item).copied()
    }

    /// The score of an item that was asked about.
    pub(super) fn score(&self, item: u32) -> f32 {
        self.scores[&item]
    }
}

/// The `k` best candidates.
pub(super) fn best(scores: &[f32], allowed: &[bool], k: usize) -> Vec<u32> {
    let best = top_k(scores, k.min(scores.len()), |item| allowed[item as usize]);
    best.into_iter().map(|ranked| ranked.index).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_are_as_sorted(
            scores in proptest::collection::vec((-4i8..4).prop_map(f32::from), 1..60), k in 0usize..9, modulus in 2u32..5,
            also in proptest::collection::vec(0u32..60, 0..6),
        ) {
            let items = scores.len() as u32;
            let allowed: Vec<bool> = (0..items).map(|item| item % modulus != 1).collect();
            let also: Vec<u32> = also.into_iter().map(|item| item % items).collect();
            let mut order: Vec<u32> = (0..items).filter(|&item| allowed[item as usize]).collect();
            order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
            let ranks = Ranks::of_all(&scores, &allowed, k, &also);
            prop_assert_eq!(ranks.list(k), &order[..k.min(order.len())]);
            for &item in ranks.list(k).iter().chain(&also) {
                prop_assert_eq!(ranks.rank(item), order.iter().position(|&other| other == item).map(|at| at + 1));
                prop_assert_eq!(ranks.score(item), scores[item as usize]);
            }
        }
    }
}
