//! How sure a difference is: people are few, and what is found for one item of a list goes with what is found for the others.

use serde::{Deserialize, Serialize};

/// Standard deviations to either side that 95 % of a normal distribution lie within.
const Z: f64 = 1.959_963_984_540_054;

/// A mean, and where 95 % of samples of as many people would have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// Sums of something over pairs, list by list: a list is one draw, however many pairs it has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ByList {
    lists: usize,
    sum: f64,
    pairs: f64,
    sum_squared: f64,
    sum_by_pairs: f64,
    pairs_squared: f64,
}

impl ByList {
    /// A list of so many pairs whose values add up to `sum`; one without pairs says nothing.
    pub(crate) fn add(&mut self, sum: f64, pairs: usize) {
        if pairs == 0 {
            return;
        }
        let pairs = pairs as f64;
        self.lists += 1;
        self.sum += sum;
        self.pairs += pairs;
        self.sum_squared += sum * sum;
        self.sum_by_pairs += sum * pairs;
        self.pairs_squared += pairs * pairs;
    }

    /// The mean of a pair, with the usual interval of a ratio of two sums; none of fewer than two lists.
    pub(crate) fn interval(&self) -> Option<Interval> {
        let lists = self.lists as f64;
        let mean = self.sum / self.pairs;
        // The squares of what each list is off its share of the sum.
        let off = self.sum_squared - 2.0 * mean * self.sum_by_pairs + mean * mean * self.pairs_squared;
        let reach = Z * (off.max(0.0) * lists / (lists - 1.0)).sqrt() / self.pairs;
        (self.lists > 1).then_some(Interval { mean, low: mean - reach, high: mean + reach })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_one_pair_give_the_interval_of_the_textbook() {
        let values = [1.0, 0.0, 2.0, 1.0, -1.0, 3.0, 0.0, 1.0];
        let mut by_list = ByList::default();
        values.iter().for_each(|&value| by_list.add(value, 1));
        by_list.add(0.0, 0);
        let mean = values.iter().sum::<f64>() / 8.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 7.0;
        let interval = by_list.interval().unwrap();
        assert!((interval.mean - mean).abs() < 1e-12);
        assert!((interval.high - mean - Z * (variance / 8.0).sqrt()).abs() < 1e-12);
        assert!((interval.high + interval.low - 2.0 * mean).abs() < 1e-12);
    }

    #[test]
    fn pairs_that_go_together_are_not_more_of_them() {
        let (mut lists, mut pairs) = (ByList::default(), ByList::default());
        for value in [1.0, 0.0, 1.0, 1.0] {
            lists.add(10.0 * value, 10);
            pairs.add(value, 1);
        }
        let (lists, pairs) = (lists.interval().unwrap(), pairs.interval().unwrap());
        assert!((lists.low - pairs.low).abs() < 1e-12 && (lists.mean - pairs.mean).abs() < 1e-12);
    }

    #[test]
    fn one_list_has_no_interval() {
        let mut one = ByList::default();
        assert_eq!(one.interval(), None);
        one.add(3.0, 10);
        assert_eq!(one.interval(), None);
    }
}
