//! How long the histories of invented listeners are.

use rand_chacha::ChaCha8Rng;

use super::SampleOptions;
use super::draw::Weights;
use crate::seed;

/// The most active listener has so many times what listeners have on average, where histories follow a power law.
const LONGEST: u64 = 100;

/// How long histories are.
pub(super) enum Histories {
    /// Between two lengths, more of them short than long.
    Between { shortest: usize, longest: usize },
    /// Of length `n` in proportion to `1 / n^2`, from the shortest on.
    PowerLaw { shortest: usize, weights: Weights },
}

impl Histories {
    pub(super) fn of(options: &SampleOptions) -> Self {
        match options.interactions {
            None => Self::Between { shortest: options.shortest_history, longest: options.longest_history },
            Some(interactions) => Self::power_law(interactions, options.users as u64, options.artists as u64),
        }
    }

    /// So many interactions of so many listeners, on average.
    fn power_law(interactions: u64, users: u64, artists: u64) -> Self {
        let interactions = interactions.clamp(users, users.saturating_mul((artists / 2).max(1)));
        let mut longest = (LONGEST * (interactions / users)).min(artists);
        loop {
            if let Some(found) = Self::no_longer_than(longest, interactions, users) {
                return found;
            }
            // So few for each that even from 1 on there are too many.
            longest /= 2;
        }
    }

    /// From the longest down, until lengths are what is wanted on average; of the shortest as many as then fit.
    fn no_longer_than(longest: u64, interactions: u64, users: u64) -> Option<Self> {
        let (wanted, users) = (u128::from(interactions), u128::from(users));
        let (mut weights, mut count, mut sum) = (Vec::new(), 0_u128, 0_u128);
        for length in (1..=longest.max(1)).rev() {
            let whole = 1_000_000_000_000_000 / (length * length);
            let (weight, length) = (u128::from(whole), u128::from(length));
            if (sum + length * weight) * users >= (count + weight) * wanted {
                weights.push(whole);
                (count, sum) = (count + weight, sum + length * weight);
                continue;
            }
            let part = (sum * users - count * wanted) / (wanted - length * users);
            weights.push(part as u64);
            weights.reverse();
            return Some(Self::PowerLaw { shortest: length as usize, weights: Weights::new(weights) });
        }
        // All lengths down to 1 are more than wanted, unless nothing shorter can be.
        weights.reverse();
        (longest <= 1).then(|| Self::PowerLaw { shortest: 1, weights: Weights::new(weights) })
    }

    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> usize {
        match self {
            // The product of two draws leans to the low end.
            Self::Between { shortest, longest } => {
                let span = longest.saturating_sub(*shortest) as u64;
                let draw = seed::below(rng, 1 << 16) * seed::below(rng, 1 << 16);
                shortest + (((span + 1) * draw) >> 32) as usize
            }
            Self::PowerLaw { shortest, weights } => shortest + weights.choose(rng).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(interactions: u64, users: u64, artists: u64) -> Vec<usize> {
        let histories = Histories::power_law(interactions, users, artists);
        let mut rng = seed::rng(1, "test");
        let mut lengths: Vec<usize> = (0..200_000).map(|_| histories.draw(&mut rng)).collect();
        lengths.sort_unstable();
        lengths
    }

    #[test]
    fn lengths_are_on_average_what_was_asked_for() {
        for mean in [1, 2, 3, 7, 50, 400] {
            let lengths = lengths(1_000 * mean, 1_000, 100_000);
            let found = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
            assert!((found / mean as f64 - 1.0).abs() < 0.05, "{mean}: {found}");
        }
        let few = lengths(u64::MAX / 1_000, 1_000, 3);
        assert!(few.iter().all(|length| (1..=3).contains(length)));
        assert_eq!(lengths(0, 5, 1), vec![1; 200_000]);
    }

    #[test]
    fn lengths_follow_a_power_law() {
        let lengths = lengths(50_000, 1_000, 1_000_000);
        let at_least = |n: usize| lengths.len() - lengths.partition_point(|&length| length < n);
        // Of 1 / n^2 half as many are twice as long, but for the end, which is at 5,000.
        for n in [20, 40, 80, 160, 320] {
            let share = at_least(2 * n) as f64 / at_least(n) as f64;
            assert!((0.40..0.55).contains(&share), "{n}: {share}");
        }
        assert!(lengths[0] >= 5 && *lengths.last().unwrap() > 4_000 && *lengths.last().unwrap() <= 5_000);
    }
}
