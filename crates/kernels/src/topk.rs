//! The best few of many scores.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An index and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Position in the scores.
    pub index: u32,
    /// The score there.
    pub score: f32,
}

impl Ranked {
    /// Better first: the higher score, and at equal scores the lower index.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.index.cmp(&other.index))
    }
}

/// Worst on top, so that the heap gives up the one that must go.
struct WorstFirst(Ranked);

impl PartialEq for WorstFirst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for WorstFirst {}
impl PartialOrd for WorstFirst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for WorstFirst {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

/// The `k` best of `scores`, best first; at equal scores the lower index is better. Indices for which `allowed`
/// is false, and scores that are not numbers, are never among them. Fewer than `k` if there are no more.
///
/// `allowed` is asked only about scores that would make the list: n comparisons and about k log n questions on
/// scores in random order.
pub fn top_k(scores: &[f32], k: usize, allowed: impl Fn(u32) -> bool) -> Vec<Ranked> {
    if k == 0 {
        return Vec::new();
    }
    let mut best: BinaryHeap<WorstFirst> = BinaryHeap::with_capacity(k.min(scores.len()) + 1);
    let mut floor = f32::NEG_INFINITY;
    for (index, &score) in scores.iter().enumerate() {
        // Indices ascend, so an equal score cannot displace one already there.
        let beats = best.len() < k || score > floor;
        if !beats || score.is_nan() || !allowed(index as u32) {
            continue;
        }
        if best.len() == k {
            best.pop();
        }
        best.push(WorstFirst(Ranked { index: index as u32, score }));
        if best.len() == k {
            floor = best.peek().map_or(f32::NEG_INFINITY, |worst| worst.0.score);
        }
    }
    best.into_sorted_vec().into_iter().map(|w| w.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_sorting_everything(
            scores in proptest::collection::vec(prop_oneof![(-4i8..4).prop_map(f32::from), Just(f32::NAN), Just(f32::NEG_INFINITY)], 0..60),
            k in 0usize..70, modulus in 1u32..5,
        ) {
            let allowed = |i: u32| i % modulus != 1;
            let mut all: Vec<u32> = (0..scores.len() as u32).filter(|&i| allowed(i) && !scores[i as usize].is_nan()).collect();
            all.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
            all.truncate(k);
            let got: Vec<u32> = top_k(&scores, k, allowed).iter().map(|r| r.index).collect();
            prop_assert_eq!(got, all);
        }
    }
}
