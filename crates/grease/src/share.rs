//! So many of so many.

use serde::{Deserialize, Serialize};

/// 95 % of a normal distribution are this many deviations from its mean.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// So many of so many, and what that says of everybody else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub count: usize,
    pub of: usize,
    /// Their ratio; 0 of nobody.
    pub share: f64,
    /// Where the Wilson interval of 95 % begins.
    pub low: f64,
    pub high: f64,
}

impl Share {
    /// With its interval: Wilson's, which unlike the usual one is also right near 0 and 1 and of few.
    pub fn new(count: usize, of: usize) -> Self {
        if of == 0 {
            return Self { count, of, share: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, share) = (of as f64, count as f64 / of as f64);
        let centre = share + Z * Z / (2.0 * n);
        let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let whole = 1.0 + Z * Z / n;
        // Rounding must not put the interval's end beside the share itself.
        let (low, high) = ((centre - reach) / whole, (centre + reach) / whole);
        Self { count, of, share, low: low.clamp(0.0, share), high: high.clamp(share, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_the_published_one() {
        // Brown, Cai and DasGupta's formula by hand for 83 of 100; ends of nothing and everything.
        let share = Share::new(83, 100);
        assert!((share.low - 0.7445).abs() < 5e-4 && (share.high - 0.8911).abs() < 5e-4, "{share:?}");
        let (none, all) = (Share::new(0, 10), Share::new(10, 10));
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 5e-4, "{none:?}");
        assert!(all.high == 1.0 && (all.low - 0.7225).abs() < 5e-4, "{all:?}");
        assert_eq!(Share::new(0, 0), Share { count: 0, of: 0, share: 0.0, low: 0.0, high: 1.0 });
    }
}
