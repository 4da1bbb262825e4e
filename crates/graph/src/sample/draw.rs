//! Drawing without replacement, in proportion to weights, in time that hardly grows with what there is to draw from.

use rand_chacha::ChaCha8Rng;

use crate::seed;

/// Weights that never change, as the sums before each of them.
pub(super) struct Weights {
    /// One more than there are weights.
    before: Vec<u64>,
}

impl Weights {
    pub(super) fn new(weights: impl IntoIterator<Item = u64>) -> Self {
        let mut sum = 0;
        let sums = weights.into_iter().map(|weight| {
            sum += weight;
            sum
        });
        Self { before: std::iter::once(0).chain(sums).collect() }
    }

    fn total(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    fn weight(&self, at: usize) -> u64 {
        self.before[at + 1] - self.before[at]
    }

    /// The one under which `left` falls, where all are laid side by side.
    fn under(&self, left: u64) -> usize {
        self.before.partition_point(|&before| before <= left) - 1
    }

    /// An index in proportion to its weight; `None` if nothing weighs anything.
    pub(super) fn choose(&self, rng: &mut ChaCha8Rng) -> Option<usize> {
        let left = seed::below(rng, self.total());
        (self.total() > 0).then(|| self.under(left))
    }
}

/// What was drawn from some weights, and will not be drawn again.
#[derive(Default)]
pub(super) struct Taken {
    /// Ascending.
    indices: Vec<usize>,
    /// For each the weight of those up to it.
    weighed: Vec<u64>,
}

impl Taken {
    pub(super) fn take(&mut self, weights: &Weights, index: usize) {
        let at = self.indices.partition_point(|&taken| taken < index);
        self.indices.insert(at, index);
        self.weighed.insert(at, self.before(at));
        let weight = weights.weight(index);
        self.weighed[at..].iter_mut().for_each(|sum| *sum += weight);
    }

    /// The weight of the first so many.
    fn before(&self, at: usize) -> u64 {
        if at == 0 { 0 } else { self.weighed[at - 1] }
    }

    /// An index that was not taken, in proportion to its weight; `None` if nothing is left that weighs anything.
    pub(super) fn choose(&self, weights: &Weights, rng: &mut ChaCha8Rng) -> Option<usize> {
        let total = weights.total() - self.before(self.indices.len());
        let left = seed::below(rng, total);
        if total == 0 {
            return None;
        }
        // Those that stand before what is drawn: so much weight less lies before each than in the whole row.
        let (mut from, mut to) = (0, self.indices.len());
        while from < to {
            let middle = from.midpoint(to);
            if weights.before[self.indices[middle]] - self.before(middle) <= left {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Some(weights.under(left + self.before(from)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: what is left is laid side by side, and one walks along it.
    fn walk(weights: &[u64], taken: &[usize], rng: &mut ChaCha8Rng) -> Option<usize> {
        let weights = || weights.iter().enumerate().filter(|(index, _)| !taken.contains(index));
        let mut left = seed::below(rng, weights().map(|(_, weight)| weight).sum());
        for (index, &weight) in weights() {
            if left < weight {
                return Some(index);
            }
            left -= weight;
        }
        None
    }

    #[test]
    fn choices_follow_the_weights() {
        let (mut rng, weights) = (seed::rng(1, "test"), Weights::new([1, 0, 3, 6]));
        let mut chosen = [0_u32; 4];
        for _ in 0..10_000 {
            chosen[weights.choose(&mut rng).unwrap()] += 1;
        }
        assert_eq!(chosen[1], 0);
        assert!((900..1_100).contains(&chosen[0]) && (5_800..6_200).contains(&chosen[3]), "{chosen:?}");
        assert_eq!(Weights::new([0, 0]).choose(&mut rng), None);
    }

    proptest! {
        #[test]
        fn draws_are_those_of_a_walk_along_what_is_left(weights in prop::collection::vec(0_u64..9, 0..30), seed: u64) {
            let (mut ours, mut theirs) = (seed::rng(seed, "test"), seed::rng(seed, "test"));
            let (sums, mut taken, mut order) = (Weights::new(weights.iter().copied()), Taken::default(), Vec::new());
            for _ in 0..=weights.len() {
                let drawn = taken.choose(&sums, &mut ours);
                prop_assert_eq!(drawn, walk(&weights, &order, &mut theirs));
                let Some(drawn) = drawn else { break };
                taken.take(&sums, drawn);
                order.push(drawn);
            }
        }
    }
}
