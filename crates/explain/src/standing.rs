//! Where items stand among the candidates.

use grease_graph::ItemId;
use grease_kernels::top_k;

/// Where an item stands among the candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Its score.
    pub score: f32,
    /// From 1; at equal scores the lower row is better.
    pub rank: usize,
    /// Its score minus the k-th best of the other candidates: positive on the list. Infinite where fewer than k compete.
    pub margin: f32,
}

impl Standing {
    /// All of `listed` at once: one pass for the best, one for the ranks.
    pub fn of_all(scores: &[f32], allowed: &[bool], k: usize, listed: &[ItemId]) -> Vec<Self> {
        let best = top_k(scores, k.saturating_add(1).min(scores.len()), |item| allowed[item as usize]);
        let order_of = |a: u32, b: u32| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b));
        let mut order: Vec<usize> = (0..listed.len()).collect();
        order.sort_by(|&a, &b| order_of(listed[a].0, listed[b].0));
        // How many candidates are better than each, by the first of the listed ones that a candidate beats.
        let mut beaten = vec![0usize; listed.len() + 1];
        for item in (0..scores.len() as u32).filter(|&item| allowed[item as usize]) {
            beaten[order.partition_point(|&at| order_of(item, listed[at].0).is_ge())] += 1;
        }
        let mut standings = vec![Self { score: 0.0, rank: 0, margin: f32::INFINITY }; listed.len()];
        let mut ahead = 0;
        for (place, &at) in order.iter().enumerate() {
            ahead += beaten[place];
            let (item, rank) = (listed[at], ahead + 1);
            let score = scores[item.row()];
            // The k-th best of the others: one place further down the list for those that are on it.
            let threshold =
                if rank <= k { best.get(k) } else { k.checked_sub(1).and_then(|at| best.get(at)) };
            standings[at] =
                Self { score, rank, margin: threshold.map_or(f32::INFINITY, |t| score - t.score) };
        }
        standings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_row_in_ranks_as_in_lists() {
        let scores = [1.0, 2.0, 2.0, 2.0, 0.5];
        let listed: Vec<ItemId> = (0..5).map(ItemId).collect();
        let ranks = |allowed: &[bool]| -> Vec<usize> {
            Standing::of_all(&scores, allowed, 2, &listed[1..4]).iter().map(|s| s.rank).collect()
        };
        assert_eq!(ranks(&[true; 5]), [1, 2, 3]);
        assert_eq!(ranks(&[true, false, true, true, true])[1..], [1, 2]);
        let margins: Vec<f32> =
            Standing::of_all(&scores, &[true; 5], 2, &listed).iter().map(|s| s.margin).collect();
        assert_eq!(margins, [-1.0, 0.0, 0.0, 0.0, -1.5]);
    }
}
